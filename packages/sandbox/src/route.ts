import type { SandboxAnswer } from './answers.js'
import type { SandboxModel, SandboxPage } from './model.js'

export interface RecordedRequest {
  method: string
  /** Without the version: `/act_123/campaigns`. */
  path: string
  version: string
  /** Without access_token and appsecret_proof. */
  query: Record<string, string>
  /** The parameters of a POST. */
  body?: Record<string, unknown>
  tokenIn: 'header' | 'url' | 'body' | 'nowhere'
  hasProof: boolean
}

/** A request that is understood and allowed, as a route sees it. */
export interface SandboxCall {
  /** Milliseconds since the epoch. */
  now: number
  query: Record<string, string>
  /** The parameters of the query and of the body. */
  params: Record<string, unknown>
  token: SandboxToken
  /** The private reply is used up without being sent, and this is answered. */
  spent: SandboxAnswer | undefined
  /** How the media of the call is processed. */
  processing: { polls: number; error: string | undefined }
  /** Undefined for one that the sandbox does not know. */
  findToken(value: string): SandboxToken | undefined
  /** Answers a GET of this path and query, for a batch. */
  answer(relativeUrl: string): SandboxAnswer
  /** The URL of another page of the same list. Like the platform's, it holds the access token. */
  pageUrl(path: string, query: Record<string, string>): string
}

export interface SandboxToken {
  value: string
  scopes: readonly string[]
  grantedFor: Record<string, string[]>
  /** Milliseconds since the epoch. */
  expiresAt: number | undefined
  isOfDeveloper: boolean
  /** The pages and Instagram accounts that it may publish to. */
  pages: SandboxPage[]
  /** The ad accounts that it may read. */
  adAccountIds: string[]
}

export interface SandboxRoute {
  method: string
  /** Matched against the path without the version; its groups go to `handle`. */
  path: RegExp
  /** Undefined leaves the request to the next route that matches. */
  handle(call: SandboxCall, model: SandboxModel, groups: string[]): SandboxAnswer | undefined
}

export const get = (path: RegExp, handle: SandboxRoute['handle']): SandboxRoute => ({ method: 'GET', path, handle })
export const post = (path: RegExp, handle: SandboxRoute['handle']): SandboxRoute => ({ method: 'POST', path, handle })
