/** Emoji that posts often have, one a line, each before the English words by which it is found. */
const TABLE = `
😀 grinning face happy
😃 smiling face big eyes happy
😄 smiling face eyes happy
😁 beaming face teeth
😆 squinting laughing face
😅 grinning face sweat
🤣 rolling laughing rofl
😂 tears of joy laughing
🙂 slightly smiling face
🙃 upside down face
😉 winking face wink
😊 smiling face blush
😇 halo angel face
🥰 smiling face hearts love
😍 heart eyes love
🤩 star struck eyes
😘 blowing kiss
😋 savoring food yum
😛 tongue out
😜 winking tongue
🤪 zany face crazy
🤗 hugging face hug
🤭 hand over mouth giggle
🤫 shushing quiet
🤔 thinking face
😐 neutral face
😏 smirking face
😒 unamused face
🙄 rolling eyes
😬 grimacing face
😌 relieved face
😴 sleeping face sleep
😷 medical mask ill
🤒 thermometer ill
🥳 partying face party
😎 sunglasses cool face
🤓 nerd face
😕 confused face
😟 worried face
😮 open mouth surprised
😲 astonished face
😳 flushed face
🥺 pleading face
😢 crying face sad
😭 loudly crying sad
😱 screaming fear
😞 disappointed face sad
😩 weary face
🥱 yawning face
😡 angry red face
🤯 exploding head mind blown
🥶 cold face freezing
🥵 hot face
🤠 cowboy hat face
👻 ghost halloween
🎃 jack-o-lantern pumpkin halloween
🤖 robot face
👋 waving hand hello
👌 ok hand
✌️ victory hand peace
🤞 crossed fingers luck
🤟 love you gesture
👈 pointing left
👉 pointing right
👆 pointing up
👇 pointing down
👍 thumbs up like
👎 thumbs down
✊ raised fist
👏 clapping hands applause
🙌 raising hands hooray
🫶 heart hands love
🙏 folded hands please thanks
🤝 handshake deal
💪 flexed biceps strong muscle
👀 eyes look
🧠 brain
👶 baby
👧 girl
👦 boy
👩 woman
👨 man
👵 old woman grandmother
👴 old man grandfather
👪 family
🧑‍🍳 cook chef
🧑‍🎨 artist
🧑‍💻 technologist computer
❤️ red heart love
🧡 orange heart
💛 yellow heart
💚 green heart
💙 blue heart
💜 purple heart
🖤 black heart
🤍 white heart
💔 broken heart
💕 two hearts
💖 sparkling heart
💯 hundred points
💥 collision boom
💫 dizzy star
💬 speech balloon comment
💤 zzz sleep
🔥 fire hot
✨ sparkles shine
⭐ star
🌟 glowing star
🌈 rainbow
☀️ sun sunny
🌤️ sun behind cloud
☁️ cloud
🌧️ cloud rain
⛈️ thunder storm
❄️ snowflake winter
☃️ snowman winter
🌙 crescent moon night
🌍 globe europe africa world
🌎 globe americas world
🌊 wave water sea
💧 droplet water
☔ umbrella rain
🐶 dog face
🐱 cat face
🐭 mouse face
🐰 rabbit face easter
🦊 fox
🐻 bear
🐼 panda
🐨 koala
🦁 lion
🐮 cow face
🐷 pig face
🐸 frog
🐵 monkey face
🐔 chicken
🐧 penguin
🐦 bird
🐣 hatching chick easter
🦉 owl
🐴 horse face
🦄 unicorn
🐝 honeybee bee
🦋 butterfly
🐢 turtle
🐟 fish
🐬 dolphin
🐾 paw prints
🌵 cactus
🎄 christmas tree
🌲 evergreen tree
🌴 palm tree
🌱 seedling plant
🍀 four leaf clover luck
🍁 maple leaf autumn
🍂 fallen leaf autumn
🌷 tulip flower
🌸 cherry blossom flower spring
🌹 rose flower
🌻 sunflower
🌺 hibiscus flower
💐 bouquet flowers
🍎 red apple
🍐 pear
🍊 tangerine orange
🍋 lemon
🍌 banana
🍉 watermelon
🍇 grapes
🍓 strawberry
🫐 blueberries
🍒 cherries
🍑 peach
🥭 mango
🍍 pineapple
🥥 coconut
🥝 kiwi
🍅 tomato
🥑 avocado
🥕 carrot
🌽 corn
🌶️ hot pepper chili
🥔 potato
🥐 croissant bakery
🍞 bread bakery
🥖 baguette bread
🥨 pretzel
🧀 cheese
🥚 egg
🥓 bacon
🥞 pancakes
🧇 waffle
🍔 hamburger burger
🍟 french fries
🍕 pizza
🌭 hot dog
🥪 sandwich
🌮 taco
🥗 salad
🍝 spaghetti pasta
🍜 noodles ramen
🍣 sushi
🍚 rice
🍦 ice cream
🍩 doughnut
🍪 cookie
🎂 birthday cake
🍰 cake slice
🧁 cupcake
🍫 chocolate
🍬 candy
🍯 honey
☕ coffee hot drink
🍵 tea
🥛 milk
🧃 juice box
🍺 beer
🍻 beers cheers
🥂 clinking glasses cheers
🍷 wine
🍸 cocktail
🍹 tropical drink
🍽️ fork knife plate restaurant
⚽ soccer ball football
🏀 basketball
🎾 tennis
🏆 trophy winner
🥇 first place gold medal
🏅 medal
🎯 bullseye target
🎮 video game
🎲 die dice
🎨 palette art
🎭 theater masks
🎬 clapper film movie
🎤 microphone
🎧 headphones music
🎵 musical note music
🎶 notes music
🎸 guitar
🎹 piano
🏃 running run
🚶 walking walk
💃 dancing woman dance
🧘 yoga lotus
🚴 biking bicycle
🏊 swimming
⛷️ skier ski
🎉 party popper celebration
🎊 confetti celebration
🎈 balloon
🎁 gift present
🎀 ribbon bow
🎅 santa christmas
🎆 fireworks new year
🪔 lamp diwali
🏠 house home
🏢 office building
🏪 shop store
🏖️ beach umbrella holiday
🏔️ mountain snow
⛺ tent camping
🚗 car
🚌 bus
🚆 train
🚲 bicycle bike
🚀 rocket launch
✈️ airplane travel flight
⛵ sailboat
📍 pin place location
🗺️ map world
⏰ alarm clock time
⏳ hourglass time
📅 calendar date
📆 calendar tear-off date
📣 megaphone announcement
📢 loudspeaker announcement
🔔 bell
📱 mobile phone
💻 laptop computer
📷 camera photo
📸 camera flash photo
🎥 movie camera video
📺 television
💡 light bulb idea
📚 books
📖 open book
📝 memo note write
✏️ pencil
📎 paperclip
📌 pushpin
📦 package delivery
✉️ envelope mail
📧 email
🛒 shopping cart
🛍️ shopping bags
💳 credit card
💰 money bag
🏷️ label price
👗 dress clothes
👕 shirt clothes
👟 running shoe
👠 high heel shoe
👜 handbag
🕶️ sunglasses
💄 lipstick
💍 ring
💎 gem diamond
🔑 key
🔒 lock
🔗 link
🔍 magnifying glass search
⚙️ gear settings
🧹 broom clean
🛠️ hammer wrench tools
✅ check mark done yes
❌ cross mark no
❓ question mark
❗ exclamation mark
⚠️ warning
🚫 prohibited no
♻️ recycling
🆕 new button
🆓 free button
🔝 top arrow
🔜 soon arrow
➡️ right arrow
⬅️ left arrow
⬆️ up arrow
⬇️ down arrow
🔄 arrows again
1️⃣ one number
2️⃣ two number
3️⃣ three number
🏳️‍🌈 rainbow flag pride
🏁 checkered flag finish
`

export const EMOJI: readonly (readonly [emoji: string, name: string])[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const gap = line.indexOf(' ')
    return [line.slice(0, gap), line.slice(gap + 1)] as const
  })
