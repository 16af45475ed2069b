import { createHash, createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A test's fault for a request: a response, a cut or silent connection, or half an object. */
type Fault = { status: number; code?: string; body?: string } | 'cut' | 'hang' | 'half'

export interface S3Server {
  url: string
  bucket: string
  keyId: string
  secret: string
  region: string
  /** Objects by key. */
  objects: Map<string, Buffer>
  /** The uploads that are neither complete nor abandoned, by id. */
  uploads: Map<string, { key: string; parts: Map<number, Buffer> }>
  /** Every request, such as `PUT key?partNumber`. */
  requests: string[]
  /** Called at each request; undefined lets the request pass. */
  fault: (request: { operation: string; key: string }) => Fault | undefined
  /** How far its clock is ahead. */
  aheadMs: number
  /** The maximum number of keys in a page of a list. */
  pageKeys: number
  /** Each host below this domain is a bucket; other hosts have buckets in their paths. */
  domain: string | undefined
  /** The minimum size of every part of an upload except the last; Amazon demands 5 MiB. */
  partBytesMin: number
  close(): Promise<void>
}

const SKEW_MS = 15 * 60_000

class S3Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly more = '',
  ) {
    super(code)
  }
}

/**
 * An S3-compatible storage in memory with one bucket. It checks signatures, the clock, the region, checksums and the
 * rules of multipart uploads as Amazon documents them. s3-swift.long.test.ts tries a real storage.
 */
export async function startS3Server(): Promise<S3Server> {
  const state: Omit<S3Server, 'url' | 'close'> = {
    bucket: 'backups',
    keyId: 'AKIDTEST',
    secret: 'a-secret/of+the-storage',
    region: 'eu-test-1',
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    fault: () => undefined,
    aheadMs: 0,
    pageKeys: 1_000,
    domain: undefined,
    partBytesMin: 5 * 1024 * 1024,
  }
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error) => {
      if (error instanceof S3Failure) fail(response, error)
      else response.destroy(error)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

function fail(response: ServerResponse, { status, code, more }: S3Failure): void {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>no</Message>${more}</Error>`,
  )
}

type State = Omit<S3Server, 'url' | 'close'>

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'http://storage')
  const [host = ''] = request.headers.host!.split(':')
  const inHost = host.endsWith(`.${state.domain}`) ? [host.slice(0, -`.${state.domain}`.length)] : []
  const [bucket = '', ...rest] = [...inHost, ...url.pathname.split('/').slice(1)]
  const key = decodeURIComponent(rest.join('/'))
  const flags = ['uploads', 'uploadId', 'list-type'].filter((name) => url.searchParams.has(name))
  const operation = `${request.method} ${flags.join(' ') || (key === '' ? 'bucket' : 'object')}`
  state.requests.push(`${operation} ${key}`)
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const fault = state.fault({ operation, key })
  if (fault === 'hang') return
  if (fault === 'cut') return void request.socket.destroy()
  if (typeof fault === 'object') {
    if (fault.body !== undefined) return void response.writeHead(fault.status).end(fault.body)
    throw new S3Failure(fault.status, fault.code ?? 'Fault')
  }
  checkSignature(state, request, url)
  if (bucket !== state.bucket) throw new S3Failure(404, 'NoSuchBucket')
  const md5 = request.headers['content-md5']
  if (md5 !== undefined && md5 !== hash('md5', body).toString('base64')) throw new S3Failure(400, 'BadDigest')
  const uploadId = url.searchParams.get('uploadId')
  if (key === '') return list(state, url, response)
  if (request.method === 'POST' && url.searchParams.has('uploads')) {
    const id = randomUUID()
    state.uploads.set(id, { key, parts: new Map() })
    return xml(response, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
  }
  if (uploadId !== null) return ofUpload(state, { uploadId, key, body, url, method: request.method! }, response)
  if (request.method === 'PUT') {
    state.objects.set(key, body)
    return void response.writeHead(200, { etag: etagOf(body) }).end()
  }
  if (request.method === 'DELETE') {
    state.objects.delete(key)
    return void response.writeHead(204).end()
  }
  return send(state, request, { key, half: fault === 'half' }, response)
}

function send(
  { objects }: State,
  { headers, method }: IncomingMessage,
  { key, half }: { key: string; half: boolean },
  response: ServerResponse,
): void {
  const content = objects.get(key)
  if (content === undefined) throw new S3Failure(404, 'NoSuchKey')
  const etag = etagOf(content)
  if (headers['if-match'] !== undefined && headers['if-match'] !== etag) throw new S3Failure(412, 'PreconditionFailed')
  const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? '') ?? []
  const sent = content.subarray(Number(from ?? 0))
  response.writeHead(from === undefined ? 200 : 206, { etag, 'content-length': sent.length })
  if (method === 'HEAD') return void response.end()
  if (!half) return void response.end(sent)
  response.write(sent.subarray(0, Math.ceil(sent.length / 2)), () => setTimeout(() => response.destroy(), 20))
}

function ofUpload(
  { objects, uploads, partBytesMin }: State,
  { uploadId, key, body, url, method }: { uploadId: string; key: string; body: Buffer; url: URL; method: string },
  response: ServerResponse,
): void {
  const upload = uploads.get(uploadId)
  if (upload === undefined || upload.key !== key) throw new S3Failure(404, 'NoSuchUpload')
  if (method === 'DELETE') {
    uploads.delete(uploadId)
    return void response.writeHead(204).end()
  }
  if (method === 'PUT') {
    const number = Number(url.searchParams.get('partNumber'))
    if (!(number >= 1 && number <= 10_000)) throw new S3Failure(400, 'InvalidArgument')
    upload.parts.set(number, body)
    return void response.writeHead(200, { etag: etagOf(body) }).end()
  }
  const named = [
    ...body.toString().matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>"?([^<"]+)"?<\/ETag><\/Part>/g),
  ]
  const parts = named.map(([, number, etag]) => {
    const part = upload.parts.get(Number(number))
    if (part === undefined || etagOf(part) !== `"${etag}"`) throw new S3Failure(400, 'InvalidPart')
    return part
  })
  if (parts.length === 0 || named.some(([, number], index) => Number(number) !== index + 1)) {
    throw new S3Failure(400, 'InvalidPartOrder')
  }
  if (parts.slice(0, -1).some((part) => part.length < partBytesMin)) throw new S3Failure(400, 'EntityTooSmall')
  const whole = Buffer.concat(parts)
  objects.set(key, whole)
  uploads.delete(uploadId)
  xml(response, `<CompleteMultipartUploadResult><ETag>${etagOf(whole)}</ETag></CompleteMultipartUploadResult>`)
}

function list({ objects, uploads, pageKeys }: State, { searchParams }: URL, response: ServerResponse): void {
  const prefix = searchParams.get('prefix') ?? ''
  if (searchParams.has('uploads')) {
    const found = [...uploads].filter(([, { key }]) => key.startsWith(prefix))
    const rows = found.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
    xml(response, `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`)
    return
  }
  if (searchParams.get('list-type') !== '2') throw new S3Failure(501, 'NotImplemented')
  const after = searchParams.get('continuation-token') ?? ''
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
  const isDeep = (key: string): boolean =>
    searchParams.get('delimiter') === '/' && key.slice(prefix.length).includes('/')
  const left = keys.filter((key) => !isDeep(key) && key > after)
  const page = left.slice(0, pageKeys)
  const folders = new Set(keys.filter(isDeep).map((key) => `${prefix}${key.slice(prefix.length).split('/')[0]}/`))
  const next = left.length > page.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
  const rows = page.map((key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)!.length}</Size></Contents>`)
  const prefixes = [...folders].map((folder) => `<CommonPrefixes><Prefix>${folder}</Prefix></CommonPrefixes>`)
  xml(
    response,
    `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${rows.join('')}${prefixes.join('')}${next}</ListBucketResult>`,
  )
}

