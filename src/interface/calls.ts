import type { Operations } from './generated/types.js'

// A route is a string: method, path with the names of its query parameters, then keywords for its body and answer.
// `json` or `bytes` is the body, and `bytes=` lists the content types to choose from. `if-match` accepts the version
// of a post, `if-match!` requires it, and `once` accepts an Idempotency-Key. The last keyword is `list`, `page` or
// `stream` if the response is not an object. Calls derive their parameters, query and body from the route and from
// Operations.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Shape = 'object' | 'list' | 'page' | 'stream'

export type TypesOf<Id> = Id extends keyof Operations ? Operations[Id] : never

type ParamsIn<Route> = Route extends `${string}{${infer Name}}${infer Rest}` ? Name | ParamsIn<Rest> : never

type Flag = 'true' | 'false'

/** The query as callers pass it: undefined values are left out, and flags may be booleans. */
type Sent<Query> = {
  [Name in keyof Query]: Query[Name] | (Exclude<Query[Name], undefined> extends Flag ? boolean : never) | undefined
}

type QueryOf<Types> = Types extends { query: infer Query }
  ? { query: Sent<Query> }
  : Types extends { query?: infer Query }
    ? { query?: Sent<Query> | undefined }
    : unknown

/** The input of a call: its parameters by name, its query and its JSON body. */
export type InputOf<Route, Id> = { [Name in ParamsIn<Route>]: string } & QueryOf<TypesOf<Id>> &
  Pick<TypesOf<Id>, keyof TypesOf<Id> & 'body'>

export type AnswerOf<Id> = TypesOf<Id> extends { answer: infer Answer } ? Answer : never

interface ReadRoute {
  method: Method
  /** The path with its parameters, each as one segment. */
  path: string
  /** The names of the query parameters. */
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
  // These ids would address another operation.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`)
  return encodeURIComponent(id)
}
