import { giveUpAfter } from '../work/backoff.js'

/** The waits after failed attempts at a delivery or an email. */
export const RETRIES = giveUpAfter(10_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000)