const xml = (response: ServerResponse, body: string): void =>
  void response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>\n${body}`)

const hash = (name: string, content: Buffer | string): Buffer => createHash(name).update(content).digest()
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const etagOf = (content: Buffer): string => `"${hash('md5', content).toString('hex')}"`

/** AWS Signature Version 4, as Amazon's documentation computes it. */
function checkSignature(
  { keyId, secret, region, aheadMs }: State,
  { headers, method }: IncomingMessage,
  url: URL,
): void {
  const [, credential = '', signedHeaders = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const [givenKey, day = '', givenRegion = '', service, ending] = credential.split('/')
  if (signature === undefined || service !== 's3' || ending !== 'aws4_request') throw new S3Failure(403, 'AccessDenied')
  if (givenKey !== keyId) throw new S3Failure(403, 'InvalidAccessKeyId', `<AWSAccessKeyId>${givenKey}</AWSAccessKeyId>`)
  if (givenRegion !== region) {
    throw new S3Failure(400, 'AuthorizationHeaderMalformed', `<Region>${region}</Region>`)
  }
  const date = String(headers['x-amz-date'])
  const signedAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() + aheadMs - signedAt) < SKEW_MS)) throw new S3Failure(403, 'RequestTimeTooSkewed')
  const names = signedHeaders.split(';')
  // Amazon rejects its own headers and checksums if they are not signed.
  const own = Object.keys(headers).filter((name) => /^x-amz-|^content-md5$|^host$/.test(name))
  if (own.some((name) => !names.includes(name))) throw new S3Failure(403, 'AccessDenied')
  const percent = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const query = [...url.searchParams]
    .map(([name, value]) => `${percent(name)}=${percent(value)}`)
    .sort()
    .join('&')
  const canonical = [
    method,
    url.pathname,
    query,
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signedHeaders,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', date, scope, hash('sha256', canonical).toString('hex')].join('\n')
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request')
  if (hmac(key, text).toString('hex') !== signature) {
    throw new S3Failure(403, 'SignatureDoesNotMatch', `<StringToSign>${text}</StringToSign>`)
  }
}
