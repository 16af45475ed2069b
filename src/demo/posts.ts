import type {
  Condition,
  ConditionGroup,
  NewScheduledPost,
  NewSuperpower,
  Superpower,
} from '../interface/generated/types.js'
import type { PostStatus } from '../interface/post-status.js'
import { DAY_MS, toBareDate } from '../lib/dates.js'

/** A post, and the status that it is taken to. */
export interface DemoPost {
  status: Exclude<PostStatus, 'PUBLISHING'>
  post: NewScheduledPost
  /** The reason of a REJECTED post. */
  rejection?: string
}

const conditional = (name: string, group: ConditionGroup, more: Superpower = {}): NewSuperpower => ({
  name,
  superpower: {
    name,
    active: true,
    templateType: 'GENERAL',
    conditionalTemplateType: 'MIX_MATCH',
    conditionGroups: [group],
    ...more,
  },
})

const commented = (values: string[]): Condition[] => [
  { conditionType: 'USER_ACTION', userActionType: 'COMMENTED', logicalCondition: 'ANY_VALUE', values },
]

export const RAFFLE = conditional(
  'Basket raffle',
  {
    name: 'Every comment',
    conditions: commented([]),
    takesPartInRaffle: true,
    publicReplies: [{ text: 'You are in — good luck!', scope: 'PUBLIC', active: true }],
    timeLimit: 1,
    timeLimitUnit: 'HOUR',
  },
  { hashtag: '#AuroraGiveaway', commentTarget: 1, commentTargetEnabled: true, raffle: { winnersLimit: 3 } },
)

/** Without a hashtag: any number of posts may have it at a time. */
export const SIZE_GUIDE = conditional('Size guide by message', {
  name: 'Asks for a size',
  conditions: commented(['size', 'tamanho', 'talla']),
  publicReplies: [{ text: 'Sent — have a look at your messages 💌', scope: 'PUBLIC', active: true }],
  privateReplies: [{ text: 'Our size guide: https://mercado-aurora.example/sizes', active: true }],
})

/** A row of the demo's calendar, in which days count from today and times are those of São Paulo. */
interface CalendarRow {
  status: DemoPost['status']
  /** None leaves the post without a date. */
  at?: [days: number, time: string]
  /** The name of a file in assets/demo. */
  image?: string
  video?: string
  /** A URL in place of a file. */
  url?: string
  onPage?: string
  onInstagram?: string
  superpower?: 'raffle' | 'sizeGuide'
  notes?: string
  rejection?: string
}

const at = (time: CalendarRow['at'], status: CalendarRow['status'], content: Partial<CalendarRow>): CalendarRow => ({
  ...content,
  at: time,
  status,
})

