import type { Host } from './edges.js'
import type { SandboxModel } from './model.js'
import type { RecordedRequest } from './route.js'

const PATH = /^(\/instagram(?=\/|$))?(?:\/(v\d{1,3}\.\d{1,3})(?=\/|$))?(.*)$/s

/** Splits the path of a URL. Paths below `/instagram` belong to the other host. */
export function readPath(pathname: string): { host: Host; version: string; path: string } {
  const [, instagram, version = '', path = ''] = PATH.exec(pathname) ?? []
  return { host: instagram === undefined ? 'graph.facebook.com' : 'graph.instagram.com', version, path: path || '/' }
}

const isPublication = ({ method, path, body }: RecordedRequest): boolean =>
  method === 'POST' &&
  (/\/(feed|videos|media_publish)$/.test(path) || (path.endsWith('/photos') && String(body?.published) !== 'false'))
const isPostTo =
  (edge: string) =>
  ({ method, path }: RecordedRequest) =>
    method === 'POST' && path.endsWith(`/${edge}`)
const isAnswer = ({ method, path }: RecordedRequest): boolean =>
  method === 'POST' && /\/(messages|comments|replies|likes)$/.test(path)
const isPrivateReply = ({ method, path, body }: RecordedRequest): boolean =>
  method === 'POST' && path.endsWith('/messages') && JSON.stringify(body?.recipient ?? '').includes('comment_id')

/** The groups of requests that a fault may affect, by their descriptions. */
const REQUESTS = {
  'every call': () => true,
  'calls that publish': isPublication,
  'videos and containers': ({ method, path }) => method === 'POST' && /\/(media|videos)$/.test(path),
  photos: isPostTo('photos'),
  videos: isPostTo('videos'),
  containers: isPostTo('media'),
  'polls of containers': ({ method, path, query }) =>
    method === 'GET' && /^\/\d{1,32}$/.test(path) && (query.fields ?? '').includes('status_code'),
  'publications of containers': isPostTo('media_publish'),
  'calls of pages and accounts': ({ path }, { pages = [] }) =>
    /\/(comments|replies|likes)$/.test(path) || pages.some(({ id }) => path.startsWith(`/${id}`)),
  'answers to comments': isAnswer,
  'private replies': isPrivateReply,
  likes: ({ method, path }) => method === 'POST' && path.endsWith('/likes'),
  lists: ({ method }) => method === 'GET',
} as const satisfies Record<string, (request: RecordedRequest, model: SandboxModel) => boolean>

export type RequestGroup = keyof typeof REQUESTS

/** True if the request belongs to the group. */
export const isInGroup = (group: RequestGroup, request: RecordedRequest, model: SandboxModel): boolean =>
  (REQUESTS[group] as (request: RecordedRequest, model: SandboxModel) => boolean)(request, model)

// True if the path matches a pattern such as /*/feed, in which each asterisk matches any text.
export function isPathLike(pattern: string, path: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return path === pattern
  const last = rest.pop()!
  if (!path.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return path.length - at >= last.length && path.endsWith(last)
}
