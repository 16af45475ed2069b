import { randomBytes } from 'node:crypto'
import dns, { type LookupAddress, type LookupAllOptions } from 'node:dns'
import { readFileSync } from 'node:fs'
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type S3Server, startS3Server } from '../../../test/s3-server.js'
import type { S3Config, S3Place } from '../../config/backup.js'
import { StorageError } from './backup-storage.js'
import { openS3 } from './s3.js'
import { addressOf, KNOWN_HOSTS } from './s3-address.js'

const PART_BYTES = 64 * 1024

let server: S3Server
let freePort: string
beforeAll(async () => {
  const gone = await startS3Server()
  freePort = new URL(gone.url).port
  await gone.close()
})
beforeEach(async () => {
  server = await startS3Server()
  server.partBytesMin = PART_BYTES
})
afterEach(() => server.close())

const configOf = (more: Partial<S3Config> = {}): S3Config => ({
  ...{ endpoint: server.url, pathStyle: 'auto', region: server.region, keyId: server.keyId, secret: server.secret },
  ...more,
})
const bucketOf = (): S3Place => ({ bucket: server.bucket, prefix: 'here/' })

const waits: number[] = []
/** Waits are recorded, and end at once. */
const open = ({ place = bucketOf(), ...more }: Partial<S3Config & { place: S3Place }> = {}, requestMs = 5_000) => {
  waits.length = 0
  return openS3(configOf(more), place, { requestMs, partBytes: PART_BYTES, wait: async (ms) => void waits.push(ms) })
}

const storeOne = (name: string, content: Buffer, storage = open()) =>
  storage.write(name, async (write) => {
    for (let from = 0; from < content.length; from += 10_000) await write(content.subarray(from, from + 10_000))
    return 'filled'
  })

async function contentOf(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const read: Uint8Array[] = []
  for await (const part of parts) read.push(part)
  return Buffer.concat(read)
}

const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  expect(error).toBeInstanceOf(StorageError)
  return (error as Error).message
}

const LARGE = randomBytes(2 * PART_BYTES + 1_234)

describe('a bucket', () => {
  test.each([
    ['one byte', 1],
    ['exactly one part', PART_BYTES],
    ['one byte more', PART_BYTES + 1],
    ['exactly two parts', 2 * PART_BYTES],
    ['more', LARGE.length],
  ])('stores a backup of %s as it was written, and nothing else', async (_what, bytes) => {
    const content = LARGE.subarray(0, bytes)
    const storage = open()
    expect(await storeOne('a.backup', content, storage)).toEqual({ bytes, result: 'filled' })
    expect([...server.objects.keys()]).toEqual(['here/a.backup'])
    expect(server.objects.get('here/a.backup')!.equals(content)).toBe(true)
    expect(server.uploads.size).toBe(0)
    expect((await contentOf(storage.read('a.backup'))).equals(content)).toBe(true)
    expect([await storage.has('a.backup'), await storage.has('b.backup')]).toEqual([true, false])
  })

  test('lists its own backups over all pages, and not objects deeper or beside them', async () => {
    const names = Array.from({ length: 7 }, (_, n) => `here/${n}.backup`)
    for (const key of [...names, 'here/deeper/x.backup', 'hereafter/y.backup', 'z.backup']) {
      server.objects.set(key, Buffer.alloc(3))
    }
    server.pageKeys = 2
    const expected = names.map((key) => ({ name: key.slice('here/'.length), bytes: 3 }))
    expect(await open().list()).toEqual(expected)
    expect((await open({ place: { bucket: server.bucket, prefix: '' } }).list()).map(({ name }) => name)).toEqual([
      'z.backup',
    ])
    await open().remove('0.backup')
    expect(await open().list()).toEqual(expected.slice(1))
  })

  test('never lists half a backup: not while it is written, and not if that fails', async () => {
    const storage = open()
    const seen: number[] = []
    const writing = storage.write('a.backup', async (write) => {
      await write(LARGE)
      seen.push((await storage.list()).length, server.uploads.size)
      throw new Error('the database went away')
    })
    await expect(writing).rejects.toThrow('the database went away')
    expect(seen).toEqual([0, 1])
    expect(await storage.list()).toEqual([])
    expect(server.uploads.size).toBe(0)
  })

  test('loses the leftovers of a killed process at the next cleanup, only under its own names', async () => {
    for (const key of ['here/x.backup', 'here/y.other', 'elsewhere/x.backup']) {
      server.uploads.set(key, { key, parts: new Map() })
    }
    expect(await open().removeUnfinished(/\.backup$/)).toEqual(['x.backup (unfinished)'])
    expect([...server.uploads.keys()]).toEqual(['here/y.other', 'elsewhere/x.backup'])
  })

  test('is written in bounded memory: at most two parts are unacknowledged', async () => {
    const block = Buffer.alloc(PART_BYTES / 4, 7)
    const stored = (): number =>
      [...server.uploads.values()]
        .flatMap(({ parts }) => [...parts.values()])
        .reduce((sum, part) => sum + part.length, 0)
    let most = 0
    await open().write('a.backup', async (write) => {
      for (let blocks = 1; blocks <= 200; blocks++) {
        await write(block)
        most = Math.max(most, blocks * block.length - stored())
      }
    })
    expect(most).toBeGreaterThan(PART_BYTES)
    expect(most).toBeLessThanOrEqual(2 * PART_BYTES)
  })
})

