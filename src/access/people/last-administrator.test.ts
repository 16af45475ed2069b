import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { FROM_OWN_PAGE, Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code } from '../../../test/people.js'
import { TEST_DATABASE_URL } from '../../../test/test-database.js'

let app: TestApp
let organizationId: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  organizationId = (await Tenant.create(app)).organizationId
})

const person = (role: 'ADMIN' | 'EDITOR' = 'ADMIN'): Promise<Member> => Member.create(app, { organizationId, role })
const pathOf = ({ id }: Member): string => `/organizations/${organizationId}/members/${id}`
const VIEWER = { body: { role: 'VIEWER' } }

test('the last administrator cannot demote or remove themselves until there is another one', async () => {
  const last = await person()
  await person('EDITOR')
  expect(code(await last.call(409, 'PATCH', pathOf(last), VIEWER))).toBe('last_administrator')
  expect(code(await last.call(409, 'DELETE', pathOf(last)))).toBe('last_administrator')
  await last.call(200, 'PATCH', pathOf(last), { body: { mayApprove: true } })
  const other = await person()
  await last.call(200, 'PATCH', pathOf(last), VIEWER)
  expect(code(await other.call(409, 'DELETE', pathOf(other)))).toBe('last_administrator')
})

test('a person who cannot sign in does not count as another administrator', async () => {
  const last = await person()
  const gone = await person()
  await operatorCall(app, 200, 'PATCH', `/server/people/${gone.id}`, { body: { active: false } })
  expect(code(await last.call(409, 'PATCH', pathOf(last), VIEWER))).toBe('last_administrator')
})

test('the operator token can remove the last one', async () => {
  const last = await person()
  await operatorCall(app, 200, 'PATCH', pathOf(last), VIEWER)
})

test.each([
  ['demote', 'PATCH', { role: 'VIEWER' }],
  ['remove', 'DELETE', undefined],
] as const)('of two who %s each other at the same time, one stays', async (_what, method, payload) => {
  const pair = [await person(), await person()] as const
  const ask = async (by: Member, of: Member) =>
    await app.app.inject({
      method,
      url: `/api${pathOf(of)}`,
      headers: { ...FROM_OWN_PAGE, cookie: by.cookie },
      ...(payload && { payload }),
    })
  const [a, b] = pair
  const replies = await whileHeld(pair, [() => ask(a, b), () => ask(b, a)])
  const statuses = replies.map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  // Refused for its effect, or because its caller lost the right first.
  expect([401, 403, 404, 409]).toContain(statuses.find((status) => status !== 200))
  const { body } = await operatorCall(app, 200, 'GET', `/organizations/${organizationId}/members`)
  expect(body.filter(({ role }: { role: string }) => role === 'ADMIN')).toHaveLength(1)
})

/**
 * Starts the calls while another transaction locks both memberships, until both wait for it. The embedded engine runs
 * one transaction at a time.
 */
async function whileHeld<T>(pair: readonly Member[], calls: (() => Promise<T>)[]): Promise<T[]> {
  const { database } = app.context
  if (TEST_DATABASE_URL === undefined) return Promise.all(calls.map((call) => call()))
  let begin = (): void => {}
  const held = new Promise<void>((resolve) => {
    begin = resolve
  })
  // Outside the transaction, which nothing else may use.
  const answers = calls.map((call) => held.then(call))
  await database.transaction(async (tx) => {
    await tx.query('select 1 from memberships where person_id = any($1) for update', [pair.map(({ id }) => id)])
    begin()
    await vi.waitFor(async () => {
      // Otherwise a transaction reads it only once.
      await tx.query('select pg_stat_clear_snapshot()')
      const { rows } = await tx.query(
        `select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%memberships%'`,
      )
      expect(rows).toHaveLength(2)
    }, 10_000)
  })
  return Promise.all(answers)
}
