// The types of the wire, generated from the server's schemas. A field without a value is omitted, never null, unless its
// type says otherwise.

export type * from '../interface/automation.js'
export type * from '../interface/generated/types.js'
export type { PostStatus } from '../interface/post-status.js'
export type { LateCause, WaitReason } from '../interface/post-waits.js'
export type * from '../interface/status.js'
export type { ChangeOptions, CreateOptions, VersionedPost } from './client.js'
export * from './errors.js'
export {
  Greenroom,
  GreenroomApi,
  type GreenroomOptions,
  type KeyOptions,
  type TokenOptions,
  type VipUserListQuery,
} from './greenroom.js'
export type { InterfaceVersion } from './signer.js'
export type { RequestOptions, TransportOptions, Upload } from './transport.js'
