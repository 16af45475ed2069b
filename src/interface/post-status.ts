/** The statuses of a post, in the order of its lifecycle. Interface 3 names DRAFT and REJECTED. */
export const POST_STATUSES = [
  'DRAFT',
  'WAITING_FOR_APPROVAL',
  'REJECTED',
  'SCHEDULED',
  'PUBLISHING',
  'PUBLISHED',
  'FAILED',
] as const

export type PostStatus = (typeof POST_STATUSES)[number]

/** The statuses in which a caller may create a post; operations lead to the others. */
export const FIRST_STATUSES = ['DRAFT', 'WAITING_FOR_APPROVAL'] as const satisfies readonly PostStatus[]

/**
 * The statuses in which a post can be changed. A FAILED post can also be changed while it is not out on any channel.
 */
export const EDITABLE_STATUSES = [
  'DRAFT',
  'WAITING_FOR_APPROVAL',
  'REJECTED',
  'SCHEDULED',
] as const satisfies readonly PostStatus[]

export const isEditable = (status: PostStatus): boolean => (EDITABLE_STATUSES as readonly PostStatus[]).includes(status)
