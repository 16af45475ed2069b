import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, type TestApp } from '../../../test/harness.js'

let app: TestApp
let person: Member
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  person = await Member.create(app)
})

const put = async (status: number, body: object) => (await person.call(status, 'PUT', '/me/preferences', { body })).body
const me = async (by = person) => (await by.call(200, 'GET', '/me')).body.person

describe('the language and the time zone of a person', () => {
  test('default to those of the browser and of the organization', async () => {
    expect(await me()).toMatchObject({ language: null, timeZone: null })
  })

  test('are returned with the person, and are reset with null', async () => {
    const chosen = { language: 'pt', timeZone: 'America/Sao_Paulo' }
    expect((await put(200, chosen)).person).toMatchObject(chosen)
    expect(await me()).toMatchObject(chosen)
    await put(200, { language: null, timeZone: null })
    expect(await me()).toMatchObject({ language: null, timeZone: null })
  })

  test("are recorded in the server's audit trail when they change", async () => {
    const chosen = { language: 'es', timeZone: null }
    await put(200, chosen)
    const { items } = (await operatorCall(app, 200, 'GET', '/server/audit?limit=200')).body
    const entry = items.find((one: { operation: string; target: { id: string } }) => one.target.id === person.id)
    expect(entry).toMatchObject({
      operation: 'setOwnPreferences',
      actor: { type: 'user', id: person.id },
      changes: chosen,
    })
  })

  test('affect no one else', async () => {
    const other = await Member.create(app)
    await put(200, { language: 'de', timeZone: 'Europe/Berlin' })
    expect(await me(other)).toMatchObject({ language: null, timeZone: null })
  })

  test.each([
    { language: 'fr', timeZone: null },
    { language: 'pt-BR', timeZone: null },
    { language: null, timeZone: 'Mars/Olympus' },
    { language: null, timeZone: '+02:00' },
    { language: 'en' },
    {},
  ])('stay unchanged if %j is refused', async (body) => {
    await put(422, body)
    expect(await me()).toMatchObject({ language: null, timeZone: null })
  })
})
