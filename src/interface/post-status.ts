/** The statuses of a post, in the order of its way. Interface 3 names DRAFT and REJECTED. */
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

/** A caller may create a post in these statuses; every other one is reached by an operation. */
export const FIRST_STATUSES = ['DRAFT', 'WAITING_FOR_APPROVAL'] as const satisfies readonly PostStatus[]

/** A post can be changed in these statuses; one that is FAILED can while it is out on no channel. */
export const EDITABLE_STATUSES = [
  'DRAFT',
  'WAITING_FOR_APPROVAL',
  'REJECTED',
  'SCHEDULED',
] as const satisfies readonly PostStatus[]

export const isEditable = (status: PostStatus): boolean => (EDITABLE_STATUSES as readonly PostStatus[]).includes(status)
