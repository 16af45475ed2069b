/** After each attempt that failed, of a delivery or a mail; after the last of them it is given up. */
export const RETRY_WAITS_MS: readonly number[] = [10, 60, 300, 1_800, 7_200, 18_000, 36_000].map(
  (seconds) => seconds * 1_000,
)
