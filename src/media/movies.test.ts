import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATOR_TOKEN, type Reply, send, startTestApp, Tenant, type TestApp } from '../../test/harness.js'
import { box, movie, u32 } from '../../test/media.js'
import { startProcessorTime } from '../../test/processor-time.js'
import { KEPT_BOXES, KEPT_OF_CODEC, KEPT_TRACKS } from './movie-kept.js'

const PUBLIC_URL = 'https://greenroom.example/desk'
let directory: string
let app: TestApp
let tenant: Tenant
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'greenroom-movies-'))
  app = await startTestApp({ media: { dir: directory }, http: { publicUrl: PUBLIC_URL } })
  tenant = await Tenant.create(app)
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const upload = (status: number, file: Buffer, type = 'application/octet-stream'): Promise<Reply> =>
  send(app.app, status, 'POST', `/api/organizations/${tenant.organizationId}/media`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': type },
    body: file,
  })
const stored = async (file: Buffer): Promise<Buffer> => {
  const { body } = await upload(201, file)
  return (await app.app.inject({ url: body.url.slice(PUBLIC_URL.length) })).rawPayload
}
const durationOf = async (file: Buffer): Promise<number> => (await upload(201, file)).body.durationMs

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}
const full = (type: string, flags: number, ...content: Buffer[]): Buffer => box(type, u32(flags), ...content)
const V1 = 0x0100_0000
const ftyp = box('ftyp', Buffer.from('isom'), u32(0))

interface TrackOptions {
  handler?: string
  timescale?: number
  stbl?: Buffer[]
  more?: Buffer[]
  isLong?: boolean
}
/** A track of 320 by 240. */
function track(
  id: number,
  { handler = 'vide', timescale = 1000, stbl = [], more = [], isLong = false }: TrackOptions = {},
) {
  const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
  const size = u32(320 * 0x10000, 240 * 0x10000)
  return box(
    'trak',
    isLong
      ? box('tkhd', u32(V1), u64(1n), u64(1n), u32(id, 0), u64(0n), u32(0, 0, 0, 0), matrix, size)
      : box('tkhd', u32(0, 0, 0, id, 0, 0), u32(0, 0, 0, 0), matrix, size),
    box(
      'mdia',
      isLong
        ? box('mdhd', u32(V1), u64(1n), u64(1n), u32(timescale), u64(0n), u32(0))
        : box('mdhd', u32(0, 0, 0, timescale, 0, 0)),
      box('hdlr', u32(0, 0), Buffer.from(handler), u32(0, 0, 0), ...more),
      box('minf', box('stbl', ...stbl)),
    ),
  )
}
const mvhd = (duration = 0): Buffer => box('mvhd', u32(0, 0, 0, 1000, duration), Buffer.alloc(80))
const trex = (id: number, duration = 0, size = 0): Buffer => full('trex', 0, u32(id, 1, duration, size, 0))
const tfhd = (flags: number, id: number, ...values: number[]): Buffer => full('tfhd', flags, u32(id, ...values))
const BASE_IS_MOOF = 0x20000
const fragment = (...trafs: Buffer[]): Buffer =>
  box('moof', full('mfhd', 0, u32(1)), ...trafs.map((content) => box('traf', content)))

