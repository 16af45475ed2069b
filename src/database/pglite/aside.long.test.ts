import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Database } from '../database.js'
import { openPglite } from './pglite.js'

const ACCOUNTS = 20_000
const TOTAL = ACCOUNTS * 100

const directory = mkdtempSync(join(tmpdir(), 'greenroom-aside-'))
let database: Database
beforeAll(async () => {
  database = await openPglite({ dataDir: directory })
  await database.execute(`
    create table accounts (id int primary key, amount bigint not null, filler text not null default repeat('x', 200));
    create table moves (id int primary key, amount bigint not null);
    insert into accounts select i, 100 from generate_series(1, ${ACCOUNTS}) i`)
})
afterAll(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Moves amounts between distant accounts until it is stopped; the sum stays. Returns how often it did. */
function startMoving(): { stop(): Promise<number> } {
  let stopped = false
  const done = (async () => {
    let moves = 0
    for (; !stopped; moves++) {
      const from = 1 + ((moves * 7_919) % ACCOUNTS)
      const to = 1 + ((moves * 104_729 + 11_003) % ACCOUNTS)
      await database.transaction(async (tx) => {
        await tx.query('update accounts set amount = amount - 1 where id = $1', [from])
        await tx.query('update accounts set amount = amount + 1 where id = $1', [to])
        await tx.query('insert into moves values ($1, 1) on conflict (id) do update set amount = moves.amount + 1', [
          1 + (moves % 500),
        ])
      })
    }
    return moves
  })()
  return {
    async stop() {
      stopped = true
      return await done
    },
  }
}

describe('reading aside from a database during writes', () => {
  test('shows one moment of it, while the writers continue', async () => {
    const writer = startMoving()
    onTestFinished(async () => void (await writer.stop()))
    const [before] = (await database.query<{ n: number }>('select coalesce(sum(amount), 0)::bigint n from moves')).rows
    for (let round = 0; round < 3; round++) {
      const seen = await database.readAside(async (tx) => {
        const { rows } = await tx.query<{ total: number; moved: number; accounts: number }>(
          `select (select sum(amount)::bigint from accounts) total, (select count(*) from accounts) accounts,
                  (select coalesce(sum(amount), 0)::bigint from moves) moved`,
        )
        const at = (await database.query<{ n: number }>('select sum(amount)::bigint n from moves')).rows[0]!.n
        // It returns the same again, although others have written since.
        const { rows: again } = await tx.query<{ moved: number }>('select sum(amount)::bigint moved from moves')
        expect(again[0]!.moved).toBe(rows[0]!.moved)
        expect(at).toBeGreaterThan(rows[0]!.moved)
        return rows[0]!
      })
      expect(seen).toMatchObject({ total: TOTAL, accounts: ACCOUNTS })
      expect(seen.moved).toBeGreaterThan(before!.n)
    }
    expect(await writer.stop()).toBeGreaterThan(50)
  })

  test("leaves nothing behind, even if it fails, and the copy's errors keep their code", async () => {
    await expect(database.readAside((tx) => tx.query('select 1 / 0'))).rejects.toMatchObject({ code: '22012' })
    await expect(database.readAside(async () => Promise.reject(new Error('enough')))).rejects.toThrow('enough')
    expect(existsSync(join(directory, 'database.aside'))).toBe(false)
  })

  test('two at once take turns', async () => {
    const count = () =>
      database.readAside(async (tx) => (await tx.query<{ n: number }>('select count(*) n from accounts')).rows[0]!.n)
    expect(await Promise.all([count(), count()])).toEqual([ACCOUNTS, ACCOUNTS])
  })

  test('a checkpoint that was due in the meantime is made afterwards', async () => {
    const lsn = async () =>
      (await database.query<{ lsn: string }>('select redo_lsn::text lsn from pg_control_checkpoint()')).rows[0]!.lsn
    const before = await lsn()
    const filling = (async () => {
      // These are more changes than one round of maintenance waits for.
      for (let i = 0; i < 12; i++) await database.query('update accounts set amount = amount where id <= 2000')
    })()
    await database.readAside(async (tx) => void (await tx.query('select 1')))
    await filling
    await expect.poll(lsn, { timeout: 30_000 }).not.toBe(before)
  })
})
