import { bodyOf, type Operation, type Parameter, pathOf } from './document.ts'

/** The kinds of callers, by the credentials that a surface expects in the headers. */
export type Caller = 'key' | 'earlierKey' | 'token'

const CALLERS: Record<string, Caller> = { current: 'key', earlier: 'earlierKey' }

export const callerOf = ({ tag }: Operation): Caller => CALLERS[tag] ?? 'token'

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const HEADERS: Record<Caller, string[]> = {
  key: ['"x-api-key: $key"', '"x-date: $date"', '"x-signature: $signature"', "'x-api-version: 1'"],
  earlierKey: ['"x-api-key: $key"', '"x-date: $date"', '"x-signature: $signature"'],
  token: ['"authorization: Bearer $token"'],
}

const DATES: Partial<Record<Caller, string>> = {
  key: "date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')",
  earlierKey: "date=$(date -u '+%Y-%m-%dT%H:%M:%SZ')",
}

/** Returns the example as a bash command. `base` is the address of the service, without a trailing slash. */
export function curlOf(operation: Operation, base: string): string {
  const caller = callerOf(operation)
  const { method, parameters } = operation
  const [type, content] = bodyOf(operation)
  const shown = parameters.filter(({ example }) => example !== undefined)
  const examples = Object.fromEntries(shown.map(({ name, example }) => [name, String(example)]))
  const named = shown.filter((parameter) => parameter.in === 'header')
  const headers = [
    ...HEADERS[caller],
    ...named.map(({ name, example }) => quote(`${name.toLowerCase()}: ${example}`)),
    ...(type === undefined ? [] : [quote(`content-type: ${type}`)]),
  ]
  const example = content?.example
  const data = example === undefined ? '@file' : quote(typeof example === 'string' ? example : JSON.stringify(example))
  const date = DATES[caller]
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${quote(base + pathOf(operation, examples))}`,
    ...headers.map((header) => `-H ${header}`),
    ...(type === undefined ? [] : [`--data-binary ${data}`]),
  ]
  const signed =
    date === undefined
      ? ''
      : `${date}\nsignature=$(printf %s "$date" | openssl dgst -sha256 -hmac "$secret" -r | cut -d' ' -f1)\n`
  return `${signed}${lines.join(' \\\n  ')}\n`
}

/**
 * Returns the example as a call of the client. The document has those for keys; a call of /api follows from its parameters
 * and body.
 */
export function clientCallOf(operation: Operation): string {
  const { operationId, 'x-operation': name = operationId, 'x-codeSamples': [sample] = [], tag } = operation
  if (tag !== 'api' && sample !== undefined) return sample.source
  const given = (where: Parameter['in']) => {
    const shown = operation.parameters.filter((one) => one.in === where && one.example !== undefined)
    return Object.fromEntries(shown.map((one) => [one.name, one.example]))
  }
  const [type, content] = bodyOf(operation)
  const isJson = type === 'application/json'
  const parts = {
    ...given('path'),
    ...(Object.keys(given('query')).length > 0 && { query: given('query') }),
    ...(type !== undefined && { body: isJson ? (content?.example ?? {}) : BYTES }),
    ...(/ndjson|csv/.test(type ?? '') && { contentType: type }),
  }
  const { 'If-Match': ifMatch } = given('header')
  const input = [...(Object.keys(parts).length > 0 ? [parts] : []), ...(ifMatch === undefined ? [] : [{ ifMatch }])]
  return `api.call(${[`'${name}'`, ...input.map(toLiteral)].join(', ')})`
}

const BYTES = '<bytes>'

/**
 * Formats JSON as a literal in a program. A line that starts with a name and a colon is a member, because texts have no line
 * breaks.
 */
const toLiteral = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replaceAll(/^( *)"([a-zA-Z_]\w*)":/gm, '$1$2:')
    .replace(`"${BYTES}"`, 'bytes')
