import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { answerCall, gatherHandlers } from './answer-call.js'
import { ok, type SandboxAnswer } from './answers.js'
import { createPanel } from './break-something.js'
import type { PanelActions } from './breakage.js'
import { campaigns } from './campaign-routes.js'
import { commentsPart } from './comments/comment-routes.js'
import {
  Comments,
  type GivenComment,
  type SandboxLike,
  type SandboxMessage,
  type SandboxReply,
} from './comments/comments.js'
import { createControl } from './control.js'
import { type NamedFault, setFault } from './control-faults.js'
import { createFaults, type Fault, type Faults } from './faults.js'
import { type Clock, systemClock } from './lib/clock.js'
import { parseJson } from './lib/json.js'
import type { SandboxModel } from './model.js'
import { servePages, servePanel } from './pages-for-people.js'
import type { SandboxPublication } from './publications.js'
import { createPublishing } from './publishing.js'
import { readPath } from './requests.js'
import type { RecordedRequest } from './route.js'
import { createSenders, type Senders } from './senders/senders.js'
import { createSubscriptions, type Subscriptions } from './subscriptions.js'
import { ownerOf, tokens } from './token-routes.js'
import { findToken } from './tokens.js'

/** A stand-in for Meta's platform: a real HTTP server, on the loopback address unless another is given. */
export interface Sandbox {
  /** The base URL, such as `http://127.0.0.1:8090`. */
  url: string
  /** The base URL of graph.instagram.com; `url` is that of graph.facebook.com. */
  instagramUrl: string
  model: SandboxModel
  faults: Faults
  /** Sets a fault by name, as POST /sandbox/faults does, and returns its id. */
  setFault(given: NamedFault): string
  /** The latest requests, oldest first, without secrets. */
  requests: RecordedRequest[]
  /** The pages' subscriptions to webhooks. */
  subscriptions: Pick<Subscriptions, 'fieldsOf' | 'sentOf' | 'forget'>
  /** The shops and the inbox, which deliver to the connected addresses. */
  senders: Senders
  /** Every publication, oldest first. `/pages/<platform id>` shows them to people. */
  readonly published: SandboxPublication[]
  /** Comments on publications, and the people who write them. */
  readonly comments: Comments
  /** Adds a person's comment and delivers it; returns the comment's id. */
  comment(given: GivenComment): Promise<string>
  /** The calls about comments that were carried out, oldest first: public replies, messages and likes. */
  readonly replies: readonly SandboxReply[]
  readonly messages: readonly SandboxMessage[]
  readonly likes: readonly SandboxLike[]
  /** Also ends requests that hang. */
  close(): Promise<void>
}

const REQUESTS_KEPT = 1000
const BODY_BYTES_MAX = 1024 * 1024

export interface SandboxOptions {
  model: SandboxModel
  clock?: Clock
  /** The clock for the beginning and end of API versions; by default `clock`, which may be set back to make up a history. */
  versionsClock?: Clock
  /** A free port by default. */
  port?: number
  /** 127.0.0.1 by default: anyone who reaches the sandbox can make it call any address. */
  host?: string
  /** Further things that people can break at `/`. */
  panel?: Partial<PanelActions>
  /** Awaited before each request is handled, like a slow network. */
  onRequest?: () => Promise<void>
  /** Waits this many milliseconds, for a fault that delays a response. */
  wait?: (ms: number) => Promise<void>
}

/** Starts the stand-in. Rejects with the system's error if it cannot listen. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { model, clock = systemClock, panel: actions = {}, port = 0, host = LOOPBACK, onRequest } = options
  const { versionsClock = clock } = options
  const faults = createFaults(clock)
  const subscriptions = createSubscriptions()
  const senders = createSenders(clock, model, subscriptions)
  const panel = createPanel({ model, faults, clock, actions, senders })
  const requests: RecordedRequest[] = []

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('date', new Date(clock.now()).toUTCString())
    const shown = { model, publications: publishing.publications, comments }
    if (await servePages(request, response, shown, () => readBody(request))) return
    if (await servePanel(request, response, panel)) return
    if (await control(request, response, () => readBody(request))) return
    const { recorded, accessToken, proof, batch } = readRequest(request, await readBody(request))
    await onRequest?.()
    requests.push(withoutSecrets(recorded))
    if (requests.length > REQUESTS_KEPT) requests.shift()
    publishing.receive({ ...recorded, path: withoutMe(recorded.path, model, accessToken) })
    const fault = faults.next(recorded)
    const call = { ...recorded, body: { ...recorded.body, ...(batch === undefined ? {} : { batch }) } }
    // The next page of a list is on the host where the caller found the first.
    const base = request.headers.host === undefined ? url : `http://${request.headers.host}`
    const answer = () =>
      answerCall({ model, clock, versionsClock, url: base, parts, handlers }, call, accessToken, proof, fault)
    await reply(response, answer, fault, recorded)
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A bug of the sandbox itself is reported as one, so that it does not look like a scripted fault.
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(`The sandbox failed: ${error}`)
    })
  })
  await listen(server, port, host)
  const url = toUrl(server.address() as AddressInfo)
  const publishing = createPublishing({ clock, url })
  const comments = new Comments({ clock, model, publications: publishing.stored, webhooks: senders.webhooks })
  Object.assign(comments.habits, panel.habits)
  const controlled = {
    ...{ url, model, clock, faults, comments, senders, requests, actions, wait: options.wait ?? waitReal },
    publications: publishing.publications,
  }
  const control = createControl(controlled)
  const parts = [tokens, publishing.part, campaigns, commentsPart(comments), subscriptions.part]
  const handlers = gatherHandlers(parts)
  return {
    ...{ url, instagramUrl: `${url}/instagram` },
    model,
    faults,
    setFault: (given) => setFault(controlled, given).id,
    requests,
    subscriptions,
    senders,
    comments,
    comment: (given) => comments.comment(given),
    replies: comments.replies,
    messages: comments.messages,
    likes: comments.likes,
    get published() {
      return publishing.publications()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The path with the id of the token's own page or account instead of `me`. */
