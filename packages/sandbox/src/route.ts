import type { SandboxAnswer } from './answers.js'
import type { Host, NodeType, TokenKind } from './edges.js'
import type { SandboxModel, SandboxPage } from './model.js'

export interface RecordedRequest {
  method: string
  host: Host
  /** The path without the host and the version: `/act_123/campaigns`. */
  path: string
  version: string
  /** The query without access_token and appsecret_proof. */
  query: Record<string, string>
  /** The parameters of a POST. */
  body?: Record<string, unknown>
  tokenIn: 'header' | 'url' | 'body' | 'nowhere'
  hasProof: boolean
}

/** A request that is understood and allowed, as a handler receives it. */
export interface SandboxCall {
  /** Milliseconds since the epoch. */
  now: number
  query: Record<string, string>
  /** The parameters of the query and of the body. */
  params: Record<string, unknown>
  token: SandboxToken
  model: SandboxModel
  /** If set, the private reply is used up without being sent, and this is the response. */
  spent: SandboxAnswer | undefined
  /** True if the container that the call publishes disappears afterwards. */
  forgets: boolean
  /** The processing of the call's media. */
  processing: { polls: number; error: string | undefined }
  /** Undefined if the sandbox does not know the token. */
  findToken(value: string): SandboxToken | undefined
  /** Answers a GET of this path and query, for a batch. */
  answer(relativeUrl: string): SandboxAnswer
  /** The URL of another page of the same list. Like the platform's, it contains the access token. */
  pageUrl(path: string, query: Record<string, string>): string
}

export interface SandboxToken {
  value: string
  kind: TokenKind
  scopes: readonly string[]
  grantedFor: Record<string, string[]>
  /** Milliseconds since the epoch. */
  issuedAt: number | undefined
  expiresAt: number | undefined
  isOfDeveloper: boolean
  /** The pages and Instagram accounts that it can access. */
  pages: SandboxPage[]
  /** The ad accounts that it may read. */
  adAccountIds: string[]
}

/** An object of the platform that the token can access. */
export interface SandboxNode {
  type: NodeType
  id: string
  /** The page or Instagram account itself, or that of the object. */
  page?: SandboxPage | undefined
}

export type Handler = (call: SandboxCall, node: SandboxNode) => SandboxAnswer

/** A part of the platform: its objects, and the responses on their edges. */
export interface SandboxPart {
  /** Undefined for an object of another part. It need not check whether the token can access the object. */
  find?(id: string, call: SandboxCall): SandboxNode | undefined
  /** The keys are method, node and edge, as in the table of edges: `GET Page/feed`. */
  handlers: Readonly<Record<string, Handler>>
}
