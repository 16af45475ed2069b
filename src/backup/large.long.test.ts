import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, expect, test } from 'vitest'
import { startChild } from '../../test/child.js'
import { OPERATOR_TOKEN } from '../../test/harness.js'
import { migrate } from '../database/migrate.js'
import { openPglite } from '../database/pglite/pglite.js'
import { openPlace } from './place.js'
import { restoreBackup } from './restore.js'
import { verifyBackup } from './verify.js'

const MAIN = new URL('../main.ts', import.meta.url)
const CONVERSATIONS = 200_000

const directory = mkdtempSync(join(tmpdir(), 'greenroom-large-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/**
 * Polls continuously; returns the longest wait in milliseconds, which test/hostile/backup.ts limits, and the number of
 * polls.
 */
function poll(ask: () => Promise<unknown>): { stop(): Promise<{ longest: number; times: number }> } {
  let stopped = false
  const done = (async () => {
    let longest = 0
    let times = 0
    for (; !stopped; times++) {
      const startedAt = performance.now()
      await ask()
      longest = Math.max(longest, performance.now() - startedAt)
    }
    return { longest, times }
  })()
  return {
    stop() {
      stopped = true
      return done
    },
  }
}

test(`${CONVERSATIONS} conversations are backed up in little memory beside probes and changes, and restored`, async () => {
  const dataDir = join(directory, 'data')
  const database = await openPglite({ dataDir })
  await migrate(database)
  await database.execute(`
    insert into organizations (organization_id, name, created_at) values ('org_a', 'A', now());
    insert into channels (organization_id, channel_id, type, name) values ('org_a', 'FB_PAGE_1', 'FB_PAGE', 'A')`)
  await database.query(
    `insert into conversations (organization_id, channel_id, conversation_id, cuid, user_name, first_name, lifetime_value)
     select 'org_a', 'FB_PAGE_1', 't_' || i, md5(i::text), 'Name ' || i, 'First', i / 3.0 from generate_series(1, $1::int) i`,
    [CONVERSATIONS],
  )
  await database.close()
  const server = startChild(MAIN, ['serve'], {
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    MASTER_KEY: '',
    PORT: '0',
    OPERATOR_TOKEN,
  })
  let url: string | undefined
  for await (const line of server.lines) {
    url = /Greenroom listens at (http:\S+?)"/.exec(line)?.[1]
    if (url !== undefined) break
  }
  // Its log must be read, or the pipe would fill up.
  void (async () => {
    for await (const _ of server.lines);
  })()
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' }
  const memory = async (): Promise<number> =>
    Number(/^process_resident_memory_bytes (\S+)$/m.exec(await (await fetch(`${url}/metrics`)).text())![1])
  const before = await memory()
  const healthz = poll(async () => (await fetch(`${url}/healthz`)).text())
  const changes = poll(async () => {
    const body = JSON.stringify({ name: 'B' })
    expect((await fetch(`${url}/api/organizations/org_a`, { method: 'PATCH', headers, body })).status).toBe(200)
  })
  const startedAt = performance.now()
  const response = await fetch(`${url}/api/server/backups`, { method: 'POST', headers, body: '{}' })
  const file = join(directory, 'large.backup')
  await pipeline(Readable.fromWeb(response.body as never), createWriteStream(file))
  const backupMs = performance.now() - startedAt
  const [probed, changed] = [await healthz.stop(), await changes.stop()]
  const grown = (await memory()) - before
  server.process.kill('SIGKILL')
  await server.ended

  const restoringAt = performance.now()
  const place = { dataDir: join(directory, 'restored') }
  const contents = await restoreBackup({
    file,
    place,
    mediaDir: undefined,
    passphrase: undefined,
    masterKeyFile: undefined,
  })
  const restoreMs = performance.now() - restoringAt
  expect(contents.rows).toBeGreaterThan(CONVERSATIONS)
  expect((await verifyBackup(file)).digests.conversations!.rows).toBe(CONVERSATIONS)
  const restored = await openPlace(place)
  const { rows } = await restored.query<{ n: number; sum: string }>(
    'select count(*) n, sum(lifetime_value)::text sum from conversations',
  )
  expect(rows[0]!.n).toBe(CONVERSATIONS)
  await restored.close()
  process.stdout.write(
    `backup ${Math.round(backupMs)} ms, restore ${Math.round(restoreMs)} ms; longest of ${probed.times} probes ${Math.round(probed.longest)} ms, of ${changed.times} changes ${Math.round(changed.longest)} ms; memory ${Math.round(grown / 1e6)} MB more\n`,
  )
  expect(grown).toBeLessThan(300e6)
}, 600_000)
