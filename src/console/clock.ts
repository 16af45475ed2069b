// The one place where the console asks the browser for the time and for chance.

/** The time, in milliseconds since the epoch. */
export const now = (): number => Date.now()

/** Data that others may change is read again after this time, so that a change shows within three seconds. */
export const POLL_MS = 2_500

/** Unique per call; also where a page over plain http has no crypto.randomUUID. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
