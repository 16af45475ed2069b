export const SAVED_TEXT_KINDS = ['TEXT', 'HASHTAGS'] as const