describe('finding the bucket', () => {
  /** Every host name leads to the server. */
  const at = (host: string): string => {
    const lookup = ((_host, options, answer) =>
      (options as LookupAllOptions).all
        ? answer(null, [{ address: '127.0.0.1', family: 4 }])
        : (answer as unknown as (error: null, address: string, family: number) => void)(null, '127.0.0.1', 4)) as (
      host: string,
      options: LookupAllOptions,
      answer: (error: null, addresses: LookupAddress[]) => void,
    ) => void
    const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup)
    onTestFinished(() => spy.mockRestore())
    return `http://${host}:${new URL(server.url).port}`
  }

  test.each<[host: string, S3Config['pathStyle'], domain: string | undefined]>([
    ['backups.example.com', 'auto', undefined],
    ['backups.example.com', 'on', undefined],
    ['storage.example.com', 'auto', undefined],
    ['storage.example.com', 'off', 'storage.example.com'],
    ['backups.storage.example.com', 'off', 'storage.example.com'],
    ['backups.backups.example.com', 'off', 'backups.example.com'],
    ['s3.eu-test-1.amazonaws.com', 'auto', undefined],
    ['backups.s3.eu-test-1.amazonaws.com', 'auto', 's3.eu-test-1.amazonaws.com'],
    ['backups.fra1.digitaloceanspaces.com', 'auto', 'fra1.digitaloceanspaces.com'],
  ])('at %s with BACKUP_S3_PATH_STYLE=%s', async (host, pathStyle, domain) => {
    server.domain = domain
    const storage = open({ endpoint: at(host), pathStyle })
    await storage.check()
    await storeOne('a.backup', LARGE, storage)
    expect([...server.objects.keys()]).toEqual(['here/a.backup'])
    expect(await storage.list()).toEqual([{ name: 'a.backup', bytes: LARGE.length }])
  })

  test.each([
    ['backups', 'https://backups.example.com', 'https://backups.example.com/backups'],
    ['backups', 'https://backups.s3.example.com', 'https://backups.s3.example.com/backups'],
    ['s3', 'https://s3.eu-central-1.amazonaws.com', 'https://s3.eu-central-1.amazonaws.com/s3'],
    ['fra1', 'https://fra1.digitaloceanspaces.com', 'https://fra1.digitaloceanspaces.com/fra1'],
    ['minio', 'https://minio.example.com:9000', 'https://minio.example.com:9000/minio'],
    ['127', 'http://127.0.0.1:9000', 'http://127.0.0.1:9000/127'],
    ['acme', 'https://acme.s3.amazonaws.com', 'https://acme.s3.amazonaws.com'],
    ['acme', 'https://acme.s3.dualstack.us-east-1.amazonaws.com', 'https://acme.s3.dualstack.us-east-1.amazonaws.com'],
    ['acme.co', 'https://acme.co.s3-us-west-2.amazonaws.com', 'https://acme.co.s3-us-west-2.amazonaws.com'],
    ['acme', 'https://acme.s3.us-west-004.backblazeb2.com', 'https://acme.s3.us-west-004.backblazeb2.com'],
    ['acme', `https://acme.${'0a'.repeat(16)}.eu.r2.cloudflarestorage.com`, undefined],
    [
      '0a'.repeat(16),
      `https://${'0a'.repeat(16)}.r2.cloudflarestorage.com`,
      `https://${'0a'.repeat(16)}.r2.cloudflarestorage.com/${'0a'.repeat(16)}`,
    ],
    ['acme', 'https://acme.s3.amazonaws.com.example.com', 'https://acme.s3.amazonaws.com.example.com/acme'],
  ])('%s at %s without the setting', (bucket, endpoint, address = endpoint) => {
    expect(addressOf({ endpoint, pathStyle: 'auto' }, bucket)).toBe(address)
  })

  test('at another storage, the host of the bucket gets a sentence that names the setting', async () => {
    server.domain = 'storage.example.com'
    const endpoint = at('backups.storage.example.com')
    expect(await messageOf(open({ endpoint }).check())).toMatch(
      /^There is no bucket backups at .*, or BACKUP_S3_PATH_STYLE=off if this host already names the bucket\.$/,
    )
  })

  test('docs/backup.md lists the storages with known hosts', () => {
    const text = readFileSync('docs/backup.md', 'utf8').replaceAll(/\s+/g, ' ')
    expect(text).toContain(`at ${Object.keys(KNOWN_HOSTS).join(', ')}, the host`)
  })
})

