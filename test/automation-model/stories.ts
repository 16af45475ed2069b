import fc from 'fast-check'
import { PEOPLE } from '../../packages/sandbox/src/comments/people.js'
import type { ChannelType, ConditionGroup, Superpower } from '../../src/interface/generated/types.js'

const HOUR_MS = 3_600_000

/** The faults of the platform (play.ts). */
const FAULTS = [
  ...(['lost', 'cut', 'halved', 'failed', 'gateway'] as const),
  ...(['throttled', 'blocked', 'notPermitted'] as const),
  ...(['spent', 'unavailable', 'otherApp'] as const),
  ...(['readFails', 'questionFails'] as const),
] as const
export type FaultName = (typeof FAULTS)[number]

export const CHANNELS: readonly ChannelType[] = ['FB_PAGE', 'INSTAGRAM_ACCOUNT', 'FB_PAGE']

export interface GivenPost {
  channel: number
  mediaType: 'IMAGE' | 'VIDEO'
  superpower: Superpower
  /** Counted from the publication; undefined if it never expires. */
  expiresInMs: number | undefined
  expiresInSeconds: boolean
}

/** The hooks of a comment; the first ones may never arrive. */
type Hook = 'none' | 'once' | 'twice'

export type Step =
  | { do: 'comment'; post: number; from: string; text: string; isAnonymous: boolean; beneath?: number; hook: Hook }
  /** Many people comment at once, and the clock moves in these steps while one node works. */
  | { do: 'pour'; post: number; count: number; hopMs: number }
  | { do: 'deliver'; which: number[]; isTogether: boolean }
  /** The first node dies at this point. */
  | { do: 'work'; nodes: number; dieAt?: number | undefined }
  /** One node stalls at this point while another works, and a switch may be flipped. */
  | { do: 'stall'; where: 'anywhere' | 'attempt' | 'call'; at: number; ms: number; isSwitchedOff: boolean }
  | { do: 'pass'; ms: number }
  | { do: 'fault'; name: FaultName; times: number }
  | { do: 'calm' }
  | { do: 'switch'; channel: number | 'organization'; mode: 'off' | 'shadow' | 'on' }
  | { do: 'stop'; post: number }
  | { do: 'optOut' | 'optIn' | 'writeStop'; channel: number; from: string }
  | { do: 'human'; back: number; where: 'publicly' | 'inbox' }
  | { do: 'delete' | 'hide'; back: number }

export interface Story {
  posts: GivenPost[]
  perHour: number
  notice: string | null
  steps: Step[]
}

/** These words differ in accents, forms and places, so that a wrong interpretation shows. */
const TEXTS = [
  ...['price', 'PRICE??', 'what is the price', 'priceless', 'Preço!', 'prec\u0327o', '#summer', 'summer time', 'ok'],
  ...[
    'quanto  custa?',
    'custa quanto',
    'ｐｒｉｃｅ',
    '🔥',
    '',
    'stop',
    ' STOP! ',
    'do not stop',
    'Sair.',
    'price, summer',
  ],
]
const VALUES = ['price', '#summer', 'quanto custa', 'PREÇO', 'ok', 'stop', 'any']

const rarely = fc.nat(6).map((n) => n === 0)
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const share = fc.constantFrom(undefined, undefined, 1, 0.5, 0)

/** Omits undefined members, which the interface does not allow. */
const build = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T

const condition = fc
  .record({ values: fc.array(fc.constantFrom(...VALUES), { maxLength: 2 }), isOfAi: rarely })
  .map(({ values, isOfAi }) => ({
    ...{ conditionType: 'USER_ACTION', userActionType: 'COMMENTED', logicalCondition: 'ANY_VALUE', values },
    ...(isOfAi && { aiValues: ['friendly'] }),
  }))

const replies = (kind: string) =>
  fc
    .array(
      fc.record({ text: fc.constantFrom(`${kind} one`, `${kind} two, @[mention_user]!`), active: fc.constant(true) }),
      { maxLength: 2 },
    )
    .chain((list) => rarely.map((isLast) => (isLast ? [...list, { text: `${kind} never`, active: false }] : list)))

