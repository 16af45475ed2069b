export const INBOX_KINDS = ['returned', 'approved', 'failed', 'published', 'mentioned', 'replied'] as const
export type InboxKind = (typeof INBOX_KINDS)[number]
