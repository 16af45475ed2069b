/** The count of failed posts stops here. */
export const FAILED_MAX = 100
/** Older failures are history. */
export const FAILED_DAYS = 30