describe('a bucket with faults', () => {
  /** The fault affects the first requests of an operation, this many times. */
  const failing = (operation: string, fault: NonNullable<ReturnType<S3Server['fault']>>, times = 1): void => {
    let left = times
    server.fault = (request) => (request.operation === operation && left-- > 0 ? fault : undefined)
  }

  test.each([
    ['PUT uploadId', { status: 500, code: 'InternalError' }],
    ['PUT uploadId', { status: 503, code: 'SlowDown' }],
    ['PUT uploadId', 'cut'],
    ['POST uploads', 'cut'],
    ['POST uploadId', { status: 500, code: 'InternalError' }],
    ['HEAD object', 'cut'],
  ] as const)('succeeds when %s fails three times by %j', async (operation, fault) => {
    failing(operation, fault, 3)
    await storeOne('a.backup', LARGE)
    expect(server.objects.get('here/a.backup')!.equals(LARGE)).toBe(true)
    expect(waits).toEqual([1_000, 2_000, 4_000])
    expect(server.uploads.size).toBe(0)
  })

  test('gives up after the fourth failure, and leaves no part', async () => {
    failing('PUT uploadId', { status: 503, code: 'SlowDown' }, 4)
    expect(await messageOf(storeOne('a.backup', LARGE))).toMatch(
      /answered 503 SlowDown: see its log, or try again later\.$/,
    )
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
  })

  test('does not accept a 200 with an error, and does not treat a lost response as a failure', async () => {
    failing('POST uploadId', { status: 200, body: '<Error><Code>InternalError</Code></Error>' })
    expect(await messageOf(storeOne('a.backup', LARGE))).toMatch('did not join the parts')
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
    let times = 0
    server.fault = ({ operation }) => {
      if (operation !== 'POST uploadId' || ++times > 1) return undefined
      // The parts are joined, and the response is lost.
      const [[id, upload]] = [...server.uploads] as [[string, { key: string; parts: Map<number, Buffer> }]]
      server.objects.set(upload.key, Buffer.concat([...upload.parts.values()]))
      server.uploads.delete(id)
      return 'cut'
    }
    expect(await storeOne('a.backup', LARGE)).toMatchObject({ bytes: LARGE.length })
    expect(server.objects.get('here/a.backup')!.equals(LARGE)).toBe(true)
  })

  test('continues reading where a connection was cut, but not in another object', async () => {
    await storeOne('a.backup', LARGE)
    failing('GET object', 'half', 3)
    expect((await contentOf(open().read('a.backup'))).equals(LARGE)).toBe(true)
    failing('GET object', 'half')
    const reading = open().read('a.backup')[Symbol.asyncIterator]()
    await reading.next()
    server.objects.set('here/a.backup', randomBytes(LARGE.length))
    const rest = (async () => {
      while (!(await reading.next()).done);
    })()
    expect(await messageOf(rest)).toBe('a.backup was replaced in s3://backups/here/ while it was read: try again.')
  })

  test('a silent one is abandoned in time', async () => {
    server.fault = () => 'hang'
    const storage = open({}, 50)
    expect(await messageOf(storage.list())).toBe(
      `The storage at ${new URL(server.url).host} did not answer in time: check the network, or try again later.`,
    )
    expect(await messageOf(contentOf(storage.read('a.backup')))).toMatch('did not answer in time')
    expect(waits).toEqual([...[1_000, 2_000, 4_000], ...[1_000, 2_000, 4_000]])
  })
})

