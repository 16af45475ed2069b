/**
 * The requests of the fuzz: each is a correct request of an operation, made from openapi.json, with up to two odd parts.
 */
import fc from 'fast-check'
import { documentOf, followed, operationsIn } from '../documents.js'

/**
 * A request as text. `«kind:n»` is a placeholder for an object of the world (world.ts), such as the id of a post; the
 * number selects one of the existing objects, so that the same seed makes the same request.
 */
export interface FuzzRequest {
  operation: DescribedOperation
  method: string
  url: string
  /** Replaces the headers that the caller sends, or omits them if undefined. */
  headers: Record<string, string | undefined>
  body: string | undefined
  /** The platform's fault during the request. */
  fault: 'reset' | 'reset-in-body' | 'stuck-cursor' | undefined
}

/** An operation of openapi.json. */
export interface DescribedOperation {
  operationId: string
  method: string
  path: string
  parameters: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  maximum?: number
  maxLength?: number
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Draft = Omit<FuzzRequest, 'url' | 'body'> & {
  params: Record<string, string>
  query: [name: string, value: string][]
  /** Text that is appended to the query. */
  tail: string
  /** An object is sent as JSON, a string as it is. */
  body: Json | undefined
  bodyText: string | undefined
}

const document = documentOf('all')

const describedOperations = operationsIn(document).map(
  (operation) =>
    ({
      ...operation,
      parameters: operation.parameters.map((parameter) => followed(parameter, document)),
    }) as unknown as DescribedOperation,
)

const { constant, constantFrom, nat, oneof, record, tuple } = fc

// Correct values come from the world, or have the form that their name requires.

const of = (...kinds: string[]): fc.Arbitrary<string> =>
  oneof(
    { weight: 20, arbitrary: tuple(constantFrom(...kinds), nat(99)).map(([kind, index]) => `«${kind}:${index}»`) },
    { weight: 1, arbitrary: constant('unknown') },
  )

const text = (lengthMax = 40): fc.Arbitrary<string> =>
  oneof(
    fc.string({ maxLength: lengthMax }),
    fc.string({ unit: 'grapheme', maxLength: lengthMax }),
    constant('Summer #sale'),
  )

const date = fc.integer({ min: -40, max: 1 }).map((days) => `«date:${days + 100}»`)
const instant = fc.integer({ min: -2, max: 60 }).map((days) => `«instant:${days + 100}»`)

const zone = constantFrom('Europe/Berlin', 'America/Sao_Paulo', 'UTC', 'Mars/Olympus')

const NAMED: Record<string, fc.Arbitrary<string>> = {
  organizationId: constantFrom('«organization:0»', '«organization:0»', '«organization:0»', '«organization:1»'),
  workspaceId: of('workspace'),
  channelId: of('page', 'account'),
  mediumId: of('page', 'account'),
  scheduledPostId: of('post'),
  conversationId: of('conversation'),
  cuid: of('person'),
  sourceId: of('source'),
  problemId: of('problem'),
  kind: constantFrom('userId', 'anonymousId', 'shopify', 'woocommerce'),
  search: constantFrom('😀', 'cu_t_3', 't_4', 'a', 'nobody'),
  creativeTemplateId: of('template'),
  keyId: of('key'),
  adAccountId: of('adAccount'),
  campaignId: of('campaign'),
  after: of('cursor'),
  startDate: date,
  endDate: date,
  scheduledFor: instant,
  scheduledFrom: instant,
  scheduledBefore: instant,
  expiresAt: instant,
  mail: constantFrom('ana@example.org', 'bo.müller@example.org', 'bo@example'),
  media: constantFrom('https://media.example/a.jpg', 'https://media.example/b.mp4', 'http://media.example/ü?x=1#y'),
  platformId: oneof(of('platformPage'), fc.stringMatching(/^[1-9]\d{0,31}$/)),
  currency: constantFrom('EUR', 'BRL', 'XXX', 'QQQ'),
  timezone: zone,
  timeZone: zone,
  accessToken: of('pageToken', 'adToken'),
}

function right(schema: Schema, name = ''): fc.Arbitrary<Json> {
  if (schema.$ref !== undefined) return right(followed(schema as Record<string, unknown>, document), name)
  if (schema.anyOf !== undefined) return oneof(...schema.anyOf.map((choice) => right(choice, name)))
  if (schema.enum !== undefined) return constantFrom(...(schema.enum as Json[]))
  if (Array.isArray(schema.type)) return oneof(...schema.type.map((type) => right({ ...schema, type }, name)))
  if (name === 'id' && schema.type === 'string') return fc.stringMatching(/^[\w-]{1,20}$/)
  const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined
  if (named !== undefined && schema.type === 'string') return named
  switch (schema.type) {
    case 'null':
      return constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const { minimum: min = -1_000_000, maximum: max = 10_000_000_000_000 } = schema
      return oneof(fc.integer({ min, max: Math.min(max, min + 100) }), fc.integer({ min, max }))
    }
    case 'string':
      return text(Math.min(schema.maxLength ?? 40, 40))
    case 'array':
      return fc.array(right(schema.items!), { maxLength: 3 })
    default:
      return schema.patternProperties === undefined
        ? rightObject(schema)
        : rightChannels(schema.patternProperties['.*']!)
  }
}

