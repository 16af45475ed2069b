import type { Operations } from './generated/types.js'

// A route is one text: method, path with the names of its query, then words for what it takes and answers. `json` or
// `bytes` is its body, and `bytes=` lists the content types of which a caller names one. `if-match` says that it takes the
// version of a post, `if-match!` that it needs it, and `once` that it takes an Idempotency-Key. The last word is `list`,
// `page` or `stream` where the answer is no object. A call takes its parameters, query and body from it and from Operations.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Shape = 'object' | 'list' | 'page' | 'stream'

export type TypesOf<Id> = Id extends keyof Operations ? Operations[Id] : never

type ParamsIn<Route> = Route extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamsIn<Rest> : never

type Flag = 'true' | 'false'

/** Absent values are left out, and a flag may be a boolean. */
type Sent<Query> = {
  [Name in keyof Query]: Query[Name] | (Exclude<Query[Name], undefined> extends Flag ? boolean : never) | undefined
}

type QueryOf<Types> = Types extends { query: infer Query }
  ? { query: Sent<Query> }
  : Types extends { query?: infer Query }
    ? { query?: Sent<Query> | undefined }
    : unknown

/** The parameters of a call by name, its query and its JSON body. */
export type InputOf<Route, Id> = { [Name in ParamsIn<Route>]: string } & QueryOf<TypesOf<Id>> &
  Pick<TypesOf<Id>, keyof TypesOf<Id> & 'body'>

export type AnswerOf<Id> = TypesOf<Id> extends { answer: infer Answer } ? Answer : never

interface ReadRoute {
  method: Method
  /** With the parameters, each as one segment. */
  path: string
  /** The names of the query. */
  names: string[]
  words: string[]
  shape: Shape
}

export function readRoute(route: string, params: object): ReadRoute {
  const [method, target = '', ...words] = route.split(' ')
  const [path = '', names] = target.split('?')
  const shape = (['list', 'page', 'stream'] as const).find((each) => words.includes(each)) ?? 'object'
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => toSegment((params as Record<string, unknown>)[name]))
  return { method: method as Method, path: filled, names: names?.split('&') ?? [], words, shape }
}

function toSegment(id: unknown): string {
  // These would address another operation.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`)
  return encodeURIComponent(id)
}
