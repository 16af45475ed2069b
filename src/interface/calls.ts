import type { Operations } from './generated/types.js'

// A route is one text: method, path with the names of its query, then `json` or `bytes` for what it takes, and `list`,
// `page` or `stream` for what it answers, which is else an object. A call takes its parameters, query and body from it
// and from Operations.

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

/** The method of a route, its path with the parameters, each as one segment, and the shape of its answer. */
export function readRoute(route: string, params: object): { method: Method; path: string; shape: Shape } {
  const [method, path = '', ...rest] = route.split(' ')
  const shape = (['list', 'page', 'stream'] as const).find((each) => rest.includes(each))
  const filled = path
    .replace(/\?.*/, '')
    .replaceAll(/\{(\w+)\}/g, (_, name) => toSegment((params as Record<string, unknown>)[name]))
  return { method: method as Method, path: filled, shape: shape ?? 'object' }
}

function toSegment(id: unknown): string {
  // These would address another operation.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} is not an id`)
  return encodeURIComponent(id)
}
