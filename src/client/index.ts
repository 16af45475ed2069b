// The wire as types: the compiler holds the server's schemas and answers to the same ones. A field without a value is left
// out, never null, unless its type says otherwise.

export type * from '../interface/access.js'
export type * from '../interface/audience.js'
export type * from '../interface/automation.js'
export type * from '../interface/backup.js'
export type * from '../interface/channels.js'
export type * from '../interface/discussion.js'
export type * from '../interface/errors.js'
export type * from '../interface/insights.js'
export type * from '../interface/intake.js'
export type * from '../interface/media.js'
export type * from '../interface/notifications.js'
export type * from '../interface/people.js'
export type * from '../interface/post-import.js'
export type * from '../interface/post-series.js'
export type * from '../interface/post-waits.js'
export type * from '../interface/posts.js'
export type { RecurrenceRule } from '../interface/recurrence.js'
export type * from '../interface/reviews.js'
export type * from '../interface/revision.js'
export type * from '../interface/saved-texts.js'
export type * from '../interface/second-factors.js'
export type * from '../interface/server.js'
export type * from '../interface/status.js'
export type * from '../interface/superpowers.js'
export type * from '../interface/tokens.js'
export type { ChangeOptions, VersionedPost } from './client.js'
export * from './errors.js'
export { type CreateOptions, Greenroom, type GreenroomOptions, type VipUserListQuery } from './greenroom.js'
export {
  type ExportOptions,
  GreenroomOperator,
  type GreenroomOperatorOptions,
  type ImportOptions,
} from './operator.js'
export type { InterfaceVersion } from './signer.js'
export type { RequestOptions, TransportOptions, Upload } from './transport.js'
