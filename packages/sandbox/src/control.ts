import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GivenComment } from './comments/comments.js'
import { listFaults, setFault } from './control-faults.js'
import { connectSenders, listSenders, pressSender } from './control-senders.js'
import type { Controlled } from './controlled.js'
import { parseJson } from './lib/json.js'
import { isOwn } from './pages-for-people.js'
import { ControlError, type Fields, readFields } from './read-fields.js'

interface Answer {
  status: number
  /** Without a body the response is 204. */
  body?: unknown
}
type Handler = (controlled: Controlled, groups: string[], readJson: () => Promise<unknown>) => Answer | Promise<Answer>

const EMPTY: Answer = { status: 204 }
const ok = (body: unknown): Answer => ({ status: 200, body })

const COMMENT: Fields = {
  postId: { type: 'text' },
  pageId: { type: 'text', isOptional: true },
  from: { type: 'text' },
  text: { type: 'text' },
  at: { type: 'integer', min: 0, isOptional: true },
  parentId: { type: 'text', isOptional: true },
  isAnonymous: { type: 'boolean', isOptional: true },
  isRestricted: { type: 'boolean', isOptional: true },
  isFiltered: { type: 'boolean', isOptional: true },
  isDelivered: { type: 'boolean', isOptional: true },
}
const MESSAGE: Fields = { pageId: { type: 'text' }, from: { type: 'text' }, text: { type: 'text' } }

/** The calls by path, and then by method. */
const ROUTES: readonly [path: RegExp, methods: Record<string, Handler>][] = [
  [/^\/sandbox\/?$/, { GET: (controlled) => ok(describe(controlled)) }],
  [
    /^\/sandbox\/faults$/,
    {
      GET: (controlled) => ok(listFaults(controlled)),
      POST: async (controlled, _, readJson) => ({ status: 201, body: setFault(controlled, await readJson()) }),
      DELETE: ({ faults }) => {
        faults.clear()
        return EMPTY
      },
    },
  ],
  [
    /^\/sandbox\/faults\/([^/]+)$/,
    {
      DELETE: ({ faults }, [id = '']) => {
        if (!faults.remove(id)) throw new ControlError(404, `There is no fault ${id}, or it is no longer active.`)
        return EMPTY
      },
    },
  ],
  [
    /^\/sandbox\/requests$/,
    {
      GET: ({ requests }) => ok({ items: requests }),
      DELETE: ({ requests }) => {
        requests.length = 0
        return EMPTY
      },
    },
  ],
  [/^\/sandbox\/publications$/, { GET: ({ publications }) => ok({ items: publications() }) }],
  [
    /^\/sandbox\/comments$/,
    {
      GET: ({ comments: { replies, messages, likes } }) => ok({ replies, messages, likes }),
      POST: async ({ comments }, _, readJson) => {
        const given = readFields(await readJson(), COMMENT) as GivenComment
        return { status: 201, body: { id: await orNotFound(() => comments.comment(given)) } }
      },
    },
  ],
  [
    /^\/sandbox\/messages$/,
    {
      POST: async ({ comments }, _, readJson) => {
        const { pageId, from, text } = readFields(await readJson(), MESSAGE)
        await orNotFound(() => comments.write({ pageId, from, text }))
        return EMPTY
      },
    },
  ],
  [
    /^\/sandbox\/senders$/,
    {
      GET: ({ senders }) => ok(listSenders(senders)),
      PUT: async ({ senders }, _, readJson) => ok(await connectSenders(senders, await readJson())),
    },
  ],
  [
    /^\/sandbox\/senders\/([^/]+)\/([^/]+)$/,
    { POST: async ({ senders }, [sender = '', action = '']) => ok(await pressSender(senders, sender, action)) },
  ],
]

/** Answers programs that inspect the sandbox or set its faults. The function returns false for another URL. */
export function createControl(controlled: Controlled) {
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    readBody: () => Promise<string>,
  ): Promise<boolean> => {
    const { pathname } = new URL(request.url ?? '/', 'http://sandbox.invalid')
    if (!/^\/sandbox(\/|$)/.test(pathname)) return false
    const answer = await answerTo(controlled, request, pathname, readBody).catch((error: unknown) => {
      if (!(error instanceof ControlError)) throw error
      return { status: error.status, body: { error: error.message, ...error.details } }
    })
    const hasBody = answer.body !== undefined
    response.writeHead(answer.status, hasBody ? { 'content-type': 'application/json; charset=utf-8' } : {})
    response.end(hasBody ? `${JSON.stringify(answer.body, null, 2)}\n` : undefined)
    return true
  }
}

async function answerTo(
  controlled: Controlled,
  request: IncomingMessage,
  pathname: string,
  readBody: () => Promise<string>,
): Promise<Answer> {
  if (request.method !== 'GET' && !isOwn(request))
    throw new ControlError(403, 'Pages of other web sites may not change the sandbox.')
  for (const [path, methods] of ROUTES) {
    const groups = path.exec(pathname)
    if (groups === null) continue
    const method = request.method ?? 'GET'
    if (!Object.hasOwn(methods, method)) {
      throw new ControlError(405, `${pathname} takes ${Object.keys(methods).join(', ')}, not ${method}.`)
    }
    return methods[method]!(controlled, groups.slice(1), () => readJson(request, readBody))
  }
  throw new ControlError(404, `There is no ${pathname}. GET /sandbox lists the calls.`)
}

async function readJson(request: IncomingMessage, readBody: () => Promise<string>): Promise<unknown> {
  const text = await readBody()
  // A form of another web site cannot send this type.
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    throw new ControlError(415, 'Send the body as JSON, with content-type: application/json.')
  }
  const value = parseJson(text)
  if (value === undefined) throw new ControlError(400, 'The body is not valid JSON.')
  return value
}

async function orNotFound<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw new ControlError(404, (error as Error).message)
  }
}

/** Returns everything that a caller needs: tokens, ids, and the other calls. */
function describe({ url, model }: Controlled): Record<string, unknown> {
  const { appSecret, tokens, pages = [], adAccounts } = model
  return {
    graphUrl: `${url}/v27.0`,
    instagramUrl: `${url}/instagram/v27.0`,
    needsAppSecretProof: appSecret !== undefined,
    pages: pages.map(({ id, platform, name, accessToken, pageId }) => ({ id, platform, name, accessToken, pageId })),
    adAccounts: adAccounts.map(({ id, name, currency, timezone, campaigns }) => ({
      ...{ id: `act_${id}`, name, currency, timezone, campaigns: campaigns.length },
      accessTokens: Object.keys(tokens).filter((token) => tokens[token]!.includes(id)),
    })),
    paths: [
      'GET /: the page for people',
      'GET, POST, DELETE /sandbox/faults; DELETE /sandbox/faults/{id}',
      'GET, DELETE /sandbox/requests',
      'GET /sandbox/publications',
      'GET, POST /sandbox/comments',
      'POST /sandbox/messages',
      'GET, PUT /sandbox/senders; POST /sandbox/senders/{sender}/{action}',
    ],
  }
}