const rightObject = ({ properties = {}, required = [] }: Schema): fc.Arbitrary<Json> =>
  record(Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, right(member, name)])), {
    requiredKeys: required,
    noNullPrototype: true,
  })

/** Keyed by channel id, with the channel's mediumType. */
function rightChannels(schema: Schema): fc.Arbitrary<Json> {
  const channel = constantFrom(['page', 'FB_PAGE'] as const, ['account', 'INSTAGRAM_ACCOUNT'] as const).chain(
    ([kind, type]) =>
      tuple(of(kind), right(schema)).map(([id, entry]): [string, Json] => [
        id,
        entry !== null && typeof entry === 'object' && 'mediumType' in entry ? { ...entry, mediumType: type } : entry,
      ]),
  )
  return fc.array(channel, { maxLength: 3 }).map((entries) => Object.fromEntries(entries))
}

const conversation = record(
  {
    conversationId: oneof(of('conversation'), fc.stringMatching(/^t_\d{1,4}$/)),
    cuid: fc.stringMatching(/^cu_\d{1,4}$/),
    userName: text(),
    birthday: constantFrom('1990-05-04', '--02-29', '2001-13-01', ''),
    lastPurchaseTimestamp: nat(),
    lifetimeValue: fc.double(),
    vip: fc.boolean(),
  },
  { requiredKeys: ['conversationId', 'cuid'], noNullPrototype: true },
)

/** Lines of an import, in its two forms. */
const conversations = (type: string): fc.Arbitrary<string> =>
  fc
    .array(oneof({ weight: 9, arbitrary: conversation }, { weight: 1, arbitrary: oddValue() }), { maxLength: 20 })
    .map((lines) =>
      type === 'text/csv'
        ? [
            'conversationId,cuid,userName,birthday,lastPurchaseTimestamp,lifetimeValue',
            ...lines.map((line) => Object.values(line ?? {}).join(',')),
          ].join('\n')
        : lines.map(toText).join('\n'),
    )

function rightRequest(operation: DescribedOperation): fc.Arbitrary<Draft> {
  const { parameters, requestBody, method } = operation
  const [type, content] = Object.entries(requestBody?.content ?? {}).at(0) ?? []
  const types = Object.keys(requestBody?.content ?? {})
  const named = (where: string): Record<string, fc.Arbitrary<string>> =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === where)
        // The earlier variant has the post's `id` in the path.
        .map(({ name, schema }) => [
          name,
          where === 'path' && name === 'id' ? NAMED.scheduledPostId! : right(schema, name).map(String),
        ]),
    )
  const requiredKeys = parameters
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name }) => name)
  return record({
    params: record(named('path')),
    query: record(named('query'), { requiredKeys }),
    headers: record(
      Object.fromEntries(
        parameters
          .filter(({ in: where }) => where === 'header')
          .map(({ name }) => [name.toLowerCase(), RIGHT_HEADERS[name.toLowerCase()] ?? constant('x')]),
      ),
      { requiredKeys: [] },
    ),
    body: type === 'application/json' ? right(content!.schema) : constant(undefined),
    stream:
      type === undefined || type === 'application/json'
        ? constant(undefined)
        : constantFrom(...types).chain((chosen) => tuple(constant(chosen), conversations(chosen))),
  }).map(({ params, query, headers, body, stream }) => ({
    operation,
    method,
    params,
    query: Object.entries(query) as [string, string][],
    tail: '',
    headers: { ...headers, ...(stream === undefined ? {} : { 'content-type': stream[0] }) },
    body,
    bodyText: stream?.[1],
    fault: undefined,
  }))
}

