import { describe, expect, test } from 'vitest'
import { OPERATOR_TOKEN, startTestApp, type TestApp, TestClock } from '../../test/harness.js'
import { openTestDatabase } from '../../test/test-database.js'
import { type Disk, hasRoomForChanges } from '../observability/disks.js'
import { createHealth } from '../observability/health.js'
import { type Database, DatabaseUnavailableError, onlyReads, translateError } from './database.js'

/** The write errors of the drivers, and their reasons. */
const ERRORS: [name: string, error: Error, words: RegExp][] = [
  ['a full disk of PostgreSQL', coded('53100', 'could not extend file'), /disk of the database is full/],
  ['a full disk of the embedded engine', coded('ENOSPC', 'no space left'), /disk of the database is full/],
  ['a quota of the disk', caused(coded('EDQUOT', 'disk quota exceeded')), /disk of the database is full/],
  ['DATA_MAX_MB', caused(coded('DATA_MAX_MB', 'reached')), /reached DATA_MAX_MB/],
  ['a standby', coded('25006', 'cannot execute INSERT in a read-only transaction'), /read-only/],
  ['a read-only disk', caused(coded('EROFS', 'read-only file system')), /read-only/],
  ['a disk that breaks', coded('58030', 'could not write'), /cannot write to its disk/],
  ['a directory of someone else', caused(coded('EACCES', 'permission denied')), /cannot write to its disk/],
]

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
function caused(cause: Error): Error {
  return new DatabaseUnavailableError(new Error('the engine died', { cause }))
}

/** An app on the test database whose writes fail according to `state`: all, or only large ones. */
async function start() {
  const database = await openTestDatabase()
  const state = { refuse: undefined as Error | undefined, isSmallWritten: false, writes: 0 }
  const refuse = (text: string): void => {
    if (onlyReads(text)) return
    state.writes += 1
    if (state.refuse === undefined || (state.isSmallWritten && !text.includes('repeat('))) return
    throw translateError(state.refuse)
  }
  const own: Database = {
    ...database,
    async query(text, values) {
      refuse(text)
      return await database.query(text, values)
    },
    transaction: (work, organizationId) =>
      database.transaction(
        (tx) =>
          work({
            async query(text, values) {
              refuse(text)
              return await tx.query(text, values)
            },
            async execute(text) {
              refuse(text)
              await tx.execute(text)
            },
          }),
        organizationId,
      ),
  }
  const app = await startTestApp({}, undefined, own)
  return { app, state }
}

const call = (app: TestApp, method: 'GET' | 'POST', url: string, payload?: object) =>
  app.app.inject({ method, url, headers: { authorization: `Bearer ${OPERATOR_TOKEN}` }, ...(payload && { payload }) })
const write = async (app: TestApp) => (await call(app, 'POST', '/api/organizations', { name: 'A' })).statusCode
const ready = async (app: TestApp) => {
  const { statusCode, headers, json } = await call(app, 'GET', '/readyz')
  return { status: statusCode, code: headers['x-error-code'], message: json().message }
}

describe('/readyz', () => {
  test.each(
    ERRORS,
  )('is a 503 while writes fail because of %s, and a 200 when they work again', async (_, error, words) => {
    const { app, state } = await start()
    expect(await ready(app)).toMatchObject({ status: 200 })
    state.refuse = error
    expect(await write(app)).toBe(503)
    for (const path of ['/readyz', '/readyz?database=needed']) {
      const answer = await call(app, 'GET', path)
      expect([answer.statusCode, answer.headers['x-error-code']]).toEqual([503, 'writes_refused'])
      expect(answer.headers['retry-after']).toBe('5')
      expect(answer.json().message).toMatch(words)
    }
    const { ready: isReady, problem } = (await call(app, 'GET', '/status')).json()
    expect([isReady, problem]).toEqual([false, expect.stringMatching(words)])
    // Reads continue.
    expect((await call(app, 'GET', '/api/organizations')).statusCode).toBe(200)
    state.refuse = undefined
    app.clock.advance(1_000)
    expect(await ready(app)).toMatchObject({ status: 200 })
    expect(await write(app)).toBe(201)
  })

  test('stays a 503 while small writes work and larger ones do not', async () => {
    const { app, state } = await start()
    state.refuse = coded('53100', 'could not extend file')
    expect(await write(app)).toBe(503)
    state.isSmallWritten = true
    expect(await write(app)).toBe(201)
    for (let probe = 0; probe < 3; probe += 1) {
      app.clock.advance(1_000)
      expect(await ready(app)).toMatchObject({ status: 503, code: 'writes_refused' })
    }
  })

  test('writes nothing until a write has failed, and then at most once a second', async () => {
    const { app, state } = await start()
    const before = state.writes
    for (let probe = 0; probe < 10; probe += 1) await ready(app)
    expect(state.writes).toBe(before)
    state.refuse = coded('53100', 'could not extend file')
    await write(app)
    const failing = state.writes
    for (let probe = 0; probe < 10; probe += 1) await ready(app)
    expect(state.writes).toBe(failing + 1)
  })

  test('is not a 503 for a change that is refused for its content', async () => {
    const { app, state } = await start()
    state.refuse = coded('23514', 'violates check constraint')
    expect(await write(app)).toBe(500)
    expect(await ready(app)).toMatchObject({ status: 200 })
  })

  test.each([
    [16 * 1024 ** 2 - 1, 'writes_refused'],
    [16 * 1024 ** 2, undefined],
  ])('of an idle embedded database with %i bytes left on its disk fails with %s', async (freeBytes, code) => {
    const disk: Disk = {
      directory: 'data',
      setting: 'DATA_DIR',
      path: '/data',
      freeBytes,
      sizeBytes: 1024 ** 3,
      device: 1,
    }
    const database: Database = { ...(await openTestDatabase()), engine: 'pglite' }
    const hasRoom = () => hasRoomForChanges(async () => [disk])
    const delays = async () => ({ count: 0 })
    const health = createHealth({ clock: new TestClock(), database }, undefined, delays, () => false, { hasRoom })
    if (code === undefined) expect(await health.readiness(false)).toMatchObject({ status: 'ready' })
    else await expect(health.readiness(false)).rejects.toMatchObject({ code })
  })
})
