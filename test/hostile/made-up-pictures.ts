import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Attack } from './run.js'
import { expectStatuses, makeTenant } from './tools.js'

const MEDIA_DIR = mkdtempSync(join(tmpdir(), 'greenroom-made-up-pictures-'))
process.once('exit', () => rmSync(MEDIA_DIR, { recursive: true, force: true }))

const MIB = 2 ** 20
const ROUNDS = 2
const CUT = 0

const bytes = (...values: number[]): Buffer => Buffer.from(values)
const JPEG = bytes(0xff, 0xd8, 0xff)
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\0\0\0\0', 'latin1')
const MP4 = Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1')
const filled = (start: Buffer, part: Buffer, size = MIB): Buffer => Buffer.concat([start, Buffer.alloc(size, part)])

/** Each file consists of the parts that a reader of headers passes one by one. */
const FILES = [
  filled(JPEG, bytes(0)),
  filled(JPEG, bytes(0xff)),
  filled(JPEG.subarray(0, 2), bytes(0xff, 0xe1, 0, 2)),
  filled(JPEG.subarray(0, 2), bytes(0xff, 0xe2, 0, 0)),
  // A directory of 65,535 entries.
  filled(
    Buffer.concat([
      JPEG.subarray(0, 2),
      bytes(0xff, 0xe1, 0xff, 0xff),
      Buffer.from('Exif\0\0MM\0*\0\0\0\x08\xff\xff', 'latin1'),
    ]),
    bytes(1, 0x12),
  ),
  // Pixels that consist only of restarts.
  filled(
    Buffer.concat([JPEG.subarray(0, 2), bytes(0xff, 0xc0, 0, 8, 8, 0, 9, 0, 9, 0, 0xff, 0xda, 0, 2)]),
    bytes(0xff, 0xd0),
    8 * MIB,
  ),
  filled(PNG, Buffer.from('\0\0\0\0tEXt\0\0\0\0', 'latin1'), 8 * MIB),
  filled(MP4, Buffer.from('\0\0\0\x08free', 'latin1'), 8 * MIB),
]

/** Uploads crafted images and videos that take long to read, from several organizations at a time. */
export default {
  name: 'made-up pictures',
  env: {
    MEDIA_DIR,
    PUBLIC_URL: 'https://greenroom.example',
  },
  async run(target) {
    const tenants = await Promise.all(Array.from({ length: 4 }, () => makeTenant(target)))
    const upload = async (organizationId: string, file: Buffer): Promise<number> => {
      // The response may arrive, and the connection end, before the file is sent.
      const response = await fetch(`${target.url}/api/organizations/${organizationId}/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${target.operatorToken}`, 'content-type': 'application/octet-stream' },
        body: new Uint8Array(file),
      }).catch(() => undefined)
      await response?.arrayBuffer().catch(() => undefined)
      return response?.status ?? CUT
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const file of FILES) {
        const statuses = tenants.flatMap(({ organizationId }) => [1, 2, 3, 4].map(() => upload(organizationId, file)))
        const answered = await Promise.all(statuses)
        expectStatuses(answered, [400, CUT])
        if (!answered.includes(400)) throw new Error('no upload was answered')
      }
    }
  },
} satisfies Attack
