/** The state of a call that must not be made twice. Undefined: it was never attempted. */
export type CallState = 'attempting' | 'done' | 'refused' | 'unknown'

export type CallOutcome<Answer> =
  | { is: 'done'; answer: Answer }
  /** The call has certainly changed nothing. */
  | { is: 'refused'; error: unknown }
  /** The call may have gone through. `error` is undefined after a crash. */
  | { is: 'unknown'; error?: unknown }
  /** The lease may be another's, so that the call was not made. */
  | { is: 'not-held' }

/** The steps of one call. Each gives the row as it is stored then. */
export interface OneCall<Row, Answer> {
  stateOf(row: Row): CallState | undefined
  /** Stores that the call is about to be made; a row in another state than `attempting` puts the call off. */
  attempt(row: Row): Promise<Row>
  /** Tells whether no other worker can have claimed the row yet. Asked right before the call. */
  isHeld(): boolean
  call(row: Row): Promise<Answer>
  /** Classifies what `call` threw; it may throw what is no answer of the platform, which leaves the row `attempting`. */
  outcomeOf(error: unknown): 'refused' | 'unknown'
  store(row: Row, outcome: CallOutcome<Answer>): Promise<Row>
  /** Asks the platform what came of an earlier attempt, and stores it. Without it such an attempt is stored as unknown. */
  search?(row: Row): Promise<Row>
}

/**
 * Makes a call at most once, whatever crashes: that it is about to be made is stored before, and a row that says so already
 * is searched for and never called again.
 */
export async function oneCall<Row, Answer>(row: Row, steps: OneCall<Row, Answer>): Promise<Row> {
  const state = steps.stateOf(row)
  if (state === 'done' || state === 'refused') return row
  if (state !== undefined) {
    if (steps.search !== undefined) return await steps.search(row)
    return state === 'unknown' ? row : await steps.store(row, { is: 'unknown' })
  }
  const attempted = await steps.attempt(row)
  if (steps.stateOf(attempted) !== 'attempting') return attempted
  // This process may have stood still since it stored the attempt: another may search already for what is not sent yet.
  if (!steps.isHeld()) return await steps.store(attempted, { is: 'not-held' })
  let outcome: CallOutcome<Answer>
  try {
    outcome = { is: 'done', answer: await steps.call(attempted) }
  } catch (error) {
    outcome = { is: steps.outcomeOf(error), error }
  }
  return await steps.store(attempted, outcome)
}
