// The only place where the console reads the clock or randomness.

/** The time, in milliseconds since the epoch. */
export const now = (): number => Date.now()

/** The polling interval for shared data; changes by others show within three seconds. */
export const POLL_MS = 2_500

/** Returns a unique key. Pages over plain http have no crypto.randomUUID. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
