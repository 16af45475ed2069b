/** The thread in which deliveries are decoded (decoding.ts). */
import { doJobs } from '../../work/thread-program.js'
import type { DecodedOrNot, DecodeJob } from './decoding.js'
import { decodeInParts } from './in-parts.js'

// A delivery may have 500,000 unreadable items, and the stack traces of their errors are never shown.
Error.stackTraceLimit = 0

doJobs<DecodeJob, DecodedOrNot[]>(({ deliveries, partWeight }) => ({
  result: deliveries.map((delivery) => {
    try {
      return decodeInParts(delivery, partWeight)
    } catch (error) {
      return { failure: String(error) }
    }
  }),
}))
