import type { NewScheduledPost } from '../posts/scheduled-posts.store.js'

const DAY_MS = 86_400_000

/** One post in each state that a visitor can look at; the key is its name in demo.json. */
export function demoPosts(pageId: string, instagramId: string, now: number) {
  const at = (days: number): Date => new Date(Math.ceil((now + days * DAY_MS) / 3_600_000) * 3_600_000)
  const createdAt = new Date(now)
  return {
    draft: {
      status: 'DRAFT',
      media: 'https://media.example/posts/winter-lights.jpg',
      mediaType: 'IMAGE',
      notes: 'Waiting for the final photo.',
      createdAt,
      channels: [{ channelId: pageId, caption: 'Winter lights are up ✨ Which window is your favourite?' }],
    },
    rejected: {
      status: 'REJECTED',
      media: 'https://media.example/posts/giveaway.jpg',
      mediaType: 'IMAGE',
      scheduledFor: at(6),
      notes: 'Please name the closing date of the raffle in the caption.',
      createdAt,
      channels: [
        {
          channelId: pageId,
          caption: 'Comment #AuroraGiveaway and win a basket 🎁',
          superpower: {
            name: 'Giveaway',
            hashtag: '#AuroraGiveaway',
            active: true,
            templateType: 'GENERAL',
            conditionalTemplateType: 'MIX_MATCH',
            commentTarget: 1,
            commentTargetEnabled: true,
            conditionGroups: [
              {
                name: 'Whoever comments',
                conditions: [
                  {
                    conditionType: 'USER_ACTION',
                    userActionType: 'COMMENTED',
                    logicalCondition: 'ANY_VALUE',
                    values: [],
                  },
                ],
                takesPartInRaffle: true,
                publicReplies: [{ text: 'You are in — good luck!', scope: 'PUBLIC', active: true }],
                timeLimit: 1,
                timeLimitUnit: 'HOUR',
              },
            ],
            raffle: { winnersLimit: 3 },
          },
        },
      ],
    },
    waitingForApproval: {
      status: 'WAITING_FOR_APPROVAL',
      media: 'https://media.example/posts/opening-hours.jpg',
      mediaType: 'IMAGE',
      scheduledFor: at(9),
      createdAt,
      channels: [
        { channelId: pageId, caption: 'Abrimos também aos domingos em dezembro 🕙' },
        { channelId: instagramId, caption: 'Aos domingos também! #dezembro' },
      ],
    },
    scheduled: {
      status: 'SCHEDULED',
      media: 'https://media.example/posts/new-year.mp4',
      mediaType: 'VIDEO',
      scheduledFor: at(40),
      createdAt,
      channels: [
        { channelId: instagramId, caption: 'あけましておめでとう 🎍 Happy New Year · Feliz Ano Novo · С Новым годом' },
      ],
    },
    published: {
      status: 'PUBLISHED',
      media: 'https://media.example/posts/autumn.jpg',
      mediaType: 'IMAGE',
      scheduledFor: at(-12),
      createdAt: at(-20),
      channels: [{ channelId: pageId, caption: 'Autumn is soup weather 🍲' }],
    },
  } as const satisfies Record<string, Omit<NewScheduledPost, 'scheduledPostId'>>
}
