/** Defines the requests, callers and conversations of bench/compare.ts. */

/** A request: a page, by its query, answered 304 if the caller has it already, or a change of posts in turn. */
export interface Kind {
  query?: string
  headers?: Record<string, string>
  notModified?: boolean
  patch?: 'notes' | 'caption'
}

export const KINDS: Record<string, Kind> = {
  'full 50': { query: 'scope=all' },
  'full 50, 304': { query: 'scope=all', notModified: true },
  'full 200': { query: 'scope=all&limit=200' },
  'full 200, gzip': { query: 'scope=all&limit=200', headers: { 'accept-encoding': 'gzip' } },
  'compact 5,000': { query: 'scope=all&compact=true' },
  'compact 5,000, 304': { query: 'scope=all&compact=true', notModified: true },
  notes: { patch: 'notes' },
  caption: { patch: 'caption' },
}

/** Headers that clients send. */
export const CLIENTS: Record<string, Record<string, string>> = {
  few: {},
  fetch: {
    connection: 'keep-alive',
    accept: '*/*',
    'accept-language': '*',
    'sec-fetch-mode': 'cors',
    'user-agent': 'node',
    'accept-encoding': 'gzip, deflate',
  },
  proxy: {
    connection: 'keep-alive',
    accept: '*/*',
    'user-agent': 'curl/8.5.0',
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'greenroom.example',
    'x-real-ip': '198.51.100.7',
  },
}

/** A page comes from memory, whatever the size of its channel. */
const CONVERSATIONS = 6_000

/** Roughly the conversations of bench/vip-users.ts. */
export function conversationLines(): string {
  return Array.from({ length: CONVERSATIONS }, (_, n) =>
    JSON.stringify({
      conversationId: `t_${String(n).padStart(32, '0')}`,
      cuid: `cu_${100_000_000 + n}`,
      userName: `user.${n}`,
      firstName: `First${n % 997}`,
      lastName: `Last${n % 4_999}`,
      profilePic: `https://media.example/profiles/${String(n).padStart(32, '0')}.jpg`,
      ...(n % 3 === 0 ? {} : { birthday: `19${60 + (n % 40)}-0${1 + (n % 9)}-${10 + (n % 19)}` }),
      lastPurchaseTimestamp: 1_700_000_000_000 + n * 1_000,
      lastUserMessageTimestamp: 1_710_000_000_000 + n * 1_000,
      lastAppOpenTimestamp: 1_720_000_000_000 + n * 1_000,
      lifetimeValue: ((n * 7_919) % 100_003) / 7,
    }),
  ).join('\n')
}
