/** As much of an entry of the audit trail as tells whether it is repeated. */
interface Change {
  operation: string
  at: Date
  version?: number
  changes?: Record<string, unknown>
}

/**
 * These operations can be repeated on one thing at little cost, such as a setting that is put back and forth. What
 * changes who may do what is not here: each such change has an entry of its own, and so has what makes or removes a
 * thing, under a new id each time.
 */
const REPEATABLE: ReadonlySet<string> = new Set([
  'setOwnNotifications',
  'markVip',
  'unmarkVip',
  'connectChannel',
  'disconnectChannel',
  'updateOrganization',
  'updateWorkspace',
  'updateChannel',
  'updateSuperpower',
  'updateAdAccount',
  'updateWebhook',
  'testWebhook',
  'resendWebhookDelivery',
])
/** An organization that is switched off is no matter of settings. */
const NEVER_FOLDED = ['active']
const STATES_MAX = 20

/** Repeats of an entry by the same actor continue it for so long. */
export const REPEATS_MS = 3_600_000

/** One of the different changes that an entry was continued by. */
export interface AuditState {
  at: string
  changes?: Record<string, unknown>
}

/** True for a change that continues the entry which it repeats, in place of an entry of its own. */
export const mayRepeat = ({ operation, version, changes }: Change): boolean =>
  version === undefined && REPEATABLE.has(operation) && NEVER_FOLDED.every((field) => changes?.[field] === undefined)

/** True for two changes of the same fields: the later one takes the place of the earlier. */
export const sameFields = (one: object | null | undefined, other: object | null | undefined): boolean =>
  fieldsOf(one) === fieldsOf(other)

const fieldsOf = (changes: object | null | undefined): string =>
  Object.entries(changes ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([field]) => field)
    .toSorted()
    .join()

/**
 * The states with one more: each different change once, with the last one at the end, and not more than a reader
 * takes in.
 */
export function addState(states: readonly AuditState[], { at, changes }: Change): AuditState[] {
  const state: AuditState = { at: at.toISOString(), ...(changes === undefined ? {} : { changes }) }
  const others = states.filter((other) => JSON.stringify(other.changes) !== JSON.stringify(changes))
  return [...others, state].slice(-STATES_MAX)
}
