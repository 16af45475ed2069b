import { limit } from '../../lib/limits.js'

/** A page of a discussion, or of its changes, has no more of these. */
export const PAGE_ROWS_MAX = 200
export const PAGE_BYTES_MAX = limit('pageBytes')
