import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openSample, type Sample } from '../../test/backup-sample.js'
import {
  FROM_OWN_PAGE,
  Member,
  OPERATOR_TOKEN,
  operatorCall,
  type Reply,
  send,
  startTestApp,
  type TestApp,
} from '../../test/harness.js'
import { callWith, makeToken } from '../../test/personal-tokens.js'
import { migrate } from '../database/migrate.js'
import { openPglite } from '../database/pglite/pglite.js'
import { refuseUnfinished } from '../database/rows.js'
import { takeBack } from '../database/set-aside.js'
import { recordBackup } from './last-backup.store.js'
import { openPlace } from './place.js'
import { restoreBackup } from './restore.js'
import { endWaysIn } from './restored.store.js'

const directory = mkdtempSync(join(tmpdir(), 'greenroom-revived-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let sample: Sample
let file: string
let person: Member
let cookie: string
let removed: Member
let deactivated: Member
let tokens: { signIn: string; owner: string; invitation: string; review: string }
let personal: string
let key: { id: string }
let lateKey: { id: string }
const post = (app: TestApp, status: number, path: string, body: unknown): Promise<Reply> =>
  send(app.app, status, 'POST', `/api${path}`, { body, headers: FROM_OWN_PAGE })

beforeAll(async () => {
  sample = await openSample(join(directory, 'source'))
  const { app, organizationId } = sample
  const path = `/organizations/${organizationId}`
  const create = async (at: string, body: object = {}) => (await operatorCall(app, 201, 'POST', at, { body })).body
  person = await Member.create(app, { organizationId, role: 'ADMIN', mayApprove: true })
  removed = await Member.create(app, { organizationId, role: 'EDITOR' })
  deactivated = await Member.create(app, { organizationId, role: 'EDITOR' })
  const scheduled = await createWaitingPost()
  await person.call(201, 'POST', `${path}/own-calendar-feed`)
  tokens = {
    signIn: (await create(`/server/people/${person.id}/sign-in-link`)).token,
    owner: (await create('/server/owner-invitation')).token,
    invitation: (await create(`${path}/invitations`, { mail: 'zoe@example.com', role: 'ADMIN' })).token,
    review: (
      await person.call(201, 'POST', `${path}/review-links`, { body: { name: 'A', scheduledPostIds: [scheduled] } })
    ).body.token,
  }
  key = await create(`${path}/keys`, { name: 'till' })
  await create('/server/operator-tokens', { name: 'anna' })
  personal = (await makeToken(person, { scopes: ['posts:read'] })).token

  cookie = person.cookie
  app.clock.advance(60_000)
  file = join(directory, 'whole.backup')
  const response = await app.app.inject({
    method: 'POST',
    url: '/api/server/backups',
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
    payload: '{}',
  })
  writeFileSync(file, response.rawPayload)

  app.clock.advance(60_000)
  await post(app, 200, '/sign-in/link', { token: tokens.signIn })
  await operatorCall(app, 200, 'DELETE', `${path}/keys/${key.id}`)
  await operatorCall(app, 200, 'DELETE', '/server/operator-tokens/anna')
  lateKey = await create(`${path}/keys`)
  await person.call(200, 'PUT', '/me/password', {
    body: { currentPassword: Member.PASSWORD, newPassword: 'the words of afterwards' },
  })
  await person.call(200, 'POST', '/sign-out', { body: {} })
  await operatorCall(app, 200, 'DELETE', `${path}/members/${removed.id}`)
  await operatorCall(app, 200, 'PATCH', `/server/people/${deactivated.id}`, { body: { active: false } })
  await sample.close()

  async function createWaitingPost(): Promise<string> {
    const id = 'post_waiting'
    await sample.database.query(
      `insert into scheduled_posts (organization_id, scheduled_post_id, status, created_at, updated_at)
       values ($1, $2, 'WAITING_FOR_APPROVAL', now(), now())`,
      [organizationId, id],
    )
    return id
  }
})

/** The backup restored in its own place, with an app on it whose clock matches `sample`. */
async function restored(options: object = {}) {
  const place = await sample.newPlace()
  const report = await restoreBackup({
    ...{ file, place, mediaDir: undefined, passphrase: undefined, masterKeyFile: undefined },
    ...options,
  })
  const database = await openPlace(place)
  const app = await startTestApp({}, undefined, database)
  app.clock.set(new Date(sample.app.clock.now()).toISOString())
  onTestFinished(async () => {
    await app.app.close()
    await database.close()
  })
  return { app, database, report }
}

describe('a restored server', { timeout: 300_000 }, () => {
  test('admits no earlier session and no earlier link', async () => {
    const { app } = await restored()
    const me = { headers: { ...FROM_OWN_PAGE, cookie } }
    const outside = { headers: { authorization: `Bearer ${tokens.review}` } }
    const answers = {
      session: await statusOf(app, 'GET', '/api/me', me),
      signInLink: await statusOf(app, 'POST', '/api/sign-in/link', body(tokens.signIn)),
      ownerLink: await statusOf(app, 'POST', '/api/invitation/read', body(tokens.owner)),
      invitation: await statusOf(app, 'POST', '/api/invitation/read', body(tokens.invitation)),
      reviewLink: await statusOf(app, 'GET', '/api/review/posts', outside),
    }
    expect(answers).toEqual({ session: 401, signInLink: 400, ownerLink: 400, invitation: 400, reviewLink: 401 })
  })

  test('reports what changed since on the server that it replaces, and what it ended', async () => {
    const { database, app, report } = await restored({ replaces: sample.place, clock: sample.app.clock })
    const { organizationId } = sample
    const undone = report.undone!.map(({ what, id, name, organizationId: of, operation }) => ({
      ...{ what, id, name, of, operation },
    }))
    const named = ({ id, mail }: Member): { id: string; name: string } => ({ id, name: `Person ${id} <${mail}>` })
    expect(undone).toEqual([
      { what: 'key', id: key.id, name: null, of: organizationId, operation: 'revokeKey' },
      { what: 'operator token', id: 'anna', name: null, of: 'server', operation: 'revokeOperatorToken' },
      { what: 'key', id: lateKey.id, name: null, of: organizationId, operation: 'issueKey' },
      { what: 'password', ...named(person), of: 'server', operation: 'changePassword' },
      { what: 'member', ...named(removed), of: organizationId, operation: 'removeMember' },
      { what: 'person', ...named(deactivated), of: 'server', operation: 'updatePerson' },
    ])
    expect(report.undone![0]).toMatchObject({ effect: 'works again; revoke it', at: '2026-11-20T09:02:00.000Z' })
    expect(report.ended).toEqual({
      sessions: 3,
      'sign-ins under way': 0,
      'sign-in and owner links': 2,
      'personal tokens': 1,
      'logins of programs': 0,
      invitations: 1,
      'review links': 1,
      'calendar addresses': 1,
    })
    // The trail is that of the backup, plus one entry of the restore.
    const { rows } = await database.query('select operation from audit_trail order by audit_id desc limit 2')
    expect(rows).toEqual([{ operation: 'restoreBackup' }, { operation: 'createBackup' }])
    const trail = await operatorCall(app, 200, 'GET', '/server/audit?limit=1')
    expect(trail.body.items[0]).toMatchObject({
      at: '2026-11-20T09:02:00.000Z',
      target: { type: 'server', id: 'server' },
      changes: { madeAt: '2026-11-20T09:01:00.000Z', authenticated: false, ended: report.ended },
    })
    await callWith(app, personal, 401, 'GET', '/whoami')
    // The password from before the backup works again.
    await post(app, 200, '/sign-in', { mail: person.mail, password: Member.PASSWORD })
    const { body: members } = await operatorCall(app, 200, 'GET', `/organizations/${organizationId}/members`)
    expect(members.map(({ id }: { id: string }) => id)).toContain(removed.id)
  })

  test('lists nothing if nothing changed, and a newer backup if there is one', async () => {
    const [first, second] = [await sample.newPlace(), await sample.newPlace()]
    await restoreBackup({ ...plain, file, place: first })
    const between = await openPlace(first)
    await recordBackup(between, {
      made_at: new Date('2026-11-21'),
      file: 'newer.backup',
      bytes: 1,
      master_key: false,
      missing_media: 0,
    })
    await between.close()
    const report = await restoreBackup({ ...plain, file, place: second, replaces: first })
    expect(report.undone).toEqual([])
    expect(report.newerBackup).toMatchObject({ file: 'newer.backup' })
    expect((await restored()).report).toMatchObject({ undone: undefined, newerBackup: undefined })
  })

  test('does not trust the trail of another installation, and leaves nothing that starts', async () => {
    const other = await sample.newPlace()
    const database = 'url' in other ? await openPlace(other) : await openPglite({ dataDir: other.dataDir })
    await migrate(database)
    await database.close()
    const place = await sample.newPlace()
    await expect(restoreBackup({ ...plain, file, place, replaces: other })).rejects.toThrow(
      'from different installations',
    )
    await expect(restoreBackup({ ...plain, file, place, replaces: { dataDir: directory } })).rejects.toThrow(
      'There is no database in',
    )
    const starting = openPlace(place).then(async (opened) => {
      await refuseUnfinished(opened, 'there').finally(() => opened.close())
    })
    await expect(starting).rejects.toThrow(/There is no database|is not complete/)
  })
})

test('every table with the digest of a token is emptied by a restore, or listed here', async () => {
  const database = await openPlace(sample.place)
  // Another test has replaced it.
  await takeBack(database)
  const { rows } = await database.query<{ name: string }>(
    `select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attname like '%token_hash'
      order by c.relname`,
  )
  const ended = await database.transaction((tx) =>
    endWaysIn(
      tx,
      rows.map(({ name }) => name),
    ),
  )
  await database.close()
  // The restore lists operator tokens by name.
  expect(Object.keys(ended)).toHaveLength(rows.length - ['operator_tokens'].length)
})

const plain = { mediaDir: undefined, passphrase: undefined, masterKeyFile: undefined }
const body = (token: string) => ({ headers: FROM_OWN_PAGE, payload: { token } })
const statusOf = async ({ app }: TestApp, method: 'GET' | 'POST', url: string, options: object): Promise<number> =>
  (await app.inject({ method, url, ...options })).statusCode