describe('the duration of a fragmented video', () => {
  const moov = (header: Buffer, mvex: Buffer, ...tracks: Buffer[]) => box('moov', header, ...tracks, box('mvex', mvex))
  const four = full('trun', 0, u32(4))
  const each = (...durations: number[]): Buffer => full('trun', 0x100, u32(durations.length, ...durations))

  test.each<[string, Buffer[], number]>([
    ['is in the mehd', [moov(mvhd(), full('mehd', 0, u32(4_000)), track(1))], 4_000],
    ['is in a mehd of 64 bits', [moov(mvhd(), full('mehd', V1, u64(4_000n)), track(1))], 4_000],
    [
      'is 1,000 units in the trex',
      [moov(mvhd(), trex(1, 1_000), track(1)), fragment(Buffer.concat([tfhd(BASE_IS_MOOF, 1), four]))],
      4_000,
    ],
    [
      'is 500 units in the tfhd',
      [
        moov(mvhd(), trex(1, 1), track(1)),
        fragment(Buffer.concat([tfhd(0x8, 1, 500), four])),
        fragment(Buffer.concat([tfhd(0x8, 1, 500), four])),
      ],
      4_000,
    ],
    [
      'is of each sample',
      [moov(mvhd(), trex(1), track(1)), fragment(Buffer.concat([tfhd(0, 1), each(1_262, 738), each(2_000)]))],
      4_000,
    ],
    [
      'is in the units of the track',
      [
        moov(mvhd(), trex(1), track(1, { timescale: 90_000, isLong: true })),
        fragment(Buffer.concat([tfhd(0, 1), each(180_000, 180_000)])),
      ],
      4_000,
    ],
    [
      'is that of the pictures, if sound and notes continue',
      [
        moov(
          mvhd(),
          Buffer.concat([trex(1), trex(2), trex(3)]),
          track(1),
          track(2, { handler: 'soun' }),
          track(3, { handler: 'meta' }),
        ),
        fragment(
          Buffer.concat([tfhd(0, 1), each(4_000)]),
          Buffer.concat([tfhd(0, 2), each(4_040)]),
          Buffer.concat([tfhd(0, 3), each(60_000)]),
        ),
      ],
      4_000,
    ],
    [
      'begins at any time, and includes what is missing',
      [
        moov(mvhd(), trex(1), track(1)),
        fragment(Buffer.concat([tfhd(0, 1), full('tfdt', V1, u64(900_000_000_000n)), each(1_000)])),
        fragment(Buffer.concat([tfhd(0, 1), full('tfdt', V1, u64(900_000_003_000n)), each(1_000)])),
      ],
      4_000,
    ],
    [
      'is that of the samples where the clock jumps',
      [
        moov(mvhd(), trex(1), track(1)),
        fragment(Buffer.concat([tfhd(0, 1), full('tfdt', 0, u32(0)), each(2_000)])),
        fragment(Buffer.concat([tfhd(0, 1), full('tfdt', V1, u64(900_000_000_000n)), each(2_000)])),
      ],
      4_000,
    ],
    [
      'is unknown in the header',
      [moov(mvhd(2 ** 32 - 1), trex(1), track(1)), fragment(Buffer.concat([tfhd(0, 1), each(4_000)]))],
      4_000,
    ],
    [
      'differs in the header',
      [moov(mvhd(9), trex(1), track(1)), fragment(Buffer.concat([tfhd(0, 1), each(4_000)]))],
      4_000,
    ],
    [
      'has an index after them',
      [fragment(Buffer.concat([tfhd(0, 1), each(4_000)])), moov(mvhd(), trex(1), track(1))],
      4_000,
    ],
    [
      'is in the index of segments',
      [
        moov(mvhd(), trex(1), track(1)),
        full('sidx', 0, u32(1, 1000, 0, 0, 2, 99, 1_500, 0, 99, 2_500, 0)),
        fragment(Buffer.concat([tfhd(0, 1), four])),
      ],
      4_000,
    ],
    [
      'continues after the samples of the index',
      [
        moov(mvhd(1_000), trex(1), track(1, { stbl: [full('stts', 0, u32(1, 10, 100))] })),
        fragment(Buffer.concat([tfhd(0, 1), full('tfdt', 0, u32(1_000)), each(3_000)])),
      ],
      4_000,
    ],
  ])('%s', async (_name, parts, expected) => {
    expect(await durationOf(Buffer.concat([ftyp, ...parts]))).toBe(expected)
  })

  test('is in the samples if the header says that it is unknown', async () => {
    const stbl = [full('stts', 0, u32(2, 10, 100, 1, 3_000))]
    expect(await durationOf(Buffer.concat([ftyp, box('moov', mvhd(2 ** 32 - 1), track(1, { stbl }))]))).toBe(4_000)
  })

  test('counts no run that is longer than its box', async () => {
    const cut = full('trun', 0x100, u32(2 ** 32 - 1, 1_000))
    const file = Buffer.concat([ftyp, moov(mvhd(), trex(1), track(1)), fragment(Buffer.concat([tfhd(0, 1), cut]))])
    expect((await upload(400, file)).body.message).toContain('The file is incomplete')
  })
})

