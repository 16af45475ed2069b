/** Failed posts are counted up to this number. */
export const FAILED_MAX = 100
/** Older failures are not counted. */
export const FAILED_DAYS = 30
