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
  query: Record<string, string>
  /** Those of the query and of the body. */
  params: Record<string, unknown>
  /** The pages and Instagram accounts that the access token may publish to. */
  pages: SandboxPage[]
  /** How the media of the call is processed. */
  processing: { polls: number; error: string | undefined }
  /** The ad accounts that the access token may read. */
  adAccountIds: string[]
  /** The URL of another page of the same list. Like the platform's, it holds the access token. */
  pageUrl(path: string, query: Record<string, string>): string
}

export interface SandboxRoute {
  method: string
  /** Matched against the path without the version; its groups go to `handle`. */
  path: RegExp
  /** Undefined leaves the request to the next route that matches. */
  handle(call: SandboxCall, model: SandboxModel, groups: string[]): SandboxAnswer | undefined
}
