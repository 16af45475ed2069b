// The wire as types: they are made of the server's schemas. A field without a value is left out, never null, unless its type
// says otherwise.

export type * from '../interface/automation.js'
export type * from '../interface/generated/types.js'
export type { PostStatus } from '../interface/post-status.js'
export type { LateCause, WaitReason } from '../interface/post-waits.js'
export type * from '../interface/status.js'
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