function withoutMe(path: string, model: SandboxModel, accessToken: string): string {
  const token = path.startsWith('/me/') ? findToken(model, accessToken) : undefined
  const owner = token && ownerOf(token)
  return owner === undefined ? path : `/${owner.id}${path.slice('/me'.length)}`
}

const LOOPBACK = '127.0.0.1'

/** The timer does not keep the process alive. */
const waitReal = (ms: number): Promise<void> => setTimeout(ms, undefined, { ref: false })

/** The URL at which this machine reaches the server. */
function toUrl({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://${LOOPBACK}:${port}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) throw new Error(`a body of more than ${BODY_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Parses JSON or a form. */
function parseBody(request: IncomingMessage, body: string): Record<string, unknown> {
  return /^application\/json\b/.test(request.headers['content-type'] ?? '')
    ? (JSON.parse(body) as Record<string, unknown>)
    : Object.fromEntries(new URLSearchParams(body))
}

/** Calls that inspect or exchange a token send it under another name. */
const SECRET = /token|secret|proof/

function withoutSecrets(request: RecordedRequest): RecordedRequest {
  const hide = <Value>(values: Record<string, Value>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, SECRET.test(name) ? '[hidden]' : value]))
  const { query, body } = request
  return { ...request, query: hide(query), ...(body === undefined ? {} : { body: hide(body) }) }
}

function readRequest(
  request: IncomingMessage,
  bodyText: string,
): {
  recorded: RecordedRequest
  accessToken: string
  proof: string | undefined
  /** It is not recorded, because a URL in it may contain a token. */
  batch: unknown
} {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox.invalid')
  const { access_token: tokenInUrl, appsecret_proof: proofInUrl, ...query } = Object.fromEntries(searchParams)
  const given = bodyText === '' ? {} : parseBody(request, bodyText)
  const { access_token: tokenInBody, appsecret_proof: proofInBody, batch, ...body } = given
  const proof = proofInUrl ?? (typeof proofInBody === 'string' ? proofInBody : undefined)
  const tokenInHeader = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
  return {
    accessToken: tokenInHeader ?? tokenInUrl ?? (typeof tokenInBody === 'string' ? tokenInBody : ''),
    proof,
    // A form sends it as text.
    batch: typeof batch === 'string' ? parseJson(batch) : batch,
    recorded: {
      method: request.method ?? 'GET',
      ...readPath(pathname),
      query,
      ...(bodyText === '' ? {} : { body }),
      tokenIn:
        tokenInUrl !== undefined
          ? 'url'
          : tokenInBody !== undefined
            ? 'body'
            : tokenInHeader !== undefined
              ? 'header'
              : 'nowhere',
      hasProof: proof !== undefined,
    },
  }
}

async function reply(
  response: ServerResponse,
  rightAnswer: () => SandboxAnswer,
  fault: Fault | undefined,
  request: RecordedRequest,
): Promise<void> {
  switch (fault?.kind) {
    case 'hang':
      return
    case 'reset':
      response.socket?.resetAndDestroy()
      return
    case 'slow':
      await (typeof fault.until === 'function' ? fault.until() : fault.until)
      return send(response, rightAnswer(), request)
    case 'accepted-then-reset':
      rightAnswer()
      response.socket?.resetAndDestroy()
      return
    case 'accepted-then-answer':
      rightAnswer()
      return send(response, fault.answer, request)
    case 'accepted-then-slow': {
      const answer = rightAnswer()
      await (typeof fault.until === 'function' ? fault.until() : fault.until)
      return send(response, answer, request)
    }
    case 'answer':
      return send(response, fault.answer, request)
    case 'answer-for':
      return send(response, fault.answer(request), request)
    case 'headers': {
      const answer = rightAnswer()
      return send(response, { ...answer, headers: { ...answer.headers, ...fault.headers } }, request)
    }
    case 'stuck-cursor':
      return send(response, withStuckCursor(rightAnswer(), request), request)
    case 'reset-in-body': {
      const body = bytesOf(rightAnswer())
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      // This waits until the first half is sent, because a reset discards buffered bytes.
      response.write(body.subarray(0, body.length / 2), () => response.socket?.resetAndDestroy())
      return
    }
    default:
      return send(response, rightAnswer(), request)
  }
}

const bytesOf = ({ body }: SandboxAnswer): Buffer => Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))

function send(response: ServerResponse, answer: SandboxAnswer, request: RecordedRequest): void {
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=UTF-8',
    'facebook-api-version': request.version,
    'x-fb-trace-id': 'AsandboxTrace123',
    'x-app-usage': JSON.stringify({ call_count: 3, total_time: 2, total_cputime: 1 }),
    'x-fb-ads-insights-throttle': JSON.stringify({
      app_id_util_pct: 2.5,
      acc_id_util_pct: 4,
      ads_api_access_tier: 'standard_access',
    }),
    ...answer.headers,
  })
  response.end(bytesOf(answer))
}

function withStuckCursor(answer: SandboxAnswer, request: RecordedRequest): SandboxAnswer {
  if (typeof answer.body === 'string') return answer
  const after = request.query.after ?? ''
  return ok({ ...answer.body, paging: { cursors: { before: after, after }, next: 'https://next.invalid/' } })
}