const group = fc
  .record({
    conditions: fc.oneof(fc.constant([]), fc.array(condition, { maxLength: 2 })),
    privateReplies: replies('private'),
    publicReplies: replies('public'),
    autoLike: fc.boolean(),
    autoLikeProbability: share,
    publicRepliesProbability: share,
    probability: share,
    usersLimit: fc.constantFrom(undefined, undefined, 0, 1, 2),
    timeLimit: fc.constantFrom(undefined, undefined, 0.5, 3),
    delayDMReplyInHours: fc.constantFrom(undefined, undefined, undefined, 0.25, 2, 160, 167.5),
    delayPublicReplyInHours: fc.constantFrom(undefined, undefined, undefined, 0.5, 3),
  })
  .map((given) => build(given) as ConditionGroup)

const superpower = fc
  .record({
    active: fc.constantFrom(undefined, undefined, undefined, true, true, false),
    conditionGroups: fc.array(group, { minLength: 1, maxLength: 3 }),
    globalUsersLimit: fc.constantFrom(undefined, undefined, undefined, 2),
    globalTimeLimit: fc.constantFrom(undefined, undefined, undefined, 1),
  })
  .map((given) => build(given) as Superpower)

const post: fc.Arbitrary<GivenPost> = fc.record({
  channel: fc.nat(2),
  mediaType: fc.constantFrom('IMAGE' as const, 'IMAGE' as const, 'VIDEO' as const),
  superpower,
  expiresInMs: fc.constantFrom(undefined, undefined, undefined, 0.5 * HOUR_MS, 20 * HOUR_MS),
  expiresInSeconds: fc.boolean(),
})

const is = <T extends Step['do']>(what: T): fc.Arbitrary<T> => fc.constant(what)
const from = fc.constantFrom(...PEOPLE.slice(0, 4))
const seconds = fc.integer({ min: 1, max: 100 }).map((n) => n * 1000)
const time = fc.oneof(
  { weight: 4, arbitrary: seconds },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 45 }).map((n) => n * 60_000) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 9 }).map((n) => n * HOUR_MS) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 4 }).map((n) => n * 24 * HOUR_MS) },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .record({
        ...{ do: is('comment'), post: fc.nat(2), from, text: fc.constantFrom(...TEXTS), isAnonymous: rarely },
        ...{ beneath: fc.oneof(fc.constant(undefined), fc.constant(undefined), fc.nat(9)) },
        hook: fc.constantFrom<Hook>('none', 'once', 'twice'),
      })
      .map((given) => build(given) as Step),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: is('pour'), post: fc.nat(2), count: fc.integer({ min: 5, max: 26 }) },
      hopMs: fc.constantFrom(50, 125, 250, 1000),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ do: is('deliver'), which: fc.array(fc.nat(30), { minLength: 1, maxLength: 6 }), isTogether: fc.boolean() },
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({ do: is('work'), nodes: fc.integer({ min: 1, max: 3 }), dieAt: maybe(fc.nat(90)) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: is('stall'),
      where: fc.constantFrom('anywhere' as const, 'attempt' as const, 'call' as const),
      at: fc.nat(20),
      ms: fc.oneof(
        fc.integer({ min: 1, max: 19 }).map((n) => n * 1000),
        seconds.map((ms) => 2 * ms),
      ),
      isSwitchedOff: fc.boolean(),
    }),
  },
  { weight: 7, arbitrary: fc.record({ do: is('pass'), ms: time }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: is('fault'), name: fc.constantFrom(...FAULTS), times: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('calm') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('switch'),
      channel: fc.constantFrom(0, 1, 2, 'organization' as const),
      mode: fc.constantFrom('off' as const, 'shadow' as const, 'on' as const, 'on' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: is('stop'), post: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('optOut', 'optIn', 'writeStop'), channel: fc.nat(2), from }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('human'),
      back: fc.nat(5),
      where: fc.constantFrom('publicly' as const, 'inbox' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('delete', 'hide'), back: fc.nat(5) }) },
)

export const story: fc.Arbitrary<Story> = fc.record({
  posts: fc.array(post, { minLength: 1, maxLength: 3 }),
  perHour: fc.constantFrom(200, 200, 200, 3, 1),
  notice: fc.constantFrom(null, null, 'This is an automated message.'),
  steps: fc.array(step, { minLength: 6, maxLength: 30, size: 'max' }),
})
