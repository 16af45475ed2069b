/** The one place where the console reads the browser's clock, in milliseconds since the epoch. */
export const now = (): number => Date.now()

/** How often what others may change is read again: a change shows within three seconds. */
export const POLL_MS = 2_500
