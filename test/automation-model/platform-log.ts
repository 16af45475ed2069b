import { graphError, type SandboxAnswer } from '../../packages/sandbox/src/answers.js'
import { REFUSALS } from '../../packages/sandbox/src/comments/refusals.js'
import type { Fault } from '../../packages/sandbox/src/faults.js'
import type { RecordedRequest } from '../../packages/sandbox/src/route.js'
import type { Sandbox } from '../../packages/sandbox/src/sandbox.js'
import type { Kind } from './oracle.js'
import type { FaultName } from './stories.js'

/** A call for an effect that reached the platform. */
export interface Posted {
  kind: Kind
  commentId: string
  pageId: string
  at: number
  fault: FaultName | undefined
  /** `wait`: the platform reported that it did nothing, and that the call may be repeated. */
  reply: 'wait' | 'else'
}

/** Returns the effect that a request is for, with its comment. */
function readCall({ method, path, body = {} }: RecordedRequest): Pick<Posted, 'kind' | 'commentId'> | undefined {
  const [, id = '', edge = ''] = path.split('/')
  if (method !== 'POST') return undefined
  const recipient = typeof body.recipient === 'string' ? JSON.parse(body.recipient) : body.recipient
  if (edge === 'messages') return { kind: 'private_reply', commentId: recipient.comment_id }
  if (edge === 'likes') return { kind: 'like', commentId: String(body.comment_id ?? id) }
  return edge === 'comments' || edge === 'replies' ? { kind: 'public_reply', commentId: id } : undefined
}

const answer = (given: SandboxAnswer): Fault => ({ kind: 'answer', answer: given })
const BAD_GATEWAY: SandboxAnswer = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html></html>' }

const isPrivate = (request: RecordedRequest): boolean => readCall(request)?.kind === 'private_reply'
const isCall = (request: RecordedRequest): boolean => readCall(request) !== undefined
const isReading = ({ method, path }: RecordedRequest): boolean => method === 'GET' && path.endsWith('/comments')
const isQuestion = ({ method, query }: RecordedRequest): boolean =>
  method === 'GET' && (query.fields ?? '').includes('can_reply_privately')

const FAULTS: Record<FaultName, { fault: Fault; match: (request: RecordedRequest) => boolean; waits?: true }> = {
  lost: { match: isCall, fault: { kind: 'accepted-then-reset' } },
  cut: { match: isCall, fault: { kind: 'reset' } },
  halved: { match: isCall, fault: { kind: 'reset-in-body' } },
  failed: { match: isCall, fault: answer(REFUSALS.failedService) },
  gateway: { match: isCall, fault: { kind: 'accepted-then-answer', answer: BAD_GATEWAY } },
  throttled: { match: isCall, fault: answer(REFUSALS.tooManyCalls), waits: true },
  blocked: { match: isCall, fault: answer(REFUSALS.blocked), waits: true },
  notPermitted: { match: isCall, fault: answer(REFUSALS.notPermitted), waits: true },
  spent: { match: isPrivate, fault: { kind: 'spends-reply', answer: REFUSALS.notAFollower } },
  unavailable: { match: isPrivate, fault: answer(REFUSALS.unavailable) },
  otherApp: { match: isPrivate, fault: answer(REFUSALS.otherApp) },
  readFails: { match: isReading, fault: answer(graphError({ status: 500, code: 1, message: 'An unknown error' })) },
  questionFails: { match: isQuestion, fault: { kind: 'reset' } },
}

/** Records the calls that reach the platform, and breaks some. */
export class PlatformLog {
  readonly posted: Posted[] = []

  constructor(
    private readonly sandbox: Sandbox,
    private readonly now: () => number,
  ) {
    this.calm()
  }

  /** Stops all faults. */
  calm(): void {
    this.sandbox.faults.clear()
    this.sandbox.faults.add({ match: (request) => this.note(request), fault: { kind: 'reset' } })
  }

  /** Matches nothing, because it only records. */
  private note(request: RecordedRequest): false {
    const call = readCall(request)
    if (call === undefined) return false
    const { pageId } = this.sandbox.comments.require(call.commentId)
    this.posted.push({ ...call, pageId, at: this.now(), fault: undefined, reply: 'else' })
    return false
  }

  break(name: FaultName, times: number): void {
    const { match, fault, waits } = FAULTS[name]
    this.sandbox.faults.add({
      times: name === 'questionFails' || name === 'readFails' ? 2 * times : times,
      fault,
      match: (request) => {
        if (!match(request)) return false
        const last = this.posted.at(-1)
        if (last !== undefined && isCall(request)) Object.assign(last, { fault: name, reply: waits ? 'wait' : 'else' })
        return true
      },
    })
  }
}
