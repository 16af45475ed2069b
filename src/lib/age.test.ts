import { Decrypter, Encrypter } from 'age-encryption'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startProcessorTime } from '../../test/processor-time.js'
import { inLongSuite, runs } from '../../test/runs.js'
import { decryptUnderPassphrase, encryptUnderPassphrase } from './age.js'

const PASSPHRASE = 'correct horse battery'
/** The format defines it: 64 KiB and the tag. */
const CHUNK = 64 * 1024 + 16
const PLAIN = Buffer.from(Array.from({ length: 5 * 64 * 1024 + 4_321 }, (_, index) => (index * 7 + (index >> 8)) & 255))

/** A file that the library writes for a passphrase with little work, because each attack costs a run of scrypt. */
let whole: Buffer
let headerBytes: number
beforeAll(async () => {
  whole = await encryptCheaply(PLAIN)
  headerBytes = whole.indexOf('\n', whole.indexOf('\n---') + 1) + 1
})

async function encryptCheaply(plain: Buffer, passphrase = PASSPHRASE): Promise<Buffer> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(2)
  return Buffer.from(await encrypter.encrypt(plain))
}

/** In pieces of a size that does not match the format's. */
async function* inPieces(bytes: Buffer, size = 10_007): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function decrypt(bytes: Buffer | AsyncIterable<Uint8Array>, passphrase = PASSPHRASE): Promise<Buffer> {
  const source = Buffer.isBuffer(bytes) ? inPieces(bytes) : bytes
  const out: Buffer[] = []
  for await (const piece of decryptUnderPassphrase(source, passphrase)) out.push(piece)
  return Buffer.concat(out)
}

/** The error of the refusal. Everything returned before it must be a beginning of the plaintext. */
async function refusal(bytes: Buffer, passphrase = PASSPHRASE): Promise<unknown> {
  let given = 0
  try {
    for await (const piece of decryptUnderPassphrase(inPieces(bytes), passphrase)) {
      expect(piece.equals(PLAIN.subarray(given, given + piece.length))).toBe(true)
      given += piece.length
    }
  } catch (error) {
    return (error as { reason?: string }).reason ?? error
  }
  return undefined
}

const chunk = (index: number): Buffer => {
  const from = headerBytes + 16 + index * CHUNK
  return whole.subarray(from, Math.min(from + CHUNK, whole.length))
}
const before = (): Buffer => whole.subarray(0, headerBytes + 16)
const CHUNKS = 6