describe('the stored part of a video', () => {
  const SECRET = 'GPS 48.8584 N'
  const secret = Buffer.from(SECRET)
  const picture = Buffer.from('picture!')
  const sound = Buffer.from('sound')
  /** Tables of one sample in one chunk at this place. */
  const oneSample = (at: number, bytes: number): Buffer[] => [
    full('stts', 0, u32(1, 1, 4_000)),
    full('stsc', 0, u32(1, 1, 1, 1)),
    full('stsz', 0, u32(0, 1, bytes)),
    full('stco', 0, u32(1, at)),
  ]

  test('has only the listed boxes, on any level and at the end of the file', async () => {
    const odd = ['free', 'skip', 'sefd', 'gps ', 'udta', 'meta', 'uuid', 'pnot', 'wide', 'emsg', 'prft'].map((type) =>
      box(type, secret),
    )
    const text = Buffer.concat(odd)
    const base = movie({ width: 320, height: 240, durationMs: 4_000, inMovie: odd, inTrack: odd })
    for (const tail of [text, Buffer.from(SECRET), Buffer.from('GPS')]) {
      const bytes = await stored(Buffer.concat([base, tail]))
      expect(bytes.toString('latin1')).not.toMatch(/GPS|sefd|gps |udta|meta|uuid|skip/)
      expect(bytes.indexOf('mdat')).toBe(base.indexOf('mdat'))
    }
    const wide = Buffer.concat([u32(1), Buffer.from('free'), u64(BigInt(16 + secret.length)), secret])
    expect((await stored(Buffer.concat([ftyp, wide, base.subarray(ftyp.length)]))).includes('GPS')).toBe(false)
  })

  test('has no name of a program or device, no time, and no path of another file', async () => {
    const time = 0xdddd_dddd
    const codec = box(
      'avc1',
      Buffer.alloc(42),
      Buffer.from(`\x0dGoPro encoder`.padEnd(32, '\0')),
      u32(0xffff),
      box('avcC', Buffer.from('codec')),
      box('uuid', secret),
    )
    const tables = [full('stsd', 0, u32(1), codec)]
    const header = box('mvhd', u32(0, time, time, 1000, 4_000), Buffer.alloc(80))
    const one = track(1, { stbl: tables, more: [Buffer.from('DJI.AVC\0')] })
    one.writeUInt32BE(time, one.indexOf('tkhd') + 8)
    one.writeUInt32BE(time, one.indexOf('mdhd') + 8)
    const dinf = box('dinf', full('dref', 0, u32(1), full('alis', 0, Buffer.from('/Users/ana/film.mov'))))
    const minf = one.indexOf('minf')
    const path = movie({
      width: 320,
      height: 240,
      durationMs: 4_000,
      inMovie: [box('trak', box('mdia', box('hdlr', u32(0, 0), Buffer.from('vide'), u32(0, 0, 0)), box('minf', dinf)))],
    })
    expect(minf).toBeGreaterThan(0)
    const bytes = await stored(Buffer.concat([ftyp, box('moov', header, one)]))
    expect(bytes.toString('latin1')).not.toMatch(/DJI|GoPro|GPS|uuid|\xdd/)
    expect(bytes.toString('latin1')).toMatch(/avcC.*codec/s)
    expect((await stored(path)).includes('ana')).toBe(false)
  })

  test.each([
    'meta',
    'text',
    'sbtl',
    'subt',
    'clcp',
    'tmcd',
    'camm',
    'data',
    '\0\0\0\0',
  ])('has nothing of a track of %j, and nothing between the samples of the others', async (handler) => {
    const data = Buffer.concat([Buffer.from('freeGPS '), picture, secret, sound, secret])
    const at = (what: Buffer): number => ftyp.length + 8 + data.indexOf(what)
    const index = box(
      'moov',
      mvhd(4_000),
      track(1, { stbl: oneSample(at(picture), picture.length) }),
      track(2, { handler: 'soun', stbl: oneSample(at(sound), sound.length) }),
      track(3, { handler, stbl: oneSample(at(secret), secret.length) }),
    )
    const bytes = await stored(Buffer.concat([ftyp, box('mdat', data), index]))
    expect(bytes.includes('GPS')).toBe(false)
    for (const kept of [picture, sound]) expect(bytes.indexOf(kept)).toBe(at(kept))
  })

  test('has the samples in several chunks, in 64-bit tables, of short sizes and of one size', async () => {
    const data = Buffer.from('AAbbb..CCCC..ddd!!ee')
    const at = (what: string): number => ftyp.length + 8 + data.indexOf(what)
    const co64 = (...places: string[]) =>
      full('co64', 0, u32(places.length), ...places.map((place) => u64(BigInt(at(place)))))
    const video = [
      full('stsc', 0, u32(2, 1, 2, 1, 2, 1, 1)),
      full('stz2', 0, u32(8, 3), Buffer.from([2, 3, 4])),
      co64('AA', 'CCCC'),
    ]
    const nibbles = [full('stsc', 0, u32(1, 1, 1, 1)), full('stz2', 0, u32(4, 1), Buffer.from([0x30])), co64('ddd')]
    const stereo = box('sowt', Buffer.alloc(16), Buffer.from([0, 1, 0, 16]), Buffer.alloc(8))
    const same = [
      full('stsd', 0, u32(1), stereo),
      full('stsc', 0, u32(1, 1, 1, 1)),
      full('stsz', 0, u32(1, 1)),
      co64('ee'),
    ]
    const index = box(
      'moov',
      mvhd(4_000),
      track(1, { stbl: video }),
      track(2, { stbl: nibbles }),
      track(3, { handler: 'soun', stbl: same }),
    )
    const bytes = await stored(Buffer.concat([ftyp, box('mdat', data), index]))
    expect(bytes.toString('latin1', ftyp.length + 8, ftyp.length + 8 + data.length)).toBe('AAbbb\0\0CCCC\0\0ddd\0\0ee')
  })

  test.each([
    ['by their own places', BASE_IS_MOOF],
    ['one after another', 0],
  ])('has the samples of fragments that are found %s, without those of other tracks', async (_how, flags) => {
    const run = (bytes: Buffer, offset?: number): Buffer =>
      full(
        'trun',
        0x300 + (offset === undefined ? 0 : 1),
        u32(1, ...(offset === undefined ? [] : [offset]), 4_000, bytes.length),
      )
    const made = (offsets: (number | undefined)[]): Buffer =>
      fragment(
        Buffer.concat([tfhd(flags, 1), run(picture, offsets[0])]),
        Buffer.concat([tfhd(flags, 3), run(secret, offsets[1])]),
        Buffer.concat([tfhd(flags, 2), run(sound, offsets[2])]),
      )
    const isByPlace = flags !== 0
    const size = made([0, ...(isByPlace ? [0, 0] : [])]).length + 8
    const places = [size, ...(isByPlace ? [size + picture.length, size + picture.length + secret.length] : [])]
    const index = box(
      'moov',
      mvhd(),
      ...[track(1), track(2, { handler: 'soun' }), track(3, { handler: 'meta' })],
      box('mvex', trex(1), trex(2), trex(3)),
    )
    const file = Buffer.concat([ftyp, index, made(places), box('mdat', picture, secret, sound)])
    const bytes = await stored(file)
    expect(bytes.includes('GPS')).toBe(false)
    for (const kept of [picture, sound]) expect(bytes.indexOf(kept)).toBe(file.indexOf(kept))
  })

  test('matches docs/media.md', () => {
    const rows = readFileSync('docs/media.md', 'utf8')
      .split('\n')
      .flatMap((line) =>
        (/^\| `(\w+)` \| (`.*`) \|$/.exec(line) ?? []).slice(1, 3).map((cell) => cell.replaceAll('`', '')),
      )
    const lists = Object.entries({ ...KEPT_BOXES, codec: KEPT_OF_CODEC, handler: KEPT_TRACKS })
    for (const [place, kept] of lists) expect(rows[rows.indexOf(place) + 1], place).toBe(kept.join(' '))
  })

  test('takes time that grows with the file, however its tables refer to one another', async () => {
    const timeOf = async (count: number): Promise<number> => {
      const chunks = Buffer.concat([u32(count), Buffer.alloc(count * 4, u32(ftyp.length + 8))])
      const all = [
        full('stsc', 0, u32(1, 1, 2 ** 32 - 1, 1)),
        full('stsz', 0, u32(2 ** 32 - 1, 1)),
        full('stco', 0, chunks),
      ]
      const runs = Buffer.alloc(count * 24, Buffer.concat([box('traf', tfhd(0, 1))]))
      const file = Buffer.concat([
        ftyp,
        box('mdat', picture),
        box('moov', mvhd(4_000), track(1, { stbl: all })),
        box('moof', runs),
      ])
      const passed = startProcessorTime()
      await upload(201, file)
      return passed()
    }
    await timeOf(100)
    expect(await timeOf(40_000)).toBeLessThan((await timeOf(5_000)) * 24 + 20_000)
  })
})

