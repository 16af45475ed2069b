import type { NewScheduledPost, PostStatus, ScheduledPostChannelFields } from '../interface/posts.js'
import type { NewSuperpower } from '../interface/superpowers.js'

const DAY_MS = 86_400_000

/** A post, and how far it is taken. */
export interface DemoPost {
  status: Exclude<PostStatus, 'PUBLISHING'>
  post: NewScheduledPost
  /** Of a REJECTED one: why. */
  rejection?: string
}

export const RAFFLE: NewSuperpower = {
  name: 'Basket raffle',
  superpower: {
    name: 'Basket raffle',
    hashtag: '#AuroraGiveaway',
    active: true,
    templateType: 'GENERAL',
    conditionalTemplateType: 'MIX_MATCH',
    commentTarget: 1,
    commentTargetEnabled: true,
    conditionGroups: [
      {
        name: 'Every comment',
        conditions: [
          { conditionType: 'USER_ACTION', userActionType: 'COMMENTED', logicalCondition: 'ANY_VALUE', values: [] },
        ],
        takesPartInRaffle: true,
        publicReplies: [{ text: 'You are in — good luck!', scope: 'PUBLIC', active: true }],
        timeLimit: 1,
        timeLimitUnit: 'HOUR',
      },
    ],
    raffle: { winnersLimit: 3 },
  },
}

/** Without a hashtag: any number of posts may have it at a time. */
export const SIZE_GUIDE: NewSuperpower = {
  name: 'Size guide by message',
  superpower: {
    name: 'Size guide by message',
    active: true,
    templateType: 'GENERAL',
    conditionalTemplateType: 'MIX_MATCH',
    conditionGroups: [
      {
        name: 'Asks for a size',
        conditions: [
          {
            conditionType: 'USER_ACTION',
            userActionType: 'COMMENTED',
            logicalCondition: 'ANY_VALUE',
            values: ['size', 'tamanho', 'talla'],
          },
        ],
        publicReplies: [{ text: 'Sent — have a look at your messages 💌', scope: 'PUBLIC', active: true }],
        privateReplies: [{ text: 'Our size guide: https://mercado-aurora.example/sizes', active: true }],
      },
    ],
  },
}

/**
 * The demo's calendar: two posts of the last days and a dozen of the next four weeks, in shop hours of São Paulo. The same
 * for the same arguments; `now` is in milliseconds since the epoch.
 */