const RIGHT_HEADERS: Record<string, fc.Arbitrary<string>> = {
  'if-match': constantFrom('«etag:0»', '«etag:0»', '«etag:0»', '"1-stale"'),
  'if-none-match': constantFrom('«etag:0»', 'W/«etag:0»', '"other", «etag:0»', '*'),
  'accept-encoding': constantFrom('br', 'gzip', 'gzip, br', 'identity', 'gzip;q=0, br;q=0.5'),
  'idempotency-key': fc.integer({ min: 0, max: 5 }).map((number) => `key-${number}`),
}

// Odd values.

/** Not only values: `«raw:…»` goes into JSON without its quotes. */
const oddValue = (): fc.Arbitrary<Json> =>
  oneof(
    constantFrom<Json>(
      null,
      true,
      false,
      '',
      ' ',
      [],
      {},
      [[]],
      [null],
      [{}],
      { a: { a: {} } },
      'null',
      'NaN',
      '5',
      'true',
    ),
    constantFrom(0, -1, 1.5, -0.1, 1e21, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 63, 8.64e15, -8.64e15),
    constantFrom(
      '«raw:1e400»',
      '«raw:-1e400»',
      '«raw:-0»',
      '«raw:123456789012345678901234567890»',
      '«raw:NaN»',
      '«raw:0x10»',
    ),
    oddText(),
    constantFrom<Json>({ toString: 1 }, { constructor: { prototype: {} } }, { $ref: '#' }, { length: 1e9 }),
    fc.integer({ min: 30, max: 5_000 }).map((depth) => `«raw:${'['.repeat(depth)}${']'.repeat(depth)}»`),
    fc.jsonValue() as fc.Arbitrary<Json>,
  )

const ODD_TEXTS = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00x',
  '😀',
  'e\u0301',
  '\u202e',
  '\ufeff',
  '\u2028',
  'ﷺ',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '$1',
  '--',
  '__proto__',
  'constructor',
  'toString',
  'undefined',
  '2026-02-30',
  '2026-11-20',
  '+275760-09-13T00:00:00.000Z',
  '2026-12-01T24:00:00Z',
  '2026-12-01T10:00:60Z',
  '-000001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  'javascript:alert(1)',
  'http://[::1',
  'FB_PAGE_',
  'act_',
  '999999999999999',
  '#',
  '##',
  '-1',
  '1e3',
  ' 1 ',
  '٣',
  '0x1',
  '18446744073709551616',
]

const oddText = (): fc.Arbitrary<string> =>
  oneof(
    constantFrom(...ODD_TEXTS),
    fc.string({ unit: 'binary', maxLength: 60 }),
    tuple(constantFrom('a', '😀', 'é', ' ', '#', '\u0301', '"'), constantFrom(201, 257, 2_049, 4_097, 70_000)).map(
      ([unit, times]) => unit.repeat(times),
    ),
  )

/** As it appears in a URL. */
const oddSegment = oneof(
  constantFrom(
    '%00',
    '%zz',
    '%',
    '%2F',
    '%2e%2e',
    '..',
    '.',
    '%ff',
    '%ED%A0%80',
    '%c0%af',
    '*',
    ';a=b',
    '%3Fa=b',
    '%23',
    '//',
    ':id',
  ),
  oddText().map((value) => encodeURIComponent(value.toWellFormed())),
)

