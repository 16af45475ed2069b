/** The parts of an audit entry that decide whether it is a repeat. */
interface Change {
  operation: string
  at: Date
  version?: number
  changes?: Record<string, unknown>
}

/**
 * Operations that callers can repeat cheaply on one target, such as switching a setting back and forth. Changes to
 * who may do what are not included: each has its own entry. So does creating or deleting something, which has a new
 * id each time.
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
/** Deactivating an organization always gets its own entry. */
const NEVER_FOLDED = ['active']
const STATES_MAX = 20

/** How long repeats by the same actor continue an entry. */
export const REPEATS_MS = 3_600_000

/** One of the distinct changes in a continued entry. */
export interface AuditState {
  at: string
  changes?: Record<string, unknown>
}

/** Returns whether a change may continue an earlier entry instead of getting its own. */
export const mayRepeat = ({ operation, version, changes }: Change): boolean =>
  version === undefined && REPEATABLE.has(operation) && NEVER_FOLDED.every((field) => changes?.[field] === undefined)

/** Returns whether two changes have the same fields, so that the later one supersedes the earlier. */
export const sameFields = (one: object | null | undefined, other: object | null | undefined): boolean =>
  fieldsOf(one) === fieldsOf(other)

const fieldsOf = (changes: object | null | undefined): string =>
  Object.entries(changes ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([field]) => field)
    .toSorted()
    .join()

/**
 * Adds a state: each distinct change appears once, the latest at the end, and the list is limited to a readable
 * length.
 */
export function addState(states: readonly AuditState[], { at, changes }: Change): AuditState[] {
  const state: AuditState = { at: at.toISOString(), ...(changes === undefined ? {} : { changes }) }
  const others = states.filter((other) => JSON.stringify(other.changes) !== JSON.stringify(changes))
  return [...others, state].slice(-STATES_MAX)
}
