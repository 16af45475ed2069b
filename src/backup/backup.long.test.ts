import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { comparable, fillSample, openSample, type Sample, sampleRows } from '../../test/backup-sample.js'
import { withConfig } from '../../test/config.js'
import { OPERATOR_TOKEN, operatorCall } from '../../test/harness.js'
import { BackupError, BackupWriter, readParts } from './backup-file.js'
import { openPlace } from './place.js'
import { restoreBackup } from './restore.js'
import { backUpWhenDue } from './schedule.js'
import { verifyBackup } from './verify.js'

const PASSPHRASE = 'correct horse battery'
const directory = mkdtempSync(join(tmpdir(), 'greenroom-backup-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let sample: Sample
let file: string
/** A backup without a passphrase. */
let unencryptedFile: string
let number = 0
const freshPath = (name: string): string => join(directory, `${name}-${++number}`)

/** Takes a backup of the sample through the operator API. */
async function takeBackup(passphrase?: string): Promise<string> {
  const response = await sample.app.app.inject({
    method: 'POST',
    url: '/api/server/backups',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: JSON.stringify(passphrase === undefined ? {} : { passphrase }),
  })
  expect(response.statusCode).toBe(200)
  const path = freshPath('backup')
  writeFileSync(path, response.rawPayload)
  return path
}

beforeAll(async () => {
  sample = await openSample(join(directory, 'source'))
  await fillSample(sample)
  unencryptedFile = await takeBackup()
  // This one is taken last, so that it has every row of the source.
  file = await takeBackup(PASSPHRASE)
})
afterAll(() => sample.close())

/** Disconnects after the beginning of a backup that is too large for the send buffers. */
async function abandonBackup(): Promise<void> {
  const { app } = sample.app
  const media = join(sample.mediaDir, sample.organizationId, 'media_1.jpg')
  const content = readFileSync(media)
  truncateSync(media, 128 * 1024 * 1024)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
    const { status, body } = await fetch(`${url}/api/server/backups`, { method: 'POST', headers, body: '{}' })
    expect(status).toBe(200)
    const reader = body!.getReader()
    await reader.read()
    await reader.cancel()
    await vi.waitFor(() => expect(sample.app.context.backups.isRunning).toBe(false), { timeout: 30_000 })
  } finally {
    app.server.closeAllConnections()
    app.server.close()
    writeFileSync(media, content)
  }
}

const restore = async (options: Partial<Parameters<typeof restoreBackup>[0]> = {}) => {
  const place = await sample.newPlace()
  const restoration = {
    ...{ file, place, mediaDir: freshPath('media'), passphrase: PASSPHRASE, masterKeyFile: freshPath('master.key') },
    ...options,
  }
  return { restoration, contents: await restoreBackup(restoration) }
}

describe('a backup through the operator API', { timeout: 300_000 }, () => {
  test('restores every row, file, sequence and key unchanged, whatever the texts, times and numbers', async () => {
    const { restoration, contents } = await restore()
    expect(contents.rows).toBeGreaterThan(100)
    const restored = await openPlace(restoration.place)
    onTestFinished(() => restored.close())
    const [expected, found] = comparable(await sampleRows(sample.database), await sampleRows(restored))
    expect(found).toEqual(expected)
    const [organization] = readdirSync(sample.mediaDir).filter((name) => name.startsWith('org_'))
    const names = readdirSync(join(sample.mediaDir, organization!))
    expect(names.toSorted()).toEqual(['media_0.jpg', 'media_1.jpg', 'media_1.jpg.small.jpg'])
    for (const name of names) {
      const contentIn = (mediaDir: string): Buffer => readFileSync(join(mediaDir, organization!, name))
      expect(contentIn(restoration.mediaDir!).equals(contentIn(sample.mediaDir))).toBe(true)
    }
    expect(readdirSync(restoration.mediaDir!)).toEqual([organization])
    expect(readFileSync(restoration.masterKeyFile, 'utf8').trim()).toBe(sample.masterKey)
    if (process.platform !== 'win32') expect(statSync(restoration.masterKeyFile).mode & 0o777).toBe(0o600)

    // The identity column continues after the last id, and the triggers are active.
    const last = (await restored.query<{ id: number }>('select max(audit_id) id from audit_trail')).rows[0]!.id
    const next = await restored.query<{ id: number }>(
      `insert into audit_trail (organization_id, at, actor_type, operation, target_type, target_id)
       values ('server', now(), 'operator', 'x', 'server', 'x') returning audit_id id`,
    )
    expect(next.rows[0]!.id).toBeGreaterThan(last)
    await expect(restored.query('delete from audit_trail')).rejects.toThrow('append-only')
    const revision = () => restored.query('select revision from audiences where channel_id = $1', [sample.channelId])
    const before = (await revision()).rows
    await restored.query('update conversations set first_name = $1 where organization_id = $2', [
      'X',
      sample.organizationId,
    ])
    expect((await revision()).rows).not.toEqual(before)
  })

  test('can be restored only into an empty database and directory, so not twice into the same place', async () => {
    const { restoration } = await restore()
    await expect(restoreBackup(restoration)).rejects.toThrow(/is not empty: (choose an empty|set it)/)
    const mediaDir = freshPath('media')
    mkdirSync(mediaDir)
    writeFileSync(join(mediaDir, 'mine.txt'), 'mine')
    await expect(restore({ mediaDir })).rejects.toThrow(/MEDIA_DIR .+ is not empty/)
    const masterKeyFile = freshPath('master.key')
    writeFileSync(masterKeyFile, `${'ab'.repeat(32)}\n`)
    await expect(restore({ masterKeyFile })).rejects.toThrow('There is already another master key')
    expect(readFileSync(masterKeyFile, 'utf8').trim()).toBe('ab'.repeat(32))
  })

  test('contains no master key without a passphrase, and is not restored with a wrong one', async () => {
    expect(await verifyBackup(unencryptedFile)).toMatchObject({ holdsMasterKey: false, masterKeys: undefined })
    expect(readFileSync(file).includes(sample.masterKey)).toBe(false)
    const place = await sample.newPlace()
    await expect(restore({ place, passphrase: 'correct horse batterz' })).rejects.toThrow('The passphrase is wrong')
    if ('dataDir' in place) expect(existsSync(place.dataDir)).toBe(false)
    const short = await operatorCall(sample.app, 422, 'POST', '/server/backups', { body: { passphrase: 'short' } })
    expect(JSON.stringify(short.body)).not.toContain('short"')
  })

  test('is a consistent snapshot while others write', async () => {
    let stopped = false
    const writing = (async () => {
      for (let n = 0; !stopped; n++) {
        // The two names are equal after each transaction, but not between its statements.
        await sample.database.transaction(async (tx) => {
          await tx.query("update workspaces set name = $1 where workspace_id = 'ws_first'", [`n${n}`])
          await tx.query("update organizations set name = $1 where organization_id = 'org_torn'", [`n${n}`])
        })
      }
    })()
    const torn = await takeBackup().finally(() => {
      stopped = true
    })
    await writing
    const { restoration } = await restore({ file: torn, passphrase: undefined, masterKeyFile: undefined })
    const restored = await openPlace(restoration.place)
    onTestFinished(() => restored.close())
    const { rows } = await restored.query<{ w: string; o: string }>(
      `select (select name from workspaces where workspace_id = 'ws_first') w,
              (select name from organizations where organization_id = 'org_torn') o`,
    )
    expect(rows[0]!.w).toMatch(/^n\d+$/)
    expect(rows[0]!.w).toBe(rows[0]!.o)
  })

  test('is recorded once it has been sent completely, but not if the client disconnects early', async () => {
    const reported = async () => (await operatorCall(sample.app, 200, 'GET', '/server/health')).body.backup
    const { database } = sample.app.context
    await database.query('delete from last_fetched_backup')
    const path = await takeBackup(PASSPHRASE)
    await vi.waitFor(async () => expect(await reported()).toHaveProperty('fetched'))
    expect(await reported()).toEqual({
      ...{ state: 'good', found: 'fetched', weaknesses: [] },
      fetched: {
        madeAt: new Date(sample.app.clock.now()).toISOString(),
        bytes: statSync(path).size,
        hasMasterKey: true,
        missingMedia: 0,
      },
    })
    await database.query('delete from last_fetched_backup')
    await abandonBackup()
    expect(await reported()).toEqual({ state: 'warning', found: 'off', weaknesses: [] })
  })

  test('runs one at a time, does not hold up other calls, and is in the audit trail', async () => {
    const first = takeBackup()
    const second = await operatorCall(sample.app, 409, 'POST', '/server/backups', { body: {} })
    expect(second.headers['x-error-code']).toBe('backup_running')
    let isDone = false
    void first.then(() => {
      isDone = true
    })
    let longest = 0
    while (!isDone) {
      const startedAt = performance.now()
      await operatorCall(sample.app, 200, 'GET', '/organizations')
      longest = Math.max(longest, performance.now() - startedAt)
    }
    expect(longest).toBeLessThan(2_000)
    await verifyBackup(await first)
    const { body } = await operatorCall(sample.app, 200, 'GET', '/server/audit?limit=1')
    expect(body.items[0]).toMatchObject({ operation: 'createBackup', changes: { masterKey: false } })
  })
})

describe('a damaged or newer backup', () => {
  const rejected = async (bytes: Buffer): Promise<string> => {
    const path = freshPath('damaged')
    writeFileSync(path, bytes)
    const error = await verifyBackup(path).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(BackupError)
    return (error as Error).message
  }

  test('truncated anywhere, or with bytes after its end, is refused', async () => {
    const whole = readFileSync(unencryptedFile)
    for (let length = 0; length < whole.length; length += 1 + Math.floor(whole.length / 40)) {
      expect(await rejected(whole.subarray(0, length))).toMatch(/truncated|not a Greenroom backup/)
    }
    expect(await rejected(whole.subarray(0, -1))).toMatch('truncated')
    expect(await rejected(Buffer.concat([whole, Buffer.from('x')]))).toMatch('extra data after its end')
    expect(await rejected(Buffer.from('PGDMP'))).toMatch('not a Greenroom backup')
  })

  test('with one bit changed anywhere is refused', async () => {
    const whole = readFileSync(unencryptedFile)
    for (let at = 0; at < whole.length; at += 1 + Math.floor(whole.length / 60)) {
      const altered = Buffer.from(whole)
      altered[at]! ^= 1 << (at % 8)
      await rejected(altered)
    }
  })

  test('with a part removed, or with a newer schema, is refused, although each part has a valid checksum', async () => {
    const parts: { header: object; blocks: Buffer[] }[] = []
    async function* source(): AsyncGenerator<Buffer> {
      yield readFileSync(unencryptedFile)
    }
    for await (const { header, content } of readParts(source())) {
      const blocks: Buffer[] = []
      for await (const block of content) blocks.push(block)
      parts.push({ header, blocks })
    }
    const written = async (kept: typeof parts, change: (header: never) => object = (header) => header) => {
      const out: Buffer[] = []
      const writer = new BackupWriter(async (bytes) => void out.push(Buffer.from(bytes)))
      const [{ part: _, format: __, ...head }] = [change(kept[0]!.header as never) as never as Record<string, never>]
      await writer.head(head as never)
      for (const { header, blocks } of kept.slice(1, -1)) await writer.part(header as never, blocks)
      const end = kept.at(-1)!.header as never as { digests: never; missing: number }
      await writer.end(end.digests, end.missing)
      return Buffer.concat(out)
    }
    // If the parts are written again unchanged, the backup is valid.
    const same = freshPath('same')
    writeFileSync(same, await written(parts))
    await verifyBackup(same)
    const rows = parts.findIndex(({ header }) => (header as { table?: string }).table === 'conversations')
    expect(await rejected(await written(parts.filter((_, index) => index !== rows)))).toMatch('rows are missing')

    const future = freshPath('future')
    writeFileSync(
      future,
      await written(parts, (head: { migrations: string[] }) => ({
        ...head,
        program: '9.0.0',
        migrations: [...head.migrations, '9999_later.sql'],
      })),
    )
    await expect(restore({ file: future, passphrase: undefined })).rejects.toThrow(
      'It has a newer schema (9999_later.sql), made by version 9.0.0: restore it with that version',
    )
  })

  test('in a newer format is refused, with the version in the message', async () => {
    const out: Buffer[] = []
    const writer = new BackupWriter(async (bytes) => void out.push(Buffer.from(bytes)))
    const head = {
      program: '9.0.0',
      id: '',
      at: '',
      engine: 'pglite',
      migrations: [],
      tables: [],
      sequences: [],
      format: 2,
    }
    await writer.head(head)
    await writer.end({}, 0)
    expect(await rejected(Buffer.concat(out))).toMatch('made by a newer version of the program (9.0.0)')
  })
})

describe('automatic backups', () => {
  test('are made when due, and the newest are kept', async () => {
    const backupDir = freshPath('scheduled')
    const config = withConfig(sample.app.context.config, {
      backup: { dir: backupDir, everyMs: 3_600_000, keep: 2, passphrase: PASSPHRASE },
    })
    const context = { ...sample.app.context, config }
    const { clock } = sample.app
    const names: (string | undefined)[] = []
    for (const minutes of [0, 59, 1, 61]) {
      clock.advance(minutes * 60_000)
      names.push(await backUpWhenDue(context))
      writeFileSync(join(backupDir, 'other.txt'), 'not ours')
      writeFileSync(join(backupDir, 'greenroom-2020-01-01T00-00-00Z.backup.partial'), 'killed')
    }
    const made = names.filter((name) => name !== undefined)
    expect(names.map((name) => name !== undefined)).toEqual([true, false, true, true])
    expect(
      readdirSync(backupDir)
        .filter((name) => name.endsWith('.backup'))
        .sort(),
    ).toEqual(made.slice(-2))
    expect(existsSync(join(backupDir, 'other.txt'))).toBe(true)
    expect(await verifyBackup(join(backupDir, made.at(-1)!), { passphrase: PASSPHRASE })).toMatchObject({
      masterKeys: [sample.masterKey],
    })
  })

  test('are made by only one of several nodes', async () => {
    const nodes = ['a', 'b', 'c'].map((name) => {
      const config = withConfig(sample.app.context.config, {
        backup: { dir: freshPath(name), everyMs: 60_000, keep: 2 },
      })
      // Each process has its own state.
      return { ...sample.app.context, config, backups: { isRunning: false } }
    })
    sample.app.clock.advance(86_400_000)
    if (sample.database.engine === 'pglite') return expect(await backUpWhenDue(nodes[0]!)).toBeDefined()
    const made = await Promise.all(nodes.map(backUpWhenDue))
    expect(made.filter((name) => name !== undefined)).toHaveLength(1)
  })
})