describe('a file that is not an accepted image or video', () => {
  const brand = (main: string, ...others: string[]): Buffer =>
    box('ftyp', Buffer.from(main), u32(0), ...others.map((other) => Buffer.from(other)))
  test.each<[string, Buffer, string]>([
    ...['heic', 'heix', 'hevc', 'heim', 'hevx'].map((main): [string, Buffer, string] => [
      main,
      brand(main),
      'HEIC: export it as JPEG (an iPhone',
    ]),
    ['mif1 of heic', brand('mif1', 'mif1', 'heic'), 'HEIC: export it as JPEG'],
    ['msf1 of hevc', brand('msf1', 'hevc'), 'HEIC: export it as JPEG'],
    ['mif1', brand('mif1'), 'HEIF: export it as JPEG'],
    ['avif', brand('avif'), 'AVIF: export it as JPEG'],
    ['avis', brand('avis'), 'AVIF: export it as JPEG'],
    ['mif1 of avif', brand('mif1', 'avif', 'miaf'), 'AVIF: export it as JPEG'],
    ['CR3', brand('crx '), 'CR3: export it as JPEG'],
    ['M4A', brand('M4A '), 'M4A: it contains no pictures'],
    ['WebP', Buffer.from('RIFF\x24\0\0\0WEBPVP8 '), 'WebP: export it as JPEG'],
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0'), 'GIF: export it as JPEG'],
    ['TIFF', Buffer.from('II*\0\x08\0\0\0'), 'TIFF: export it as JPEG'],
    ['TIFF', Buffer.from('MM\0*\0\0\0\x08'), 'TIFF: export it as JPEG'],
    ['BMP', Buffer.from('BM\x40\x20\x01\0\0\0\0\0\x36\0', 'latin1'), 'BMP: export it as JPEG'],
    ['PDF', Buffer.from('%PDF-1.7'), 'PDF: export its pictures as JPEG'],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'SVG: export it as JPEG'],
    ['SVG', Buffer.from('<?xml version="1.0"?>\n<!-- made -->\n<svg/>'), 'SVG: export it as JPEG'],
    ['WebM', Buffer.from('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm', 'latin1'), 'WebM: export it as MP4'],
    ['MKV', Buffer.from('\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska', 'latin1'), 'MKV: export it as MP4'],
    ['AVI', Buffer.from('RIFF\x24\0\0\0AVI LIST'), 'AVI: export it as MP4'],
    ['MP3', Buffer.from('ID3\x04\0\0'), 'MP3: it contains no pictures'],
    ['JPEG XL', Buffer.from('\xff\x0a\xfa\x7f', 'latin1'), 'JPEG XL: export it as JPEG'],
    ['ZIP', Buffer.from('PK\x03\x04\x14\0'), 'ZIP: export its pictures as JPEG'],
  ])('as %s is named in the error, with what to do', async (_name, file, expected) => {
    expect((await upload(400, file)).body.message).toContain(`The format of the file is ${expected}`)
  })

  test.each([
    'image/heic',
    'image/avif',
    'video/x-matroska',
    'image/svg+xml',
  ])('is also named for its type %s', async (type) => {
    const { body } = await upload(400, brand('heic'), type)
    expect(body.message).toContain('The format of the file is HEIC: export it as JPEG')
  })

  test('of another kind is refused by its type', async () => {
    const { body } = await upload(415, brand('heic'), 'application/pdf')
    expect(body.message).toMatch(/^The content type is unsupported: send application\/octet-stream or image\/jpeg/)
  })

  test.each([
    'apch',
    'apcn',
    'ap4h',
    'AVdh',
    'CFHD',
  ])('with the video codec %s is refused as meant for editing', async (codec) => {
    const stbl = [full('stsd', 0, u32(1), box(codec, Buffer.alloc(78)))]
    const { body } = await upload(400, Buffer.concat([ftyp, box('moov', mvhd(4_000), track(1, { stbl }))]))
    expect(body.message).toMatch(/^The codec of the video is .*: export it as MP4 with H\.264\.$/)
  })

  test('without pictures is reported as such, and HEVC and QuickTime without a brand are accepted', async () => {
    const silent = box('moov', mvhd(4_000), track(1, { handler: 'soun' }))
    expect((await upload(400, Buffer.concat([ftyp, silent]))).body.message).toContain('sound but no pictures')
    const stbl = [full('stsd', 0, u32(1), box('hvc1', Buffer.alloc(78)))]
    const { body } = await upload(201, Buffer.concat([box('wide'), box('moov', mvhd(4_000), track(1, { stbl }))]))
    expect(body).toMatchObject({ contentType: 'video/quicktime', durationMs: 4_000 })
  })
})
