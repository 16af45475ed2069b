import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { listOrganizations, operatorCall, startTestApp, TestClock } from '../../../test/harness.js'
import { jpeg } from '../../../test/media.js'
import { canMount } from '../../../test/tools.js'
import { openPglite } from './pglite.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-full-disk-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Uses up the free space of a disk. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  for (const bytes of [1024 * 1024, 4096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes))
    } catch {
      // No more of this size fit.
    }
  }
  closeSync(file)
}

test.runIf(canMount())(
  'on a full disk changes get a 503 with Retry-After, and nothing acknowledged is lost once there is room',
  async () => {
    const mounted = join(directory, 'small')
    mkdirSync(mounted)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', mounted])
    onTestFinished(() => void execFileSync('umount', [mounted]))
    const clock = new TestClock()
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const database = await openPglite({ dataDir: join(mounted, 'data'), clock, log })
    onTestFinished(() => database.close())
    const mediaDir = join(mounted, 'media')
    const app = await startTestApp(
      {
        media: { dir: mediaDir },
        http: { publicUrl: 'https://greenroom.example' },
        database: { dataDir: join(mounted, 'data') },
      },
      log,
      database,
    )
    const acknowledged: string[] = []
    const create = async (): Promise<number> => {
      const response = await app.app.inject({
        method: 'POST',
        url: '/api/organizations',
        headers: { authorization: 'Bearer operator-token-of-the-tests', 'content-type': 'application/json' },
        payload: JSON.stringify({ name: 'N'.repeat(200) }),
      })
      if (response.statusCode === 201) acknowledged.push(response.json().id)
      else {
        expect([response.headers['x-error-code'], response.headers['retry-after']]).toEqual([
          'database_unavailable',
          '5',
        ])
      }
      return response.statusCode
    }
    expect(await create()).toBe(201)
    fill(join(mounted, 'filler'))
    const picture = await app.app.inject({
      method: 'POST',
      url: `/api/organizations/${acknowledged[0]}/media`,
      headers: { authorization: 'Bearer operator-token-of-the-tests', 'content-type': 'image/jpeg' },
      payload: jpeg(1_080, 1_080),
    })
    expect([picture.statusCode, picture.headers['x-error-code'], picture.headers['retry-after']]).toEqual([
      ...[503, 'disk_full', '60'],
    ])
    // Rows that fit into the database's existing pages can still be written.
    let last = 201
    for (let times = 0; times < 400 && last === 201; times++) last = await create()
    expect(last).toBe(503)
    const ready = async () => {
      const { statusCode, headers } = await app.app.inject({ url: '/readyz' })
      return [statusCode, headers['x-error-code']]
    }
    app.clock.advance(5_000)
    clock.advance(5_000)
    expect(await ready()).toEqual([503, 'writes_refused'])
    const named = lines.map((line) => JSON.parse(line)).filter(({ code, level }) => code === 'ENOSPC' && level === 50)
    expect(named.map(({ msg }) => msg).join()).toContain('the disk of the embedded database is full')
    rmSync(join(mounted, 'filler'))
    clock.advance(5_000)
    app.clock.advance(5_000)
    expect(await ready()).toEqual([200, undefined])
    expect(await create()).toBe(201)
    const there = (await listOrganizations(app)).map(({ id }) => id)
    expect(there).toEqual(expect.arrayContaining(acknowledged))
    await operatorCall(app, 200, 'GET', `/organizations/${acknowledged[0]}/keys`)
  },
)
