import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comparable, fillSample, newPlace, openSample, type Sample, sampleRows } from '../../test/backup-sample.js'
import { startChild } from '../../test/child.js'
import { OPERATOR_TOKEN } from '../../test/harness.js'
import { TEST_DATABASE_URL } from '../../test/test-database.js'
import { readConfig } from '../config/index.js'
import { createContext } from '../context.js'
import { openPlace, type Place } from './place.js'
import { verifyBackup } from './verify.js'

const PROGRAM = new URL('../../test/programs/move-or-restore.ts', import.meta.url)
const MAIN = new URL('../main.ts', import.meta.url)
const ROUNDS = 8

const directory = mkdtempSync(join(tmpdir(), 'greenroom-kill-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let sample: Sample
let expected: Record<string, string[]>
let backup: string
let mediaDir: string
beforeAll(async () => {
  sample = await openSample(join(directory, 'source'))
  await fillSample(sample, 6_000)
  expected = await sampleRows(sample.database)
  const response = await sample.app.app.inject({
    method: 'POST',
    url: '/api/server/backups',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: '{}',
  })
  backup = join(directory, 'whole.backup')
  writeFileSync(backup, response.rawPayload)
  mediaDir = join(directory, 'media')
  // The backup does not contain its own audit entry.
  expected = await sampleRows(sample.database)
  await sample.close()
})

/** The duration of a run that is not killed. */
async function run(
  kind: string,
  options: object,
): Promise<{ ms: number; text: string; code: unknown; errors: string }> {
  const startedAt = performance.now()
  const child = startChild(PROGRAM, [kind, JSON.stringify(options)])
  let text = ''
  for await (const line of child.lines) text = line
  return { text, code: await child.ended, errors: child.errors(), ms: performance.now() - startedAt }
}

/** Kills run after run, each a little later, until one finishes. Returns how many were killed. */
async function runUntilDone(
  kind: string,
  options: object,
  wholeMs: number,
  between: () => Promise<void>,
): Promise<number> {
  for (let round = 1; ; round++) {
    const child = startChild(PROGRAM, [kind, JSON.stringify(options)])
    const timer = setTimeout(() => child.process.kill('SIGKILL'), (wholeMs * round) / ROUNDS)
    let last = ''
    for await (const line of child.lines) last = line
    const ended = await child.ended
    clearTimeout(timer)
    // A kill after the last line comes too late: the next run would find what this one completed.
    if (ended !== 'SIGKILL' || last.startsWith('done')) {
      expect(child.errors()).toBe('')
      expect(last).toMatch(/^done/)
      return round - 1
    }
    await between()
  }
}

/** A service must not start on incomplete data. */
async function refusesToStart(place: Place): Promise<void> {
  const env =
    'url' in place
      ? { DATABASE_URL: place.url, MASTER_KEY: sample.masterKey }
      : { DATA_DIR: place.dataDir, MASTER_KEY: sample.masterKey }
  const hasBegun =
    'url' in place
      ? await openPlace(place).then(async (database) => {
          const { rows } = await database.query<{ n: number }>(
            "select count(*) n from pg_class where relnamespace = 'public'::regnamespace",
          )
          await database.close()
          return rows[0]!.n > 0
        })
      : existsSync(join(place.dataDir, 'database.filling')) && !existsSync(join(place.dataDir, 'database'))
  if (!hasBegun) return
  const starting = createContext({ ...readConfig({ ...env, LOG_LEVEL: 'silent' }) })
  const outcome = await starting.then(
    async (context) => {
      // Everything was already there, except the last words.
      const rows = await sampleRows(context.database)
      await context.close()
      return rows.conversations!.length
    },
    (error: Error) => error.message,
  )
  if (typeof outcome === 'number') expect(outcome).toBe(expected.conversations!.length)
  else expect(outcome).toMatch('is not complete')
}

const engines = TEST_DATABASE_URL === undefined ? (['pglite'] as const) : (['pglite', 'postgres'] as const)

describe.each(engines)('into %s', { timeout: 900_000 }, (engine) => {
  test(`a move that is killed repeatedly continues, and is complete at its end`, async () => {
    const whole = { from: sample.place, to: await newPlace(directory, engine), masterKeys: [sample.masterKey] }
    const { ms, code, errors } = await run('move', whole)
    expect([code, errors]).toEqual([0, ''])
    // The source was already moved to the first place.
    const options = { ...whole, again: true, to: await newPlace(directory, engine) }
    const killed = await runUntilDone('move', options, ms, () => refusesToStart(options.to))
    expect(killed).toBeGreaterThan(2)
    const database = await openPlace(options.to)
    expect(await sampleRows(database)).toEqual(expected)
    await database.close()
    // Run again, it says so and changes nothing; the source is unchanged.
    if (engine === 'postgres') expect((await run('move', options)).text).toMatch(/^done/)
    const source = await openPlace(sample.place)
    expect(await sampleRows(source)).toEqual(expected)
    await source.close()
  })

  test(`a restore that is killed repeatedly finishes completely`, async () => {
    const restoration = () => ({ file: backup, mediaDir, masterKeyFile: undefined, passphrase: undefined })
    const { ms, code, errors } = await run('restore', {
      ...restoration(),
      mediaDir: join(directory, `media-${engine}-whole`),
      place: await newPlace(directory, engine),
    })
    expect([code, errors]).toEqual([0, ''])
    const options = {
      ...restoration(),
      mediaDir: join(directory, `media-${engine}`),
      place: await newPlace(directory, engine),
    }
    expect(await runUntilDone('restore', options, ms, () => refusesToStart(options.place))).toBeGreaterThan(2)
    const database = await openPlace(options.place)
    const [wanted, found] = comparable(expected, await sampleRows(database))
    expect(found).toEqual(wanted)
    await database.close()
    expect(readdirSync(options.mediaDir)).toHaveLength(1)
  })
})

test('a backup with either side killed gets no name, and the next one is complete', async () => {
  const dataDir = join(directory, 'served')
  const env = { DATA_DIR: dataDir, DATABASE_URL: '', MASTER_KEY: '', PORT: '0', OPERATOR_TOKEN, LOG_LEVEL: 'info' }
  const serve = async () => {
    const server = startChild(MAIN, ['serve'], env)
    for await (const line of server.lines) {
      const url = /Greenroom listens at (http:\S+?)"/.exec(line)?.[1]
      if (url !== undefined) return { server, url }
    }
    throw new Error(server.errors())
  }
  let { server, url } = await serve()
  const file = join(directory, 'by-hand.backup')
  const take = () =>
    startChild(MAIN, ['backup', file, '--no-master-key'], {
      GREENROOM_URL: url,
      GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN,
    })
  for (const [round, victim] of (['client', 'server', 'client', 'server'] as const).entries()) {
    const client = take()
    const timer = setTimeout(
      () => (victim === 'client' ? client : server).process.kill('SIGKILL'),
      // Starting takes a part of this time.
      800 + round * 500,
    )
    const ended = await client.ended
    clearTimeout(timer)
    if (ended === 0) {
      rmSync(file)
    } else {
      expect(existsSync(file)).toBe(false)
    }
    server.process.kill('SIGKILL')
    await server.ended
    ;({ server, url } = await serve())
    expect(existsSync(join(dataDir, 'database.aside'))).toBe(false)
  }
  const last = take()
  expect([await last.ended, last.errors()]).toEqual([0, ''])
  expect((await verifyBackup(file)).rows).toBeGreaterThan(0)
  server.process.kill('SIGKILL')
  await server.ended
}, 600_000)
