import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSample, type Sample } from '../../test/backup-sample.js'
import { Member, OPERATOR_TOKEN } from '../../test/harness.js'
import { RowDigest } from '../database/rows.js'
import { BackupWriter, linesOf, readParts } from './backup-file.js'
import { verifyBackup } from './verify.js'

const PASSPHRASE = 'correct horse battery'
const directory = mkdtempSync(join(tmpdir(), 'greenroom-forged-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let sample: Sample
let number = 0
const fresh = (name: string): string => join(directory, `${name}-${++number}`)

async function takeBackup(body: object): Promise<Buffer> {
  const response = await sample.app.app.inject({
    method: 'POST',
    url: '/operator/backups',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  expect(response.statusCode).toBe(200)
  return response.rawPayload
}

/** The same backup in which everyone owns the server, with checksums that are right again. */
async function forge(whole: Buffer): Promise<Buffer> {
  async function* source(): AsyncGenerator<Buffer> {
    yield whole
  }
  const out: Buffer[] = []
  const writer = new BackupWriter(async (bytes) => void out.push(Buffer.from(bytes)))
  let owner = -1
  const digest = new RowDigest()
  for await (const { header, content } of readParts(source())) {
    if (header.part === 'head') {
      const { part: _, format: __, ...head } = header
      owner = head.tables.find(({ name }) => name === 'people')!.columns.findIndex(({ name }) => name === 'owner')
      await writer.head(head)
    } else if (header.part === 'rows' && header.table === 'people') {
      async function* changed(): AsyncGenerator<string[]> {
        for await (const lines of linesOf(content)) {
          yield lines.map((line) => {
            const row = JSON.stringify(JSON.parse(line).with(owner, 'true'))
            digest.add(row)
            return row
          })
        }
      }
      await writer.rows('people', changed())
    } else if (header.part === 'end') {
      await writer.end({ ...header.digests, people: { rows: digest.rows, sum: digest.sum } }, header.missing)
    } else await writer.part(header, content)
  }
  return Buffer.concat(out)
}

const verified = (bytes: Buffer, passphrase: string | undefined = PASSPHRASE) => {
  const path = fresh('file')
  writeFileSync(path, bytes)
  return verifyBackup(path, { passphrase })
}

beforeAll(async () => {
  sample = await openSample(join(directory, 'source'))
  await Member.create(sample.app, { organizationId: sample.organizationId, role: 'VIEWER' })
})
afterAll(() => sample.close())

describe('a backup under a passphrase', { timeout: 300_000 }, () => {
  test('in which a row was changed, with the checksums made again, does not open', async () => {
    const forged = forge(await takeBackup({ passphrase: PASSPHRASE }))
    await expect(forged.then((bytes) => verified(bytes))).rejects.toThrow()
  })
})
void readFileSync
