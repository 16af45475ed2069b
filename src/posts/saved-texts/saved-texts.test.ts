import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, type Reply, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { operatorAny } from '../../../test/posts.js'
import { limit } from '../../lib/limits.js'

let app: TestApp
let tenant: Tenant
let editor: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  editor = await Member.create(app, { organizationId: tenant.organizationId, role: 'EDITOR' })
})

const path = (tail = '', of = tenant): string => `/organizations/${of.organizationId}/saved-texts${tail}`
const codeOf = ({ headers }: Reply): unknown => headers['x-error-code']
const hours = { kind: 'TEXT', name: 'Opening hours', text: 'Open from 8 to 6.\nClosed on Sundays 🌙' }
const create = (status: number, body: object): Promise<Reply> => editor.call(status, 'POST', path(), { body })
const list = async (): Promise<{ id: string; name: string }[]> => (await editor.call(200, 'GET', path())).body

test('a saved text is created, listed by name, renamed, replaced and deleted, each with an entry in the trail', async () => {
  const { id, ...rest } = (await create(201, hours)).body
  expect(rest).toEqual(hours)
  const tags = (await create(201, { kind: 'HASHTAGS', name: 'bread', text: '#bread #bakery' })).body
  expect(await list()).toEqual([tags, { id, ...hours }])
  const renamed = await editor.call(200, 'PATCH', path(`/${id}`), { body: { name: 'A: hours' } })
  expect(renamed.body).toEqual({ id, ...hours, name: 'A: hours' })
  await editor.call(200, 'PATCH', path(`/${id}`), { body: { text: 'Closed.' } })
  // A repeat changes nothing, and leaves no entry.
  await editor.call(200, 'PATCH', path(`/${id}`), { body: { text: 'Closed.' } })
  expect(await list()).toEqual([{ id, ...hours, name: 'A: hours', text: 'Closed.' }, tags])
  expect((await editor.call(200, 'DELETE', path(`/${id}`))).body).toEqual({ id })
  expect(codeOf(await editor.call(404, 'DELETE', path(`/${id}`)))).toBe('saved_text_not_found')
  expect(await list()).toEqual([tags])
  const audit = `/organizations/${tenant.organizationId}/audit?targetType=savedText`
  const { items } = (await operatorCall(app, 200, 'GET', audit)).body
  type Entry = { operation: string; actor: { id: string }; changes: object }
  expect(items.map(({ operation, actor, changes }: Entry) => [operation, actor.id, changes]).reverse()).toEqual([
    ['createSavedText', editor.id, { kind: 'TEXT', name: 'Opening hours' }],
    ['createSavedText', editor.id, { kind: 'HASHTAGS', name: 'bread' }],
    ['updateSavedText', editor.id, { name: 'A: hours' }],
    ['updateSavedText', editor.id, { name: 'A: hours', text: 'replaced' }],
    ['deleteSavedText', editor.id, { kind: 'TEXT', name: 'A: hours' }],
  ])
})

describe('a name', () => {
  test('is unique for each kind, ignoring case', async () => {
    await create(201, hours)
    const again = await create(409, { ...hours, name: 'opening HOURS' })
    expect([codeOf(again), again.body.message]).toEqual(['already_exists', expect.stringContaining('opening HOURS')])
    await create(201, { ...hours, kind: 'HASHTAGS' })
    const { id } = (await create(201, { ...hours, name: 'Other' })).body
    expect(codeOf(await editor.call(409, 'PATCH', path(`/${id}`), { body: { name: 'OPENING hours' } }))).toBe(
      'already_exists',
    )
    await editor.call(200, 'PATCH', path(`/${id}`), { body: { name: 'OTHER' } })
  })

  test('is unique even for two simultaneous writers', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => operatorAny(tenant, 'POST', '/saved-texts', { body: hours })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const other = (await create(201, { ...hours, name: 'Other' })).body.id
    const third = (await create(201, { ...hours, name: 'Third' })).body.id
    const body = { name: 'One name' }
    const changes = await Promise.all(
      [other, third].map((id) => operatorAny(tenant, 'PATCH', `/saved-texts/${id}`, { body })),
    )
    expect(changes.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test.each([
    ['an empty name', { name: '' }],
    ['an invisible name', { name: '\u200b' }],
    ['a name with spaces around it', { name: ' Hours ' }],
    ['no text', { text: undefined }],
    ['a blank text', { text: ' \n ' }],
    ['a text that is too long', { text: 'x'.repeat(limit('savedTextChars') + 1) }],
    ['another kind', { kind: 'EMOJI' }],
  ])('%s is refused', async (_what, changes) => {
    await create(422, { ...hours, ...changes })
  })
})

test('there is a maximum number, even for two simultaneous writers', async () => {
  const many = limit('savedTexts')
  await app.context.database.query(
    `insert into saved_texts (organization_id, saved_text_id, kind, name, text, created_at, updated_at)
     select $1, 'text_' || n, 'TEXT', 'Text ' || n, 'x', now(), now() from generate_series(2, $2::int) n`,
    [tenant.organizationId, many],
  )
  const answers = await Promise.all(
    ['a', 'b'].map((name) => operatorAny(tenant, 'POST', '/saved-texts', { body: { ...hours, name } })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(answers.map(codeOf)).toContain('saved_texts_full')
  expect(await list()).toHaveLength(many)
})

test('another organization does not see them, and a viewer can only read them', async () => {
  const { id } = (await create(201, hours)).body
  const other = await Tenant.create(app)
  const stranger = await Member.create(app, { organizationId: other.organizationId, role: 'EDITOR' })
  await stranger.call(404, 'GET', path())
  for (const method of ['PATCH', 'DELETE'] as const) {
    const reply = await stranger.call(
      404,
      method,
      path(`/${id}`, other),
      method === 'PATCH' ? { body: { name: 'x' } } : {},
    )
    expect(codeOf(reply)).toBe('saved_text_not_found')
  }
  const viewer = await Member.create(app, { organizationId: tenant.organizationId, role: 'VIEWER' })
  expect((await viewer.call(200, 'GET', path())).body).toHaveLength(1)
  await viewer.call(403, 'POST', path(), { body: { ...hours, name: 'x' } })
  await viewer.call(403, 'DELETE', path(`/${id}`))
})
