/**
 * Returns whether something is postponed until `until`. A time further ahead than twice any wait came from a clock that was
 * set back since, and is ignored; otherwise the row would be forgotten for that long.
 */
export const isAhead = (until: Date | null, now: Date, waitMsMax: number): boolean =>
  until !== null && until > now && until.getTime() <= now.getTime() + 2 * waitMsMax

/** One claim's hold on one row. */
export interface Lease {
  /** The process that claimed the row; its leases end when it is found dead (liveness.ts). */
  holder: string
  /** The unique id of the claim. Every later write names it, so that a late write of an earlier claim changes nothing. */
  leasedBy: string
  durationMs: number
  /** When another process may claim the row; the holder's writes may extend it. */
  until: Date
}

/** Another process has claimed the row: the caller stops at once and writes nothing more. */
export class LeaseLostError extends Error {
  constructor(what: string) {
    super(`the lease of ${what} is lost`)
    this.name = 'LeaseLostError'
  }
}