const ODD_TAILS = [
  '&',
  '&&=',
  '&=x',
  '&unknown=1',
  '&__proto__=1',
  '&a[b]=c',
  '&%zz=1',
  '&limit=1&limit=2',
  '&%00=1',
  '&limit=%ff',
  '&compact',
]

const ODD_HEADERS: Record<string, fc.Arbitrary<string | undefined>> = {
  'if-match': constantFrom('*', '""', 'W/"1"', '"1"', '1', '"', '"1", "2"', ',,,', '"'.repeat(9_999)),
  'if-none-match': constantFrom('*', '""', 'W/', '"', '"a"'.repeat(3_000), ' '),
  'accept-encoding': constantFrom(
    '',
    '*',
    'br;q=2',
    'gzip;q=NaN',
    ';',
    ',',
    'identity;q=0',
    '*;q=0',
    'gzip,'.repeat(3_000),
  ),
  'idempotency-key': constantFrom('', ' ', 'x'.repeat(300), '🔑', '"quoted"', 'key-0'),
  'x-date': constantFrom(
    undefined,
    '',
    '0',
    'now',
    'Fri, 20 Nov 2026 09:00:00 +0000',
    '2026-11-20T09:00:00Z',
    '+275760-09-13',
    'ü',
  ),
  'x-api-version': constantFrom(undefined, '', '2', '1, 1', '01', ' 1'),
  'x-api-key': constantFrom(undefined, '', 'unknown', '\0', '__proto__', 'k'.repeat(9_000)),
  'x-signature': constantFrom(undefined, '', 'zz', '0'.repeat(64), 'é'.repeat(64), 'f'.repeat(9_000)),
  authorization: constantFrom(
    undefined,
    'Bearer',
    'Bearer  x',
    'Basic eDp5',
    'Bearer é',
    'bearer operator-token-of-the-tests',
  ),
  'content-type': constantFrom(
    undefined,
    '',
    'application/json; charset=utf-16',
    'APPLICATION/JSON;charset="',
    'text/plain',
    'text/csv',
    'application/x-ndjson',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    'application/vnd.api+json',
    '/',
    'application/json, text/csv',
  ),
  accept: constantFrom('', 'text/html', '*/*;q=x', 'application/xml'),
  'accept-version': constantFrom('1.x', ''),
  origin: constantFrom('null', 'https://evil.example'),
  'x-forwarded-for': constantFrom('1.2.3.4, ::1', '😀'),
  'x-request-id': constantFrom('mine', 'x'.repeat(5_000)),
  'x-http-method-override': constantFrom('DELETE', 'PUT'),
  'transfer-encoding': constantFrom('chunked', 'gzip'),
  connection: constantFrom('close', 'upgrade', 'x-api-key'),
  cookie: constantFrom('a=b; __proto__=c'),
}

const ODD_BODIES = [
  '',
  ' ',
  '{',
  '[]',
  'null',
  '"text"',
  '5',
  '{"a":1}x',
  '{"a":1,"a":2}',
  '\ufeff{}',
  '{"__proto__":1}',
  '{}\0',
  '{"a":"\\ud800"}',
]