export function demoPosts(options: {
  pageId: string
  instagramId: string
  /** The creativeTemplateIds of the saved superpowers. */
  raffleId: string
  sizeGuideId: string
  now: number
  /** The URL of a file in assets/demo. */
  mediaUrl: (name: string) => string
}): DemoPost[] {
  const { pageId, instagramId, now, mediaUrl } = options
  const raffle = { superpower: { creativeTemplateId: options.raffleId } }
  const sizeGuide = { superpower: { creativeTemplateId: options.sizeGuideId } }
  /** `days` from today, at this time in São Paulo, which knows no summer time. */
  const at = (days: number, time: string): string => {
    const date = new Date(now + days * DAY_MS).toISOString().slice(0, 10)
    return new Date(`${date}T${time}:00-03:00`).toISOString()
  }
  const image = (name: string) => ({ media: mediaUrl(`${name}.jpg`), mediaType: 'IMAGE' as const })
  const video = (name: string) => ({ media: mediaUrl(`${name}.mp4`), mediaType: 'VIDEO' as const })
  const onPage = (caption: string, more: ScheduledPostChannelFields = {}) => ({ [pageId]: { caption, ...more } })
  const onInstagram = (caption: string, more: ScheduledPostChannelFields = {}) => ({
    [instagramId]: { caption, ...more },
  })

  return [
    {
      status: 'PUBLISHED',
      post: {
        scheduledFor: at(-9, '09:30'),
        ...image('bread'),
        channels: {
          ...onPage('Pão de queijo straight from the oven, every morning from eight 🧀'),
          ...onInstagram('Straight from the oven, every morning from eight 🧀 #paodequeijo'),
        },
      },
    },
    {
      status: 'FAILED',
      post: {
        scheduledFor: at(-2, '18:00'),
        // The sandbox cannot fetch it.
        media: 'https://media.invalid/posts/open-kitchen.jpg',
        mediaType: 'IMAGE',
        channels: onPage('Behind the counter: a morning in our open kitchen 👩‍🍳'),
      },
    },
    {
      status: 'SCHEDULED',
      post: {
        scheduledFor: at(1, '09:00'),
        ...image('coffee'),
        channels: {
          ...onPage('New on the shelf: single-origin coffee from Minas Gerais ☕ Come in for a free tasting.'),
          ...onInstagram('Single-origin from Minas Gerais is in ☕ Free tasting all week. #cafeespecial'),
        },
      },
    },
    {
      status: 'WAITING_FOR_APPROVAL',
      post: {
        scheduledFor: at(3, '18:00'),
        ...image('giveaway'),
        channels: {
          ...onPage('Comment #AuroraGiveaway and win one of three picnic baskets 🎁', raffle),
          ...onInstagram('Three picnic baskets, three winners 🎁 Comment #AuroraGiveaway to take part.', raffle),
        },
      },
    },
    {
      status: 'SCHEDULED',
      post: {
        scheduledFor: at(5, '12:00'),
        ...video('bouquets'),
        channels: onInstagram('Sixty seconds with Rosa, who ties every bouquet by hand 💐'),
      },
    },
    {
      status: 'REJECTED',
      rejection: 'The discount is 30 %, not 90 %. Please say in the caption how long it lasts.',
      post: {
        scheduledFor: at(6, '19:00'),
        ...image('sale'),
        channels: onPage('Everything in the window has to go: up to 90 % off 🛍️'),
      },
    },
    {
      status: 'SCHEDULED',
      post: {
        scheduledFor: at(8, '10:30'),
        ...image('opening-hours'),
        channels: {
          ...onPage('Agora abrimos também aos domingos, das 9h às 14h 🕙'),
          ...onInstagram('Domingo também é dia de mercado 🕙 Das 9h às 14h. #mercadoaurora'),
        },
      },
    },
    {
      status: 'WAITING_FOR_APPROVAL',
      post: {
        scheduledFor: at(10, '11:00'),
        ...image('linen-shirts'),
        channels: onInstagram(
          'The linen shirts are back in six colours 👕 Comment SIZE for the size guide.',
          sizeGuide,
        ),
      },
    },
    {
      status: 'DRAFT',
      post: {
        scheduledFor: at(12, '17:30'),
        ...video('fifteen-minutes'),
        channels: onInstagram('Three sauces, one pan, fifteen minutes 🍝 Save it for tonight.'),
      },
    },
    {
      status: 'SCHEDULED',
      post: {
        scheduledFor: at(14, '08:30'),
        ...image('thank-you'),
        channels: {
          ...onPage('30 000 of you are with us now. Obrigado · gracias · thank you · ありがとう 💛'),
          ...onInstagram('30 000 💛 Obrigado · gracias · thank you · ありがとう'),
        },
      },
    },
    {
      status: 'WAITING_FOR_APPROVAL',
      post: {
        scheduledFor: at(16, '18:30'),
        ...video('roasting'),
        channels: onPage('¿Cómo se tuesta un buen café? Te lo mostramos en un minuto.'),
      },
    },
    {
      status: 'REJECTED',
      rejection: 'Lovely! But we need their written consent before we show faces.',
      post: {
        scheduledFor: at(19, '12:30'),
        ...image('farmers'),
        channels: {
          ...onPage('Meet Zélia and Tomás, who grow our tomatoes 🍅'),
          ...onInstagram('Zélia, Tomás and four hundred tomato plants 🍅 #produtorlocal'),
        },
      },
    },
    {
      status: 'DRAFT',
      post: {
        notes: 'Waiting for the final photo.',
        channels: onPage('Our cookbook is nearly done. Which recipe must be in it?'),
      },
    },
    {
      status: 'SCHEDULED',
      post: {
        scheduledFor: at(24, '10:00'),
        ...image('long-table'),
        channels: {
          ...onPage('A long table and a chair for everyone: bem-vindos · 欢迎 · добро пожаловать · أهلاً وسهلاً'),
          ...onInstagram('A chair for everyone 🪑 bem-vindos · 欢迎 · добро пожаловать · أهلاً وسهلاً'),
        },
      },
    },
  ]
}
