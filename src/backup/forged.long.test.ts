import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { Encrypter } from 'age-encryption'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSample, type Sample } from '../../test/backup-sample.js'
import { greenroom } from '../../test/cli.js'
import { withConfig } from '../../test/config.js'
import { Member, OPERATOR_TOKEN } from '../../test/harness.js'
import { RowDigest, refuseUnfinished } from '../database/rows.js'
import { sealUnderPassphrase } from '../lib/passphrase.js'
import { BackupError, BackupWriter, type Header, linesOf, MASTER_KEY_CONTEXT, readParts } from './backup-file.js'
import { openPlace } from './place.js'
import { restoreBackup } from './restore.js'
import { backUpWhenDue } from './schedule.js'
import { verifyBackup } from './verify.js'

const PASSPHRASE = 'correct horse battery'
const directory = mkdtempSync(join(tmpdir(), 'greenroom-forged-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let sample: Sample
/**
 * Backups of the same server: encrypted with a passphrase, unencrypted, and unencrypted except for the master key, which
 * the passphrase protects.
 */
let encrypted: Buffer
let unencrypted: Buffer
let withSealedKey: Buffer
let number = 0
const fresh = (name: string): string => join(directory, `${name}-${++number}`)
const asFile = (bytes: Buffer, name = fresh('file')): string => {
  writeFileSync(name, bytes)
  return name
}

async function takeBackup(body: object): Promise<Buffer> {
  const response = await sample.app.app.inject({
    method: 'POST',
    url: '/api/server/backups',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  expect(response.statusCode).toBe(200)
  return response.rawPayload
}

beforeAll(async () => {
  sample = await openSample(join(directory, 'source'))
  await Member.create(sample.app, { organizationId: sample.organizationId, role: 'VIEWER' })
  encrypted = await takeBackup({ passphrase: PASSPHRASE })
  unencrypted = await takeBackup({})
  const parts = await partsOf(unencrypted)
  const keys = Buffer.from(JSON.stringify([sample.masterKey]))
  const { sealing, sealed } = await sealUnderPassphrase(keys, PASSPHRASE, MASTER_KEY_CONTEXT)
  parts.splice(1, 0, { header: { part: 'masterKey', sealing }, blocks: [sealed] })
  withSealedKey = await assemble(parts)
}, 300_000)
afterAll(async () => {
  await sample.app.app.close()
  await sample.close()
})

/** Encrypts with the passphrase and a very low work factor, as anyone who knows the passphrase could. */
async function encryptCheaply(plain: Buffer): Promise<Buffer> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(PASSPHRASE)
  encrypter.setScryptWorkFactor(2)
  return Buffer.from(await encrypter.encrypt(plain))
}

interface WholePart {
  header: Header
  blocks: Buffer[]
}

async function partsOf(whole: Buffer): Promise<WholePart[]> {
  async function* source(): AsyncGenerator<Buffer> {
    yield whole
  }
  const parts: WholePart[] = []
  for await (const { header, content } of readParts(source())) {
    const blocks: Buffer[] = []
    for await (const block of content) blocks.push(block)
    parts.push({ header, blocks })
  }
  return parts
}

/** Writes parts with correct checksums. */
async function assemble(parts: WholePart[], digests?: Extract<Header, { part: 'end' }>['digests']): Promise<Buffer> {
  const out: Buffer[] = []
  const writer = new BackupWriter(async (bytes) => void out.push(Buffer.from(bytes)))
  for (const { header, blocks } of parts) {
    if (header.part === 'head') {
      const { part: _, format: __, ...head } = header
      await writer.head(head)
    } else if (header.part === 'end') await writer.end({ ...header.digests, ...digests }, header.missing)
    else await writer.part(header, blocks)
  }
  return Buffer.concat(out)
}

/** Changes a backup so that everyone owns the server, with correct checksums. */
async function forge(whole: Buffer): Promise<Buffer> {
  const parts = await partsOf(whole)
  const head = parts[0]!.header as Extract<Header, { part: 'head' }>
  const owner = head.tables.find(({ name }) => name === 'people')!.columns.findIndex(({ name }) => name === 'owner')
  const people = parts.find(({ header }) => header.part === 'rows' && header.table === 'people')!
  const digest = new RowDigest()
  const rows: string[] = []
  async function* blocks(): AsyncGenerator<Buffer> {
    yield* people.blocks
  }
  for await (const lines of linesOf(blocks())) {
    for (const line of lines) {
      const row = JSON.stringify(JSON.parse(line).with(owner, 'true'))
      digest.add(row)
      rows.push(row)
    }
  }
  expect(rows).not.toEqual([])
  people.blocks = [deflateRawSync(rows.join('\n'))]
  return await assemble(parts, { people: { rows: digest.rows, sum: digest.sum } })
}

const refusal = async (file: string, passphrase: string | undefined = PASSPHRASE): Promise<string> => {
  const error = await verifyBackup(file, { passphrase }).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(BackupError)
  return (error as Error).message
}

describe('a backup with a passphrase', { timeout: 300_000 }, () => {
  test('reveals nothing without it, and is authenticated and identified with it', async () => {
    const file = asFile(encrypted)
    for (const text of ['people', 'example.com', sample.organizationId, 'greenroom']) {
      expect(encrypted.includes(text), text).toBe(false)
    }
    const contents = await verifyBackup(file, { passphrase: PASSPHRASE })
    expect(contents).toMatchObject({ isAuthenticated: true, masterKeys: [sample.masterKey] })
    expect(contents.head).toMatchObject({ id: expect.stringMatching(/^backup_/), at: '2026-11-20T09:00:00.000Z' })
    expect(await verifyBackup(asFile(unencrypted))).toMatchObject({ isAuthenticated: false, holdsMasterKey: false })
    expect(await refusal(file, 'correct horse batterz')).toMatch('The passphrase is wrong')
    await expect(verifyBackup(file)).rejects.toThrow('It is encrypted: pass its passphrase')
  })

  test('restores nothing if it is changed, truncated or extended, and leaves no data directory', async () => {
    const changed = Buffer.from(encrypted)
    changed[Math.floor(changed.length / 2)]! ^= 1
    const attacks = [changed, encrypted.subarray(0, -20), Buffer.concat([encrypted, Buffer.from('x')])]
    for (const bytes of attacks) {
      const dataDir = fresh('place')
      const restoring = restoreBackup({
        ...{ file: asFile(bytes), place: { dataDir }, mediaDir: undefined, masterKeyFile: undefined },
        passphrase: PASSPHRASE,
      })
      await expect(restoring).rejects.toThrow('It was changed or truncated')
      expect(existsSync(dataDir)).toBe(false)
    }
  })

  test('is refused if it was replaced by an unencrypted file with a changed row', async () => {
    // Without a passphrase there are only checksums, which cannot detect this.
    const forged = await forge(unencrypted)
    expect(await verifyBackup(asFile(forged))).toMatchObject({ isAuthenticated: false })
    expect(await refusal(asFile(forged))).toMatch('It is not encrypted, although you gave a passphrase')
    const dataDir = fresh('place')
    const restoring = restoreBackup({
      ...{ file: asFile(forged), place: { dataDir }, mediaDir: undefined, masterKeyFile: undefined },
      passphrase: PASSPHRASE,
    })
    await expect(restoring).rejects.toThrow('It is not encrypted')
    expect(existsSync(dataDir)).toBe(false)
    await expect(forge(encrypted)).rejects.toThrow('not a Greenroom backup')
  })

  test('is refused if it is swapped during its restore', async () => {
    const [place, file] = [await sample.newPlace(), asFile(await encryptCheaply(unencrypted))]
    const another = await encryptCheaply(await forge(unencrypted))
    let isSwapped = false
    const restoring = restoreBackup({
      ...{ file, place, mediaDir: undefined, masterKeyFile: fresh('key'), passphrase: PASSPHRASE },
      onProgress: () => {
        // The current pass has the old file open and reads it to its end; the next pass opens the new one.
        if (!isSwapped) renameSync(asFile(another), file)
        isSwapped = true
      },
    })
    await expect(restoring).rejects.toThrow('It changed while it was being restored')
    const opened = openPlace(place).then((database) =>
      refuseUnfinished(database, 'there').finally(() => database.close()),
    )
    await expect(opened).rejects.toThrow(/There is no database|is not complete/)
  })
})

describe('an older backup with the name of a newer one', { timeout: 300_000 }, () => {
  test('is refused because of the time recorded in it, encrypted or not', async () => {
    const backupDir = fresh('scheduled')
    const config = withConfig(sample.app.context.config, {
      backup: { dir: backupDir, everyMs: 3_600_000, passphrase: PASSPHRASE },
    })
    const names: string[] = []
    for (const _ of [1, 2]) {
      sample.app.clock.advance(3_600_001)
      names.push((await backUpWhenDue({ ...sample.app.context, config }))!)
    }
    const [older, newer] = names.map((name) => join(backupDir, name))
    expect(await verifyBackup(newer!, { passphrase: PASSPHRASE })).toMatchObject({ isAuthenticated: true })
    rmSync(newer!)
    writeFileSync(newer!, readFileSync(older!))
    expect(await refusal(newer!)).toMatch(
      /^Its name says 2026-11-20T11:00:00Z, but it was made at 2026-11-20T10:00:00\.001Z/,
    )
    await verifyBackup(older!, { passphrase: PASSPHRASE })
    // A backup may have any other name.
    await verifyBackup(asFile(readFileSync(older!)), { passphrase: PASSPHRASE })
    const renamed = asFile(unencrypted, join(directory, 'greenroom-2026-11-21T09-00-00Z.backup'))
    await expect(verifyBackup(renamed)).rejects.toThrow('it is a different backup under that name')
    expect(readdirSync(backupDir).toSorted()).toEqual(names)
  })
})

describe('a malicious file', { timeout: 300_000 }, () => {
  /** Writes a copy of a backup with changed parts, and returns its path. */
  const changed = async (change: (parts: WholePart[]) => void, whole = unencrypted): Promise<string> => {
    const parts = await partsOf(whole)
    change(parts)
    return asFile(await assemble(parts))
  }
  const rows = (parts: WholePart[], table: string): WholePart =>
    parts.find(({ header }) => header.part === 'rows' && header.table === table)!

  test('is refused if it has blocks that inflate, rows without a table, a duplicate table, a file of the wrong size or an invalid header', async () => {
    const lines = await changed((parts) => (rows(parts, 'people').blocks = [deflateRawSync('\n'.repeat(5_000_000))]))
    expect(await refusal(lines, undefined)).toMatch('It is damaged')
    const bomb = await changed(
      (parts) => (rows(parts, 'people').blocks = [deflateRawSync(Buffer.alloc(65 * 1024 ** 2))]),
    )
    expect(await refusal(bomb, undefined)).toMatch('It is damaged')
    const unknown = await changed((parts) => (rows(parts, 'people').header = { part: 'rows', table: 'nowhere' }))
    expect(await refusal(unknown, undefined)).toMatch('rows without a table')
    const twice = await changed((parts) => parts.splice(2, 0, parts[1]!))
    expect(await refusal(twice, undefined)).toMatch('rows without a table')
    const media: Header = { part: 'media', organization: 'org_a', name: 'a.jpg', bytes: 5 }
    const size = await changed((parts) => parts.splice(-1, 0, { header: media, blocks: [Buffer.alloc(6)] }))
    expect(await refusal(size, undefined)).toMatch('a file has the wrong size')
    for (const field of ['at', 'tables', 'migrations', 'sequences']) {
      const head = await changed((parts) => Object.assign(parts[0]!.header, { [field]: null }))
      expect(await refusal(head, undefined), field).toMatch('It is damaged (head)')
    }
    const long = await changed((parts) => Object.assign(parts[0]!.header, { program: 'x'.repeat(5 * 1024 ** 2) }))
    expect(await refusal(long, undefined)).toMatch('It is damaged')
  })

  test('is refused if it demands more passphrase work than permitted, for the file or for the sealed master key', async () => {
    const startedAt = performance.now()
    const cheap = (await encryptCheaply(unencrypted)).toString('latin1')
    const costly = Buffer.from(cheap.replace(/ 2\n/, ' 30\n'), 'latin1')
    expect(await refusal(asFile(costly))).toMatch('It demands more work than any passphrase needs')
    for (const cost of [{ n: 2 ** 21 }, { p: 16 }, { r: 64 }, { n: 0 }, { n: 1.5 }]) {
      const sealed = await changed(
        (parts) => Object.assign((parts[1]!.header as { sealing: object }).sealing, cost),
        withSealedKey,
      )
      expect(await refusal(sealed)).toMatch('it cannot decrypt the master key')
    }
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })
})

describe('the commands', { timeout: 300_000 }, () => {
  const passphraseFile = join(directory, 'passphrase.txt')
  writeFileSync(passphraseFile, `${PASSPHRASE}\n`)
  const given = ['--passphrase-file', passphraseFile]

  test('verify says whether a file is authenticated, and asks for the passphrase of an encrypted one', async () => {
    const [secret, plain] = [asFile(encrypted), asFile(unencrypted)]
    const asked = await greenroom(['backup', 'verify', secret], { stdin: `${PASSPHRASE}\n` })
    expect([asked.code, asked.stderr]).toEqual([0, ''])
    expect(JSON.parse(asked.stdout)).toMatchObject({
      ...{ id: expect.stringMatching(/^backup_/), madeAt: '2026-11-20T09:00:00.000Z' },
      ...{ authenticated: true, masterKey: 'opens' },
    })
    const unsealed = await greenroom(['backup', 'verify', plain])
    expect(JSON.parse(unsealed.stdout)).toMatchObject({ authenticated: false, masterKey: 'none' })
    expect(unsealed.stderr).toMatch('The backup is not authenticated')
    const swapped = await greenroom(['backup', 'verify', plain, ...given])
    expect([swapped.code, swapped.stdout]).toEqual([1, ''])
    expect(swapped.stderr).toMatch('It is not encrypted, although you gave a passphrase')
  })

  test('backup writes an encrypted file with or without the master key, and an unencrypted one only without a passphrase', async () => {
    await sample.app.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = sample.app.app.server.address() as AddressInfo
    const env = { GREENROOM_URL: `http://127.0.0.1:${port}`, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN }
    const cases = [
      [[...given], { encrypted: true, masterKey: true }],
      [['--no-master-key', ...given], { encrypted: true, masterKey: false }],
      [['--no-master-key'], { encrypted: false, masterKey: false }],
    ] as const
    for (const [options, expected] of cases) {
      const file = fresh('downloaded')
      const made = await greenroom(['backup', file, ...options], { env, clock: sample.app.clock })
      expect(made.code, made.stderr).toBe(0)
      const passphrase = expected.encrypted ? PASSPHRASE : undefined
      const contents = await verifyBackup(file, { passphrase })
      expect(JSON.parse(made.stdout)).toMatchObject({ ...expected, id: contents.head.id, rows: contents.rows })
      expect(contents).toMatchObject({ isAuthenticated: expected.encrypted, holdsMasterKey: expected.masterKey })
    }
  })

  test('backup refuses an unencrypted file from a server that cannot encrypt, and leaves no file', async () => {
    const earlierServer = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(unencrypted)
    })
    await new Promise<void>((resolve) => earlierServer.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void earlierServer.close())
    const { port } = earlierServer.address() as AddressInfo
    const env = { GREENROOM_URL: `http://127.0.0.1:${port}`, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN }
    const file = fresh('downloaded')
    const refused = await greenroom(['backup', file, ...given], { env, clock: sample.app.clock })
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toMatch('The server sent a backup that is not encrypted')
    expect(existsSync(file)).toBe(false)
  })

  test('restore restores an encrypted backup with its key, and an unencrypted one with a warning', async () => {
    const place = fresh('place')
    const env = { DATA_DIR: place }
    const restored = await greenroom(['restore', asFile(encrypted), ...given], { env })
    expect(restored.code, restored.stderr).toBe(0)
    expect(JSON.parse(restored.stdout)).toMatchObject({ authenticated: true, masterKey: true, undone: null })
    expect(restored.stderr).toMatch(
      /^The restore ended: \d+ sessions, 0 sign-ins under way, 0 sign-in and owner links, 0 personal tokens, 0 logins of programs, 0 invitations, 0 review links, 0 calendar addresses\./m,
    )
    expect(restored.stderr).toMatch('All keys, operator tokens, passwords and members are those of 2026-11-20T09:00')
    expect(restored.stderr).not.toMatch('not authenticated')
    expect(readdirSync(place).toSorted()).toEqual(['database', 'database.lock', 'master.key'])

    const next = { DATA_DIR: fresh('place') }
    const older = await greenroom(['restore', asFile(withSealedKey), ...given, '--replaces', place], { env: next })
    expect(older.code, older.stderr).toBe(0)
    expect(JSON.parse(older.stdout)).toMatchObject({ authenticated: false, masterKey: true, undone: [] })
    expect(older.stderr).toMatch(
      /^The backup is not authenticated: .* Restore it only if you know where it has been\.$/m,
    )
    expect(older.stderr).toMatch('No key, operator token, password or member changed since')
    expect(existsSync(join(next.DATA_DIR, 'master.key'))).toBe(true)
  })
})
