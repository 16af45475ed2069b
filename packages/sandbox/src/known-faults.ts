import { graphError, TOO_MUCH_DATA_ANSWERS } from './answers.js'
import type { Breakage } from './breakage.js'
import { BREAKAGES } from './breakages.js'
import { REFUSALS } from './comments/refusals.js'
import type { Fault } from './faults.js'
import {
  acceptedThenBadGatewayFault,
  accountLimitFault,
  appLimitFault,
  badGatewayFault,
  commentedThenFailsFault,
  containerHiddenFault,
  containerRefusedFault,
  duplicateFault,
  emptyBodyFault,
  HIDDEN_REASONS,
  invalidJsonFault,
  LIMIT_TYPES,
  MEDIA_REASONS,
  missingPermissionFault,
  noCapabilityFault,
  pageGoneFault,
  pageRestrictedFault,
  photoRefusedFault,
  publishedThenFailsFault,
  publishNotYetFault,
  quotaReachedFault,
  refusedFault,
  tokenExpiredFault,
  VIDEO_REASONS,
  videoRefusedFault,
} from './make-faults.js'
import type { Fields, Values } from './read-fields.js'
import type { RequestGroup } from './requests.js'
import { ALL_SCOPES } from './scopes.js'

/** A fault that can be set by name. */
export interface KnownFault extends Pick<Breakage, 'habit' | 'once'> {
  about: string
  /** The requests that it affects. */
  on: RequestGroup | undefined
  /** The fields that a caller may set. */
  fields: Fields
  /** `wait` resolves after this many milliseconds. Undefined for a habit. */
  make(values: Values, wait: (ms: number) => Promise<void>): Fault | undefined
}

const MINUTES_MAX = 100_000
const MS_MAX = 600_000
const MS = { ms: { type: 'integer', min: 0, max: MS_MAX } } as const
const STATUS = { status: { type: 'integer', min: 200, max: 599, default: 200 } } as const
const REASON = { reason: { type: 'text', values: Object.keys(REFUSALS) } } as const

const known = (
  about: string,
  make: KnownFault['make'],
  fields: Fields = {},
  on: RequestGroup = 'every call',
): KnownFault => ({ about, on, fields, make })

const refusalOf = (reason: string) => REFUSALS[reason as keyof typeof REFUSALS]

