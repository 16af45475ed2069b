/** The state of a call that must not be made twice. Undefined means that it was never attempted. */
export type CallState = 'attempting' | 'done' | 'refused' | 'unknown'

export type CallOutcome<Answer> =
  | { is: 'done'; answer: Answer }
  /** The call certainly had no effect. */
  | { is: 'refused'; error: unknown }
  /** The call may have gone through. `error` is undefined after a crash. */
  | { is: 'unknown'; error?: unknown }
  /** The lease may belong to another holder, so the call was not made. */
  | { is: 'not-held' }

/** The steps of one call. Each returns the row as stored. */
export interface OneCall<Row, Answer> {
  stateOf(row: Row): CallState | undefined
  /** Stores that the call is about to be made; any state other than `attempting` in the returned row postpones the call. */
  attempt(row: Row): Promise<Row>
  /** Returns whether it is certain that no other worker has claimed the row. Asked right before the call. */
  isHeld(): boolean
  call(row: Row): Promise<Answer>
  /**
   * Classifies what `call` threw. May throw something that is not a response of the platform, which leaves the row
   * `attempting`.
   */
  outcomeOf(error: unknown): 'refused' | 'unknown'
  store(row: Row, outcome: CallOutcome<Answer>): Promise<Row>
  /**
   * Asks the platform for the outcome of an earlier attempt, and stores it. Without this, such an attempt is stored as
   * unknown.
   */
  search?(row: Row): Promise<Row>
}

/**
 * Makes a call at most once, whatever crashes: the intention is stored first, and a row that already has it is searched for,
 * but never called again.
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
  // This process may have been suspended since it stored the attempt: another may already be searching for what was not sent
  // yet.
  if (!steps.isHeld()) return await steps.store(attempted, { is: 'not-held' })
  let outcome: CallOutcome<Answer>
  try {
    outcome = { is: 'done', answer: await steps.call(attempted) }
  } catch (error) {
    outcome = { is: steps.outcomeOf(error), error }
  }
  return await steps.store(attempted, outcome)
}
