import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPlace, type Place } from '../src/backup/place.js'
import { sampleRows } from './backup-sample.js'
import { type Child, startChild } from './child.js'
import { createEmptyDatabase, TEST_DATABASE_URL } from './test-database.js'

const MAIN = new URL('../src/main.ts', import.meta.url)

/** Runs the commands of docs/backup.md on the demo: every row must be the same after each copy. */
describe('the demo', () => {
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-carried-'))
  const backup = join(folder, 'demo.backup')
  const passphraseFile = join(folder, 'passphrase.txt')
  const passphrase = ['--passphrase-file', passphraseFile]
  const restored = join(folder, 'restored')
  let service: Child
  let rows: Record<string, string[]>

  /** Runs a command to its end and returns its output. */
  async function run(args: string[], env: Record<string, string> = {}): Promise<string> {
    const child = startChild(MAIN, args, { LOG_LEVEL: 'silent', ...env })
    child.process.stdin.end()
    let printed = ''
    for await (const line of child.lines) printed += `${line}\n`
    if ((await child.ended) !== 0) throw new Error(`${args.join(' ')}: ${child.errors()}`)
    return printed
  }
  async function rowsIn(place: Place): Promise<Record<string, string[]>> {
    const database = await openPlace(place)
    return await sampleRows(database).finally(() => database.close())
  }

  beforeAll(async () => {
    writeFileSync(passphraseFile, 'words that no one guesses\n', { mode: 0o600 })
    const dataDir = join(folder, 'demo')
    service = startChild(MAIN, ['demo'], { PORT: '0', DATA_DIR: dataDir })
    for await (const line of service.lines) if (line.startsWith('Ready at')) break
    const { channelId } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
    // No GREENROOM_… variable is set, so the command calls the demo beside it.
    await run(['posts', 'create', '--channel', `${channelId}=Carried over 🏮`], { DATA_DIR: dataDir })
    await run(['backup', backup, ...passphrase], { DATA_DIR: dataDir })
    service.process.kill('SIGTERM')
    expect(await service.ended).toBe(0)
    await run(['restore', backup, ...passphrase], { DATA_DIR: restored, MEDIA_DIR: join(folder, 'media') })
    rows = await rowsIn({ dataDir: restored })
  }, 600_000)
  afterAll(() => {
    service.process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  test('can be backed up while it runs, and restored', async () => {
    expect(await run(['backup', 'verify', backup, ...passphrase])).toMatch(/opens/)
    expect(rows.conversations!.length).toBeGreaterThan(100)
    expect(rows.scheduled_posts!.length).toBeGreaterThan(10)
    expect(rows.scheduled_post_channels!.join('\n')).toContain('Carried over 🏮')
    // The made-up data must not become that of a real service.
    await expect(run(['serve'], { DATA_DIR: restored, PORT: '0' })).rejects.toThrow('the made-up data of the demo')
  })

  test.skipIf(TEST_DATABASE_URL === undefined)('can be moved to PostgreSQL and back without changes', async () => {
    const url = await createEmptyDatabase('greenroom_carried')
    const back = join(folder, 'back')
    await run(['move', '--to', url], { DATA_DIR: restored })
    expect(await rowsIn({ url })).toEqual(rows)
    await run(['move', '--to', back], { DATABASE_URL: url, MASTER_KEY_FILE: join(restored, 'master.key') })
    expect(await rowsIn({ dataDir: back })).toEqual(rows)
    // The sources are unchanged.
    expect(await rowsIn({ url })).toEqual(rows)
    expect(await rowsIn({ dataDir: restored })).toEqual(rows)
  })
})