/** Three posts of the last days and a dozen of the next four weeks, in shop hours. */
const CALENDAR: readonly CalendarRow[] = [
  at([-9, '09:30'], 'PUBLISHED', {
    image: 'bread',
    onPage: 'Pão de queijo straight from the oven, every morning from eight 🧀',
    onInstagram: 'Straight from the oven, every morning from eight 🧀 #paodequeijo',
  }),
  at([-2, '18:00'], 'FAILED', {
    // The sandbox cannot fetch it.
    url: 'https://media.invalid/posts/open-kitchen.jpg',
    onPage: 'Behind the counter: a morning in our open kitchen 👩‍🍳',
  }),
  at([-1, '10:00'], 'PUBLISHED', {
    image: 'linen-shirts',
    onPage: 'Not sure about your size? Comment SIZE, and the guide is in your messages 👕',
    onInstagram: 'Comment SIZE, and the size guide is in your messages 👕 #linho',
    superpower: 'sizeGuide',
  }),
  at([1, '09:00'], 'SCHEDULED', {
    image: 'coffee',
    onPage: 'New on the shelf: single-origin coffee from Minas Gerais ☕ Come in for a free tasting.',
    onInstagram: 'Single-origin from Minas Gerais is in ☕ Free tasting all week. #cafeespecial',
  }),
  at([3, '18:00'], 'WAITING_FOR_APPROVAL', {
    image: 'giveaway',
    onPage: 'Comment #AuroraGiveaway and win one of three picnic baskets 🎁',
    onInstagram: 'Three picnic baskets, three winners 🎁 Comment #AuroraGiveaway to take part.',
    superpower: 'raffle',
  }),
  at([5, '12:00'], 'SCHEDULED', {
    video: 'bouquets',
    onInstagram: 'Sixty seconds with Rosa, who ties every bouquet by hand 💐',
  }),
  at([6, '19:00'], 'REJECTED', {
    image: 'sale',
    onPage: 'Everything in the window has to go: up to 90 % off 🛍️',
    rejection: 'The discount is 30 %, not 90 %. Please say in the caption how long it lasts.',
  }),
  at([8, '10:30'], 'SCHEDULED', {
    image: 'opening-hours',
    onPage: 'Agora abrimos também aos domingos, das 9h às 14h 🕙',
    onInstagram: 'Domingo também é dia de mercado 🕙 Das 9h às 14h. #mercadoaurora',
  }),
  at([10, '11:00'], 'WAITING_FOR_APPROVAL', {
    image: 'linen-shirts',
    onInstagram: 'The linen shirts are back in six colours 👕 Comment SIZE for the size guide.',
    superpower: 'sizeGuide',
  }),
  at([12, '17:30'], 'DRAFT', {
    video: 'fifteen-minutes',
    onInstagram: 'Three sauces, one pan, fifteen minutes 🍝 Save it for tonight.',
  }),
  at([14, '08:30'], 'SCHEDULED', {
    image: 'thank-you',
    onPage: '30 000 of you are with us now. Obrigado · gracias · thank you · ありがとう 💛',
    onInstagram: '30 000 💛 Obrigado · gracias · thank you · ありがとう',
  }),
  at([16, '18:30'], 'WAITING_FOR_APPROVAL', {
    video: 'roasting',
    onPage: '¿Cómo se tuesta un buen café? Te lo mostramos en un minuto.',
  }),
  at([19, '12:30'], 'REJECTED', {
    image: 'farmers',
    onPage: 'Meet Zélia and Tomás, who grow our tomatoes 🍅',
    onInstagram: 'Zélia, Tomás and four hundred tomato plants 🍅 #produtorlocal',
    rejection: 'Lovely! But we need their written consent before we show faces.',
  }),
  {
    status: 'DRAFT',
    notes: 'Waiting for the final photo.',
    onPage: 'Our cookbook is nearly done. Which recipe must be in it?',
  },
  at([24, '10:00'], 'SCHEDULED', {
    image: 'long-table',
    onPage: 'A long table and a chair for everyone: bem-vindos · 欢迎 · добро пожаловать · أهلاً وسهلاً',
    onInstagram: 'A chair for everyone 🪑 bem-vindos · 欢迎 · добро пожаловать · أهلاً وسهلاً',
  }),
]

/** Gives the posts of the demo's calendar, the same for the same arguments; `now` is in milliseconds since the epoch. */
export function demoPosts(options: {
  pageId: string
  instagramId: string
  /** The creativeTemplateIds of the saved superpowers. */
  superpowerIds: Record<'raffle' | 'sizeGuide', string>
  now: number
  /** The URL of a file in assets/demo. */
  mediaUrl: (name: string) => string
}): DemoPost[] {
  const { pageId, instagramId, superpowerIds, now, mediaUrl } = options
  return CALENDAR.map(({ status, at, image, video, url, onPage, onInstagram, superpower, notes, rejection }) => {
    const mediaType = video === undefined ? ('IMAGE' as const) : ('VIDEO' as const)
    const media = url ?? (image && mediaUrl(`${image}.jpg`)) ?? (video && mediaUrl(`${video}.mp4`))
    const more = superpower && { superpower: { creativeTemplateId: superpowerIds[superpower] } }
    return {
      status,
      post: {
        ...(at && { scheduledFor: instantOf(now, ...at) }),
        ...(media && { media, mediaType }),
        ...(notes && { notes }),
        channels: {
          ...(onPage && { [pageId]: { caption: onPage, ...more } }),
          ...(onInstagram && { [instagramId]: { caption: onInstagram, ...more } }),
        },
      },
      ...(rejection && { rejection }),
    }
  })
}

/** Gives the instant of a time in São Paulo, which has no summer time, so many days from today. */
function instantOf(now: number, days: number, time: string): string {
  const date = toBareDate(now + days * DAY_MS)
  return new Date(`${date}T${time}:00-03:00`).toISOString()
}