/** Faults without a button. */
const FURTHER: Record<string, KnownFault> = {
  // Faults of the network.
  delay: known('The right answer comes late.', ({ ms }, wait) => ({ kind: 'slow', until: () => wait(ms) }), MS),
  hang: known('No response comes until the caller gives up.', () => ({ kind: 'hang' })),
  reset: known('The connection is reset, and nothing is carried out.', () => ({ kind: 'reset' })),
  resetInBody: known('The connection is reset in the middle of the right answer.', () => ({ kind: 'reset-in-body' })),
  acceptedThenReset: known('The call is carried out, and the connection is reset.', () => ({
    kind: 'accepted-then-reset',
  })),
  acceptedThenDelay: known(
    'The call is carried out at once, but answered late.',
    ({ ms }, wait) => ({ kind: 'accepted-then-slow', until: () => wait(ms) }),
    MS,
  ),
  acceptedThenBadGateway: known('The call is carried out, but answered with a 502 and HTML.', () =>
    acceptedThenBadGatewayFault(),
  ),
  badGateway: known('A gateway answers with a 502 and HTML.', () => badGatewayFault()),
  emptyBody: known('The response has no body.', ({ status }) => emptyBodyFault(status), STATUS),
  invalidJson: known('The response ends in the middle of its JSON.', ({ status }) => invalidJsonFault(status), STATUS),
  // Refusals of the platform.
  tokenExpired: known('The token has expired: 401, code 190, subcode 463.', () => tokenExpiredFault()),
  missingPermission: known('The token lacks a permission: code 200.', ({ scope }) => missingPermissionFault(scope), {
    scope: { type: 'text', values: ALL_SCOPES },
  }),
  notFound: known(
    'An object does not exist, or the token may not see it: code 100, subcode 33.',
    ({ id }) => pageGoneFault(id),
    {
      id: { type: 'text' },
    },
  ),
  refused: known(
    'A post is refused with a message for people: code 100, subcode 1366046.',
    ({ message }) => refusedFault(message),
    { message: { type: 'text' } },
    'calls that publish',
  ),
  graphError: known('Any other error of the platform.', (values) => ({ kind: 'answer', answer: graphError(values) }), {
    code: { type: 'integer', min: -100 },
    subcode: { type: 'integer', min: 0, isOptional: true },
    status: { type: 'integer', min: 400, max: 599, default: 400 },
    message: { type: 'text', default: 'An error of the sandbox' },
  }),
  // Limits of the platform.
  appLimit: known('The app has made too many calls: code 4, with the header x-app-usage.', () => appLimitFault()),
  accountLimit: known(
    'An ad account, page or Instagram account has had too many calls; a header says for how many minutes it is blocked.',
    ({ id, minutes, type }) => accountLimitFault(id, minutes, type),
    {
      id: { type: 'text' },
      minutes: { type: 'integer', min: 0, max: MINUTES_MAX, default: 5 },
      type: { type: 'text', values: LIMIT_TYPES, default: 'ads_management' },
    },
  ),
  quotaReached: known(
    'The account has used up its posts for 24 hours: code 9, subcode 2207042.',
    () => quotaReachedFault(),
    {},
    'calls that publish',
  ),
  tooMuchData: known(
    'The call requests too much data, which the platform reports in several forms.',
    ({ form }) => ({ kind: 'answer', answer: TOO_MUCH_DATA_ANSWERS[form as keyof typeof TOO_MUCH_DATA_ANSWERS] }),
    { form: { type: 'text', values: Object.keys(TOO_MUCH_DATA_ANSWERS), default: 'phrase' } },
    'lists',
  ),
  stuckCursor: known(
    'A list always has a next page with the same cursor.',
    () => ({ kind: 'stuck-cursor' }),
    {},
    'lists',
  ),
  // Faults of publishing.
  containerRefused: known(
    'The platform refuses to make a container: 9004/2207052, -1/2207053, -1/2207032, -2/2207003.',
    ({ reason }) => containerRefusedFault(reason),
    { reason: { type: 'text', values: MEDIA_REASONS, default: 'notFetched' } },
    'containers',
  ),
  containerFails: known(
    'The container is made, but processing its media fails: status ERROR with 2207053.',
    () => ({ kind: 'processing', polls: 0, error: 'Media upload has failed with error code 2207053' }),
    {},
    'containers',
  ),
  containerHidden: known(
    'The container seems not to exist (code 100, subcode 33) or not to be permitted (code 10), but can be published.',
    ({ reason }) => containerHiddenFault(reason),
    { reason: { type: 'text', values: HIDDEN_REASONS, default: 'notFound' } },
    'polls of containers',
  ),
  publishNotYet: known(
    'The container is not published and remains: code 24, subcode 2207008.',
    () => publishNotYetFault(),
    {},
    'publications of containers',
  ),
  publishedThenFails: known(
    'The container is published, the response is a 500 with code 2, and the container is gone; only the list of media shows the post.',
    () => publishedThenFailsFault(),
    {},
    'publications of containers',
  ),
  photoRefused: known('A photo is refused: code 324, subcode 2069019.', () => photoRefusedFault(), {}, 'photos'),
  videoRefused: known(
    'A video is refused because it cannot be fetched (code 389) or read (code 6000).',
    ({ reason }) => videoRefusedFault(reason),
    { reason: { type: 'text', values: VIDEO_REASONS, default: 'notFetched' } },
    'videos',
  ),
  pageRestricted: known(
    'The page is restricted: code 10, subcode 1893063.',
    () => pageRestrictedFault(),
    {},
    'calls that publish',
  ),
  duplicatePost: known(
    'The post is identical to the previous one: code 506.',
    () => duplicateFault(),
    {},
    'calls that publish',
  ),
  noCapability: known(
    'The app lacks the capability to reply privately: code 3.',
    () => noCapabilityFault(),
    {},
    'private replies',
  ),
  commentedThenFails: known(
    'The comment, reply or message is posted, but the response is an error: code 20, subcode 1772107.',
    () => commentedThenFailsFault(),
    {},
    'answers to comments',
  ),
  // Faults of media and comments.
  processing: known(
    'Media is still being processed at this many polls; then it is ready, or has failed with `error`.',
    ({ polls, error }) => ({ kind: 'processing', polls, error }),
    { polls: { type: 'integer', min: 0, max: 1_000, default: 3 }, error: { type: 'text', isOptional: true } },
    'videos and containers',
  ),
  refusal: known(
    'A response to a comment is refused.',
    ({ reason }) => ({ kind: 'answer', answer: refusalOf(reason) }),
    REASON,
    'answers to comments',
  ),
  spentReply: known(
    'A private reply is refused, but still used up.',
    ({ reason }) => ({ kind: 'spends-reply', answer: refusalOf(reason) }),
    REASON,
    'private replies',
  ),
  // Any other response.
  answer: known(
    'This answer replaces the right one. A body that is a text is sent as it is.',
    ({ status, headers, body }) => ({ kind: 'answer', answer: { status, headers, body } }),
    { ...STATUS, headers: { type: 'headers', default: {} }, body: { type: 'body', default: {} } },
  ),
  headers: known('The right answer has additional headers.', ({ headers }) => ({ kind: 'headers', headers }), {
    headers: { type: 'headers' },
  }),
}

/** Every fault that can be set by name, those of the panel's buttons first. */
export const KNOWN_FAULTS: Readonly<Record<string, KnownFault>> = {
  ...Object.fromEntries(
    Object.entries(BREAKAGES).map(([name, { title, text, on, fault, habit, once }]) => [
      name,
      {
        about: `${title}. ${text.split('. ')[0]!.replace(/\.$/, '')}.`,
        on,
        fields: {},
        habit,
        once,
        make: () => fault,
      },
    ]),
  ),
  ...FURTHER,
}
