import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Member, operatorCall, startTestApp, Tenant, type TestApp } from '../../../test/harness.js'
import { code, inviteAdmin, postConsole } from '../../../test/people.js'
import { newId } from '../../lib/ids.js'

let app: TestApp
let tenant: Tenant
let org: string
beforeAll(async () => {
  app = await startTestApp()
})
beforeEach(async () => {
  tenant = await Tenant.create(app)
  org = `/organizations/${tenant.organizationId}`
})

const admin = (): Promise<Member> => Member.create(app, { organizationId: tenant.organizationId, role: 'ADMIN' })
const pathOf = (of: Tenant): string => `/organizations/${of.organizationId}`
const invite = (by: Member, at = org, mail?: string) => inviteAdmin(by, at, mail)

describe('the effect of an ADMIN on other organizations', () => {
  test('does not include sessions: a change of rights or a removal leaves the person signed in there', async () => {
    const second = await Tenant.create(app)
    const boss = await Member.create(app, { organizationId: second.organizationId, role: 'ADMIN' })
    const { body } = await operatorCall(app, 201, 'POST', `${org}/invitations`, {
      body: { mail: boss.mail, role: 'VIEWER' },
    })
    await postConsole(app, 200, '/invitation/accept', { token: body.token, password: Member.PASSWORD })
    await boss.signInAgain()
    const one = await admin()
    const workspaces = (status: number, of: Tenant) =>
      boss.call(status, 'POST', `${pathOf(of)}/workspaces`, { body: { name: 'A', type: 'VIP' } })
    await workspaces(403, tenant)
    await one.call(200, 'PATCH', `${org}/members/${boss.id}`, { body: { role: 'ADMIN' } })
    await workspaces(201, tenant)
    await workspaces(201, second)
    await one.call(200, 'PATCH', `${org}/members/${boss.id}`, { body: { role: 'VIEWER' } })
    await workspaces(403, tenant)
    await one.call(200, 'DELETE', `${org}/members/${boss.id}`)
    await workspaces(404, tenant)
    await workspaces(201, second)
  })

  test('does not reveal whether someone has an account, by an invitation, a removal or what they made', async () => {
    const one = await admin()
    const stranger = await Member.create(app, { owner: true })
    const invited = [await invite(one, org, stranger.mail), await invite(one)]
    const shapes = invited.map((body) => Object.keys(body).toSorted())
    expect(shapes[0]).toEqual(shapes[1])
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', '/grants'],
    ] as const) {
      const replies = await Promise.all(
        [stranger.id, newId('usr')].map((id) => one.call(404, method, `${org}/members/${id}${path}`)),
      )
      expect(replies[0]!.body).toEqual(replies[1]!.body)
      expect(code(replies[0]!)).toBe('member_not_found')
    }
    await one.call(403, 'GET', `/server/people/${stranger.id}/grants`)
    await one.call(403, 'GET', `/server/people/${stranger.id}/sessions`)
    await one.call(403, 'DELETE', `/server/people/${stranger.id}/sessions`)
  })
})
