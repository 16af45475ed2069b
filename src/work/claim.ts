/**
 * Tells whether something is put off until `until`. A time further ahead than twice any wait was written by a clock that
 * has been set back since, and counts for nothing: otherwise the row would be forgotten for so long.
 */
export const isAhead = (until: Date | null, now: Date, waitMsMax: number): boolean =>
  until !== null && until > now && until.getTime() <= now.getTime() + 2 * waitMsMax

/** The hold of one claim on one row. */
export interface Lease {
  /** The process that claimed the row; its leases end when it is found dead (liveness.ts). */
  holder: string
  /** The id of the claim, unique: every write after it names it, so that a late one of an earlier claim changes nothing. */
  leasedBy: string
  durationMs: number
  /** When another process may claim the row; a write of the holder may move it. */
  until: Date
}

/** Another process has claimed the row: the caller stops at once and writes nothing more. */
export class LeaseLostError extends Error {
  constructor(what: string) {
    super(`the lease of ${what} is lost`)
    this.name = 'LeaseLostError'
  }
}