/** Changes a draft in one odd way. */
const oddity: fc.Arbitrary<(draft: Draft) => Draft> = oneof(
  {
    weight: 6,
    arbitrary: tuple(constantFrom('replace', 'delete', 'add'), nat(), oddText(), oddValue()).map(toBodyOddity),
  },
  {
    weight: 1,
    arbitrary: oneof(constantFrom(...ODD_BODIES), fc.json()).map((bodyText) => (draft: Draft) => ({
      ...draft,
      bodyText,
    })),
  },
  {
    weight: 3,
    arbitrary: tuple(nat(), oddSegment).map(([index, value]) => (draft: Draft) => {
      const names = Object.keys(draft.params)
      return names.length === 0
        ? draft
        : { ...draft, params: { ...draft.params, [names[index % names.length]!]: `=${value}` } }
    }),
  },
  {
    weight: 4,
    arbitrary: tuple(nat(), constantFrom('replace', 'delete', 'twice'), oddText()).map(
      ([index, kind, value]) =>
        (draft: Draft) => {
          const names = draft.operation.parameters
            .filter((parameter) => parameter.in === 'query')
            .map(({ name }) => name)
          if (names.length === 0) return draft
          const name = names[index % names.length]!
          const others = draft.query.filter(([other]) => other !== name)
          if (kind === 'delete') return { ...draft, query: others }
          return {
            ...draft,
            query: [...(kind === 'twice' ? draft.query : others), [name, value]] as [string, string][],
          }
        },
    ),
  },
  { weight: 1, arbitrary: constantFrom(...ODD_TAILS).map((tail) => (draft: Draft) => ({ ...draft, tail })) },
  {
    weight: 4,
    arbitrary: constantFrom(...Object.keys(ODD_HEADERS)).chain((name) =>
      ODD_HEADERS[name]!.map((value) => (draft: Draft) => ({ ...draft, headers: { ...draft.headers, [name]: value } })),
    ),
  },
  {
    weight: 1,
    arbitrary: constantFrom('HEAD', 'OPTIONS', 'TRACE', 'PUT', 'POST', 'GET', 'DELETE', 'PATCH', 'PROPFIND').map(
      (method) => (draft: Draft) => ({ ...draft, method }),
    ),
  },
  {
    weight: 1,
    arbitrary: constantFrom('reset', 'reset-in-body', 'stuck-cursor').map((fault) => (draft: Draft) => ({
      ...draft,
      fault,
    })),
  },
)

function toBodyOddity([kind, index, key, value]: [string, number, string, Json]): (draft: Draft) => Draft {
  return (draft) => {
    if (draft.body === undefined) return draft
    const body = { root: structuredClone(draft.body) }
    const places = placesIn(body)
    const [parent, name] = places[index % places.length]!
    const target = parent as Record<string, Json>
    if (kind === 'replace') target[name] = value
    else if (kind === 'delete') delete target[name]
    else {
      const member = target[name] ?? null
      const holder = (member !== null && typeof member === 'object' ? member : body.root) as Record<string, Json> | null
      // The key is defined instead of assigned, because it may be __proto__.
      if (holder !== null && typeof holder === 'object') {
        Object.defineProperty(holder, Array.isArray(holder) ? String(holder.length) : key, {
          value,
          enumerable: true,
          configurable: true,
        })
      }
    }
    return { ...draft, body: body.root }
  }
}

/** Returns every member of the value at any depth, each with the object that contains it. */
function placesIn(holder: object): [holder: object, name: string][] {
  return Object.entries(holder).flatMap(([name, member]): [object, string][] => [
    [holder, name],
    ...(member !== null && typeof member === 'object' ? placesIn(member as object) : []),
  ])
}

const toText = (value: Json | undefined): string => (JSON.stringify(value) ?? '').replaceAll(/"«raw:([^»]*)»"/g, '$1')

/** Returns a placeholder is not encoded: its value needs no encoding, or the world encodes it. */
const encode = (value: string): string =>
  value
    .split(/(«\w+:\d+»)/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part.toWellFormed())))
    .join('')

function toRequest({ params, query, tail, body, bodyText, ...draft }: Draft): FuzzRequest {
  const path = draft.operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]!
    return value.startsWith('=') ? value.slice(1) : encode(value)
  })
  const search = query.map(([name, value]) => `${name}=${encode(value)}`).join('&') + tail
  return {
    ...draft,
    url: search === '' ? path : `${path}?${search}`,
    body: bodyText ?? (body === undefined ? undefined : toText(body)),
  }
}

/** All operations are equally likely. A quarter of the requests are correct, most have one odd part, and some have two. */
export const fuzzRequest: fc.Arbitrary<FuzzRequest> = tuple(
  oneof(...describedOperations.map(rightRequest)),
  oneof(fc.array(oddity, { maxLength: 2 }), tuple(oddity)),
).map(([draft, oddities]) => toRequest(oddities.reduce((odd, change) => change(odd), draft)))