describe('errors are explained in one sentence, without a key', () => {
  const SECRET = 'hush-this-is-secret'
  /** Makes every request fail with a system error code, as fetch reports it. */
  function failFetch(code: string): Partial<S3Config> {
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code }) })
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    return { endpoint: 'https://storage.invalid' }
  }
  test.each<[string, () => Partial<S3Config & { place: S3Place }>, RegExp]>([
    ['another key', () => ({ keyId: 'AKIDOTHER' }), /does not know the key: set BACKUP_S3_KEY_ID/],
    ['another secret', () => ({ secret: SECRET }), /rejects the signature: set BACKUP_S3_SECRET/],
    [
      'another region',
      () => ({ region: 'us-east-1' }),
      /not in the region us-east-1: set BACKUP_S3_REGION to eu-test-1/,
    ],
    [
      'no such bucket',
      () => ({ place: { bucket: 'other', prefix: '' } }),
      /no bucket other at 127\.0\.0\.1:\d+: create it/,
    ],
    ['nobody listening', () => ({ endpoint: `http://127.0.0.1:${freePort}` }), /cannot be reached \(ECONNREFUSED\)/],
    ['no such host', () => failFetch('ENOTFOUND'), /storage\.invalid cannot be reached \(ENOTFOUND\)/],
    [
      'TLS where there is none',
      () => ({ endpoint: server.url.replace('http', 'https') }),
      /cannot be reached \(\w+\): correct BACKUP_S3_ENDPOINT/,
    ],
    [
      'an unknown authority',
      () => failFetch('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
      /certificate of the storage at storage\.invalid is not trusted here\. .*NODE_EXTRA_CA_CERTS/,
    ],
    [
      'an expired certificate',
      () => failFetch('CERT_HAS_EXPIRED'),
      /certificate of the storage at storage\.invalid has expired\. Renew/,
    ],
  ])('%s', async (_what, wrong, sentence) => {
    const message = await messageOf(open(wrong()).check())
    expect(message).toMatch(sentence)
    expect(message).not.toMatch(new RegExp(`${SECRET}|${server.secret.slice(0, 8)}|AKID`))
    expect(message.split('\n')).toHaveLength(1)
  })

  test('the clock, the rights, a full storage, and a missing backup', async () => {
    server.aheadMs = 16 * 60_000
    expect(await messageOf(open().check())).toMatch(/clock of this machine is off .* NTP/)
    server.aheadMs = 0
    server.fault = ({ operation }) => (operation === 'POST uploads' ? { status: 403, code: 'AccessDenied' } : undefined)
    expect(await messageOf(open().check())).toBe(
      'The key is not allowed to do this in s3://backups/here/: let it list, read, write and delete there.',
    )
    expect(waits).toEqual([])
    server.fault = ({ operation }) => (operation === 'PUT object' ? { status: 507 } : undefined)
    expect(await messageOf(storeOne('a.backup', Buffer.alloc(9)))).toMatch('is full: free some space')
    server.fault = () => ({ status: 301, body: '' })
    expect(await messageOf(open().list())).toMatch('set BACKUP_S3_REGION to the region of the bucket')
    server.fault = () => undefined
    expect(await messageOf(contentOf(open().read('a.backup')))).toBe(
      'There is no a.backup in s3://backups/here/: `greenroom backup list` shows those that exist.',
    )
  })

  test('a check writes and leaves nothing', async () => {
    await open().check()
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
    expect(server.requests).toEqual([
      'GET list-type ',
      'POST uploads here/greenroom-look',
      'DELETE uploadId here/greenroom-look',
    ])
  })
})
