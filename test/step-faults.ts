import { expect } from 'vitest'
import {
  acceptedThenBadGatewayFault,
  accountLimitFault,
  appLimitFault,
  badGatewayFault,
  emptyBodyFault,
  type Fault,
  graphErrorFault,
  invalidJsonFault,
  pageGoneFault,
  quotaReachedFault,
  refusedFault,
  tokenExpiredFault,
} from '../packages/sandbox/src/make-faults.js'
import type { RecordedRequest } from '../packages/sandbox/src/route.js'
import type { ChannelType } from '../src/interface/generated/types.js'
import type { PublisherTest } from './publisher-harness.js'

type MediaType = 'IMAGE' | 'VIDEO'
export interface StepCall {
  type: ChannelType
  mediaType: MediaType
  method: 'GET' | 'POST'
  edge: RegExp
  /** The meaning of the call for the post: nothing is published before `publish`, and everything after it. */
  is: 'before' | 'publish' | 'follow' | 'link'
}

/** Every call that publishing makes, step by step. */
export const CALLS: StepCall[] = [
  { type: 'FB_PAGE', mediaType: 'IMAGE', method: 'POST', edge: /\/photos$/, is: 'before' },
  { type: 'FB_PAGE', mediaType: 'IMAGE', method: 'POST', edge: /\/feed$/, is: 'publish' },
  { type: 'FB_PAGE', mediaType: 'IMAGE', method: 'GET', edge: /^\/\d+_\d+$/, is: 'link' },
  { type: 'FB_PAGE', mediaType: 'VIDEO', method: 'POST', edge: /\/videos$/, is: 'publish' },
  { type: 'FB_PAGE', mediaType: 'VIDEO', method: 'GET', edge: /^\/13\d+$/, is: 'follow' },
  { type: 'INSTAGRAM_ACCOUNT', mediaType: 'IMAGE', method: 'GET', edge: /\/content_publishing_limit$/, is: 'before' },
  { type: 'INSTAGRAM_ACCOUNT', mediaType: 'VIDEO', method: 'POST', edge: /\/media$/, is: 'before' },
  { type: 'INSTAGRAM_ACCOUNT', mediaType: 'VIDEO', method: 'GET', edge: /^\/17\d+$/, is: 'before' },
  { type: 'INSTAGRAM_ACCOUNT', mediaType: 'VIDEO', method: 'POST', edge: /\/media_publish$/, is: 'publish' },
  { type: 'INSTAGRAM_ACCOUNT', mediaType: 'IMAGE', method: 'GET', edge: /^\/18\d+$/, is: 'link' },
]

const ID = '1'
/** Every kind of fault, whether the call is carried out, and what the response shows. */
export const FAULTS: Record<string, [Fault, 'passing' | 'lasting' | 'unknown' | 'lost']> = {
  'no response': [{ kind: 'hang' }, 'unknown'],
  'a reset': [{ kind: 'reset' }, 'unknown'],
  HTML: [badGatewayFault(), 'unknown'],
  'an empty response': [emptyBodyFault(), 'unknown'],
  'half a response': [invalidJsonFault(), 'unknown'],
  'a passing error': [graphErrorFault({ status: 500, code: 2, message: 'Try later', isTransient: true }), 'unknown'],
  'a reset in the response': [{ kind: 'reset-in-body' }, 'lost'],
  'a reset after it': [{ kind: 'accepted-then-reset' }, 'lost'],
  'HTML after it': [acceptedThenBadGatewayFault(), 'lost'],
  'the limit of the account': [accountLimitFault(ID, 5), 'passing'],
  'the limit of the app': [appLimitFault(), 'passing'],
  'the quota': [quotaReachedFault(), 'passing'],
  'an expired token': [tokenExpiredFault(), 'lasting'],
  'a refusal': [refusedFault('We do not like it.'), 'lasting'],
  'a page that is gone': [pageGoneFault(ID), 'lasting'],
}

/** Publishes a post while the call fails in this way, and checks that it ends as it must. */
export async function expectRightEnd(t: PublisherTest, call: StepCall, name: string): Promise<void> {
  const channelId = await t.channel(call.type)
  const id = await t.post({ mediaType: call.mediaType, channels: [{ channelId, caption: 'Once' }] })
  const [fault, kind] = FAULTS[name]!
  // Each step tries a read twice.
  const times = call.method === 'GET' ? 2 : 1
  let faulty = 0
  const match = ({ method, path }: RecordedRequest): boolean => {
    const isIt = method === call.method && call.edge.test(path)
    if (isIt) faulty++
    if (isIt && fault.kind === 'hang') t.patience.end()
    return isIt
  }
  t.sandbox.faults.clear()
  t.sandbox.faults.add({ match, times, fault })
  await t.runToEnd()
  expect(faulty).toBeGreaterThan(0)

  const pageId = channelId.slice(call.type.length + 1)
  const published = t.sandbox.published.filter((publication) => publication.pageId === pageId)
  const [publication] = await t.publications(id)
  const { status } = await t.read(id)
  // If a container or photo may be gone, the publisher makes another.
  const isContainerGone = /17|media_publish|feed/.test(call.edge.source) && name === 'a page that is gone'
  const isRead = call.is === 'link' || (call.is === 'follow' && kind !== 'lasting')
  if (
    isRead ||
    kind === 'passing' ||
    isContainerGone ||
    (kind !== 'lasting' && call.is === 'before') ||
    kind === 'lost'
  ) {
    const outOnce = [expect.objectContaining({ text: 'Once' })]
    expect([status, publication!.error, published]).toEqual(['PUBLISHED', null, outOnce])
    expect(publication!.external_id).toBe(published[0]!.id)
    // A second call is right only after certain refusals of the first.
    if (kind !== 'passing') expect(published[0]!.received).toBe(1)
    return
  }
  expect(status).toBe('FAILED')
  if (call.is === 'follow') {
    expect(publication!.error).toMatch(/^The platform accepted it as 13\d+, but its publication cannot be confirmed: /)
    return
  }
  expect(published).toEqual([])
  if (kind === 'unknown') {
    expect(publication!.error).toMatch(/^It may have been published: .+ Check there before you retry\.$/)
    const calls = t.sandbox.requests.filter(
      ({ method, path }) => method === 'POST' && path.startsWith(`/${pageId}/`) && call.edge.test(path),
    )
    expect(calls).toHaveLength(1)
    return
  }
  const reasons: Record<string, RegExp> = {
    'an expired token': /^Error validating access token: Session has expired$/,
    'a refusal': /^We do not like it\.$/,
    'a page that is gone': /does not exist/,
  }
  expect(publication!.error).toMatch(reasons[name]!)
}
