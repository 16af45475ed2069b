/** The columns of a file of posts, in order. `channel` and `text` are required. */
export const IMPORT_COLUMNS = ['time', 'channel', 'text', 'media', 'notes'] as const
export type ImportColumn = (typeof IMPORT_COLUMNS)[number]

export const DATE_ORDERS = ['DMY', 'MDY'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]