describe('a stream with a passphrase', () => {
  test.runIf(inLongSuite())('can be opened again, also with only the library of the format', async () => {
    const out: Buffer[] = []
    const sink = await encryptUnderPassphrase(PASSPHRASE, async (bytes) => void out.push(Buffer.from(bytes)))
    expect(out).toEqual([])
    for await (const piece of inPieces(PLAIN)) await sink.write(piece)
    await sink.end()
    const made = Buffer.concat(out)
    expect(made.toString('latin1', 0, 30)).toBe('age-encryption.org/v1\n-> scryp')
    expect(made.includes(PLAIN.subarray(0, 16))).toBe(false)
    expect((await decrypt(made)).equals(PLAIN)).toBe(true)
    const decrypter = new Decrypter()
    decrypter.addPassphrase(PASSPHRASE)
    expect(Buffer.from(await decrypter.decrypt(made)).equals(PLAIN)).toBe(true)
    expect((await decrypt(whole)).equals(PLAIN)).toBe(true)
  })

  test('cannot be opened with a bit changed anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(7), async (at, bit) => {
        const changed = Buffer.from(whole)
        changed[at]! ^= 1 << bit
        expect(await refusal(changed)).toMatch(/damaged|passphrase|cost/)
      }),
      { numRuns: runs(10, 60) },
    )
    // The header is small: this tries each of its bytes, and those of the nonce and of the first tag.
    for (const at of [...Array(headerBytes + 20).keys(), headerBytes + 16 + CHUNK - 1, whole.length - 1]) {
      const changed = Buffer.from(whole)
      changed[at]! ^= 1
      expect(await refusal(changed), `byte ${at}`).toMatch(/damaged|passphrase|cost/)
    }
  })

  test('cannot be opened with chunks swapped, omitted, repeated or taken from another stream', async () => {
    const chunks = [...Array(CHUNKS).keys()].map(chunk)
    const assembled = (order: number[]): Buffer => Buffer.concat([before(), ...order.map((index) => chunks[index]!)])
    expect(assembled([0, 1, 2, 3, 4, 5]).equals(whole)).toBe(true)
    for (const order of [[1, 0, 2, 3, 4, 5], [0, 1, 3, 2, 4, 5], [0, 1, 2, 4, 5], [0, 0, 1, 2, 3, 4, 5], [5], []]) {
      expect(await refusal(assembled(order)), String(order)).toBe('damaged')
    }
    const another = await encryptCheaply(PLAIN)
    const spliced = Buffer.concat([
      whole.subarray(0, headerBytes + 16 + CHUNK),
      another.subarray(headerBytes + 16 + CHUNK),
    ])
    expect(await refusal(spliced)).toBe('damaged')
    expect(await refusal(Buffer.concat([another.subarray(0, headerBytes), whole.subarray(headerBytes)]))).toBe(
      'damaged',
    )
  })

  test('cannot be opened if truncated anywhere, even at the end of a chunk, or with more at its end', async () => {
    const ends = [...Array(CHUNKS).keys()].map((index) => headerBytes + 16 + index * CHUNK)
    for (const length of [...ends, 0, 10, headerBytes - 1, headerBytes, headerBytes + 5, whole.length - 1]) {
      expect(await refusal(whole.subarray(0, length)), `cut to ${length}`).toBe('damaged')
    }
    for (const more of [Buffer.from('x'), Buffer.alloc(16), chunk(CHUNKS - 1), chunk(1), whole]) {
      expect(await refusal(Buffer.concat([whole, more]))).toBe('damaged')
    }
  })

  test('cannot be opened with another passphrase, and a passphrase may be written in several ways', async () => {
    expect(await refusal(whole, 'correct horse batterz')).toBe('passphrase')
    const composed = await encryptCheaply(PLAIN, 'caf\u00e9 cr\u00e8me br\u00fbl\u00e9e')
    expect((await decrypt(composed, 'cafe\u0301 cre\u0300me bru\u0302le\u0301e')).equals(PLAIN)).toBe(true)
  })

  test('that demands too much work, or has another header, is refused at once', async () => {
    const header = whole.toString('latin1', 0, headerBytes)
    const rest = whole.subarray(headerBytes)
    const withHeader = (text: string): Promise<unknown> => refusal(Buffer.concat([Buffer.from(text, 'latin1'), rest]))
    const passed = startProcessorTime()
    for (const factor of ['21', '30', '64', '999'])
      expect(await withHeader(header.replace(/ 2\n/, ` ${factor}\n`))).toBe('cost')
    for (const factor of ['0', '-1', '1e3', '99999999999999', '02', '2 2']) {
      expect(await withHeader(header.replace(/ 2\n/, ` ${factor}\n`)), factor).toBe('damaged')
    }
    expect(await withHeader(header.replace('scrypt', 'X25519'))).toBe('damaged')
    const stanza = /-> scrypt[\s\S]*(?=---)/.exec(header)![0]
    expect(await withHeader(header.replace(stanza, stanza + stanza))).toBe('damaged')
    expect(passed()).toBeLessThan(5_000)
  })

  test('with an endless header is not read into memory', async () => {
    let read = 0
    async function* endless(): AsyncGenerator<Buffer> {
      yield Buffer.from('age-encryption.org/v1\n-> scrypt ')
      for (; read < 10_000; read++) yield Buffer.alloc(1024, 'a')
    }
    await expect(decrypt(endless())).rejects.toMatchObject({ reason: 'damaged' })
    expect(read).toBeLessThan(50)
  })

  test('passes on the errors of its reader and its source, and ends the source', async () => {
    const full = new Error('full')
    let received = 0
    const sink = await encryptUnderPassphrase(PASSPHRASE, async (bytes) => {
      received += bytes.length
      if (received > 100_000) throw full
    })
    const writing = async (): Promise<void> => {
      for await (const piece of inPieces(PLAIN)) await sink.write(piece)
      await sink.end()
    }
    await expect(writing()).rejects.toBe(full)
    await sink.abort(full)

    const broken = Object.assign(new Error('read'), { syscall: 'read' })
    let isEnded = false
    async function* source(): AsyncGenerator<Buffer> {
      try {
        yield whole.subarray(0, 100_000)
        throw broken
      } finally {
        isEnded = true
      }
    }
    await expect(decrypt(source())).rejects.toBe(broken)
    expect(isEnded).toBe(true)
    isEnded = false
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        yield* inPieces(whole)
      } finally {
        isEnded = true
      }
    }
    for await (const _ of decryptUnderPassphrase(endless(), PASSPHRASE)) break
    expect(isEnded).toBe(true)
  })
})
