import { beforeEach, expect, test } from 'vitest'
import { openStartDatabase } from '../../test/test-database.js'
import type { Database } from '../database/database.js'
import {
  type Claimed,
  type ClaimRequest,
  claimDue,
  deleteClaimed,
  endClaim,
  putOff,
  type WorkTable,
} from './claims.store.js'

interface Job extends Claimed {
  organization_id: string
  job_id: string
  attempts: number
}

const JOBS: WorkTable = {
  name: 'jobs',
  key: ['organization_id', 'job_id'],
  waiting: `t.state = 'PENDING'`,
  columns: 't.organization_id, t.job_id, t.attempts',
}
const FAIR_JOBS: WorkTable = {
  ...JOBS,
  fair: {
    by: 'organization_id',
    max: 3,
    among: `select distinct organization_id from jobs where state = 'PENDING' and next_attempt_at <= $1`,
  },
}
const LEASE_MS = 60_000
const NOW = Date.parse('2026-11-20T09:00:00Z')

let database: Database
beforeEach(async () => {
  database = await openStartDatabase()
  await database.execute(
    `create table jobs (organization_id text, job_id text, state text not null default 'PENDING', next_attempt_at timestamptz,
                        attempts integer not null default 0, leased_by text, leased_until timestamptz,
                        primary key (organization_id, job_id))`,
  )
})

const at = (seconds: number): Date => new Date(NOW + seconds * 1_000)
async function insert(organization: string, count: number, dueAt = at(0)): Promise<void> {
  await database.query(
    `insert into jobs (organization_id, job_id, next_attempt_at)
     select $1, $1 || to_char(n, 'FM000'), $3::timestamptz + n * interval '1 millisecond' from generate_series(1, $2::integer) n`,
    [organization, count, dueAt],
  )
}
const claim = (table: WorkTable, request: Partial<ClaimRequest> = {}): Promise<Job[]> =>
  claimDue<Job>(database, table, {
    ...{ now: at(60), leaseMs: LEASE_MS, limit: 10 },
    ...request,
  })
const idsOf = (jobs: readonly Job[]): string[] => jobs.map(({ job_id }) => job_id).toSorted()
const stored = async (): Promise<unknown[]> =>
  (await database.query('select job_id, state, attempts, leased_by from jobs order by job_id')).rows

test('due rows are claimed, oldest first, and nothing else', async () => {
  await insert('a', 3)
  await insert('b', 1, at(90))
  await database.query(`update jobs set state = 'DONE' where job_id = 'a003'`)
  expect(idsOf(await claim(JOBS, { limit: 1 }))).toEqual(['a001'])
  expect(idsOf(await claim(JOBS))).toEqual(['a002'])
  expect(await claim(JOBS)).toEqual([])
  expect(await claim(JOBS, { now: at(89), limit: 0 })).toEqual([])
})

test.each([
  ['in the order of their time', JOBS],
  ['fair by organization', FAIR_JOBS],
])('of many claimers at once each row has one: %s', async (_, table) => {
  await insert('a', 20)
  await insert('b', 20)
  const all = await Promise.all(Array.from({ length: 8 }, () => claim(table, { limit: 5 })))
  const ids = all.flat().map(({ job_id }) => job_id)
  expect(ids.length).toBeGreaterThan(0)
  expect(new Set(ids).size).toBe(ids.length)
  for (const jobs of all) expect(new Set(jobs.map(({ leased_by }) => leased_by)).size).toBeLessThanOrEqual(1)
})

test('a row whose worker died is claimed again when its lease ends, and not before', async () => {
  await insert('a', 1)
  expect(await claim(JOBS)).toHaveLength(1)
  expect(await claim(JOBS, { now: at(119) })).toEqual([])
  expect(idsOf(await claim(JOBS, { now: at(120) }))).toEqual(['a001'])
})

test('a worker that ends late changes nothing that another has claimed', async () => {
  await insert('a', 1)
  const [late] = await claim(JOBS)
  const [present] = await claim(JOBS, { now: at(120) })
  const before = await stored()
  expect(await endClaim(database, JOBS, late!, `state = 'DONE'`)).toBe(false)
  expect(await putOff(database, JOBS, late!, at(500))).toBe(false)
  expect(await deleteClaimed(database, JOBS, late!)).toBe(false)
  expect(await stored()).toEqual(before)
  expect(await endClaim(database, JOBS, present!, `state = $1, next_attempt_at = $2`, ['DONE', null])).toBe(true)
  expect(await stored()).toEqual([{ job_id: 'a001', state: 'DONE', attempts: 0, leased_by: null }])
  expect(await endClaim(database, JOBS, present!, `state = 'DONE'`)).toBe(false)
})

test('a postponed row is due at its time again, and counts its attempts; a released one is due at once', async () => {
  await insert('a', 1)
  const [job] = await claim(JOBS)
  expect(await putOff(database, JOBS, job!, at(200))).toBe(true)
  expect(await claim(JOBS, { now: at(199) })).toEqual([])
  const [again] = await claim(JOBS, { now: at(200) })
  expect(again).toMatchObject({ job_id: 'a001', attempts: 1 })
  expect(await endClaim(database, JOBS, again!, '')).toBe(true)
  const [third] = await claim(JOBS, { now: at(200) })
  expect(await deleteClaimed(database, JOBS, third!)).toBe(true)
  expect(await stored()).toEqual([])
})

test('an organization with many rows does not delay another: they take turns, with a maximum at once', async () => {
  await insert('a', 50)
  await insert('b', 2, at(30))
  await insert('c', 1, at(31))
  expect(idsOf(await claim(FAIR_JOBS, { limit: 4 }))).toEqual(['a001', 'a002', 'b001', 'c001'])
  const held = new Map([
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ])
  expect(idsOf(await claim(FAIR_JOBS, { held }))).toEqual(['a003', 'b002'])
  expect(await claim(FAIR_JOBS, { held: new Map([['a', 3]]) })).toEqual([])
})

test('one at a time, the organizations take turns, starting again after the last', async () => {
  for (const organization of ['a', 'b', 'c']) await insert(organization, 2)
  const order: string[] = []
  let after = ''
  for (let turn = 0; turn < 7; turn++) {
    const [job] = await claim(FAIR_JOBS, { limit: 1, after })
    if (job === undefined) break
    after = job.organization_id
    order.push(job.job_id)
  }
  expect(order).toEqual(['a001', 'b001', 'c001', 'a002', 'b002', 'c002'])
})

test('one claim locks no rows of the many organizations whose turn comes later', async () => {
  const organizations = Array.from({ length: 30 }, (_, index) => `org${String(index).padStart(2, '0')}-`)
  for (const organization of organizations) await insert(organization, 2)
  expect(idsOf(await claim(FAIR_JOBS, { limit: 1 }))).toEqual(['org00-001'])
  const { rows } = await database.query<{ job_id: string }>(
    `select job_id from jobs where xmax::text <> '0' and leased_by is null order by job_id desc limit 1`,
  )
  expect(rows).toEqual([{ job_id: 'org10-002' }])
})
