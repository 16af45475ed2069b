import { render } from 'preact'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { App } from '../../../src/console/app.tsx'
import { sessionEnded } from '../../../src/console/connection.ts'
import { useMe } from '../../../src/console/organization.ts'
import { Session } from '../../../src/console/session.tsx'
import { Own } from '../../../src/console/settings/account.tsx'
import { Shell } from '../../../src/console/shell.tsx'
import { field, ORGANIZATION, press, show, textOf, type, until, untilShown } from './page.tsx'
import { FakeService, refusal } from './service.ts'

const ME = {
  person: { id: 'p1', name: 'Anna', mail: 'anna@example.com', language: null, timeZone: null },
  organizations: [ORGANIZATION, { ...ORGANIZATION, id: 'org_2', name: 'Strict', requireSecondFactor: true }],
  session: { secondFactor: false },
  version: '0.1.0',
}
let service: FakeService

beforeEach(() => {
  service = new FakeService()
  service.on('GET', '/sign-in', { body: { password: true, passkey: false } })
  service.on('GET', '/organizations/*/scheduled-posts', { body: { items: [], nextCursor: null } })
  service.on('GET', '/organizations/*/members', { body: [] })
  onTestFinished(() => sessionEnded.set(false))
})

describe('the entrance', () => {
  const Inside = () => <p>{`Hello ${useMe().person.name}`}</p>
  const open = () =>
    show(
      <Session>
        <Inside />
      </Session>,
    )
  const signIn = (): void => document.querySelector('form')!.requestSubmit()

  test('shows the page to a signed-in person', async () => {
    service.on('GET', '/me', { body: ME })
    open()
    await untilShown('Hello Anna')
    expect(document.querySelector('form')).toBeNull()
  })

  test('asks others to sign in, shows what is wrong, and then shows the page', async () => {
    service.on('GET', '/me', refusal(401, 'session_missing'))
    service.on('POST', '/sign-in', refusal(401, 'credentials_wrong', { message: 'They do not belong together.' }))
    open()
    type(await until(() => field('Email address')), 'anna@example.com')
    type(field('Password'), 'secret words')
    signIn()
    await untilShown('They do not belong together.')
    expect(field('Password').value).toBe('secret words')
    service.on('POST', '/sign-in', () => {
      service.on('GET', '/me', { body: ME })
      return { body: ME }
    })
    signIn()
    await untilShown('Hello Anna')
    expect(service.made('POST', '/sign-in').at(-1)!.body).toEqual({
      mail: 'anna@example.com',
      password: 'secret words',
    })
  })

  test('reads nothing more after a person has signed out on all devices, and removes the page', async () => {
    const assign = vi.spyOn(location, 'assign').mockReturnValue()
    onTestFinished(() => assign.mockRestore())
    service.on('GET', '/me', { body: ME })
    service.on('GET', '/me/sessions', { body: [] })
    service.on('DELETE', '/me/sessions', () => {
      service.on('GET', '/me/sessions', refusal(401, 'session_missing'))
      return { body: {} }
    })
    show(
      <Session>
        <Own />
      </Session>,
    )
    await until(() => expect(service.made('GET', '/me/sessions')).toHaveLength(1))
    await press('Sign out on all devices')
    await until(() => expect(assign).toHaveBeenCalledOnce())
    await new Promise((resolve) => setTimeout(resolve))
    expect(service.made('GET', '/me/sessions')).toHaveLength(1)
    expect(textOf()).not.toContain('You have been signed out')
  })

  test('keeps the page behind a form when the session ends in the middle', async () => {
    service.on('GET', '/me', { body: ME })
    open()
    await untilShown('Hello Anna')
    sessionEnded.set(true)
    await untilShown('You have been signed out')
    expect(textOf()).toContain('Hello Anna')
    await until(() => expect(field('Email address').value).toBe('anna@example.com'))
    service.on('POST', '/sign-in', { body: ME })
    type(field('Password'), 'secret words')
    signIn()
    await until(() => expect(document.querySelector('dialog')).toBeNull())
    expect(textOf()).toBe('Hello Anna')
  })

  test('reports that the service is unavailable, and continues when it is back', async () => {
    service.on('GET', '/me', refusal(503, 'database_unavailable'))
    open()
    await untilShown('cannot reach its database right now')
    service.on('GET', '/me', { body: ME })
    await press('Try again')
    await untilShown('Hello Anna')
  })
})

describe('an address', () => {
  function open(path: string): void {
    service.on('GET', '/me', { body: ME })
    history.replaceState(null, '', path)
    const root = document.body.appendChild(document.createElement('div'))
    onTestFinished(() => {
      render(null, root)
      root.remove()
    })
    render(<App />, root)
  }

  test('of an organization’s page opens it', async () => {
    open('/o/org_1/approvals')
    await untilShown('Nothing is waiting for you')
    await until(() => expect(document.title).toBe('Approvals · Greenroom'))
    expect(document.querySelector('nav [aria-current=page]')?.getAttribute('href')).toBe('/o/org_1/approvals')
  })

  test('that is the root opens the organization that was open last', async () => {
    localStorage.setItem('greenroom.organization', 'org_1')
    open('/')
    await untilShown('Nothing is waiting for you')
    expect(location.pathname).toBe('/o/org_1/approvals')
  })

  test.each(['/o/org_1/nothing', '/o/org_9/approvals', '/nowhere'])('%s matches no page', async (path) => {
    open(path)
    await untilShown('Page not found')
    expect(service.made('GET', '/organizations/org_9/scheduled-posts')).toEqual([])
  })

  test('of an organization that requires a second factor shows nothing of it without one', async () => {
    open('/o/org_2/approvals')
    await untilShown('This organization requires a second factor')
    // The frame around the page would have asked by then.
    await until(() => expect(document.title).toMatch(/^This organization requires/))
    expect(service.calls.filter(({ path }) => path.startsWith('/organizations/org_2/'))).toEqual([])
  })
})

test('the account menu switches single keys off and on, and the box shows the stored choice', async () => {
  service.on('GET', '/me', { body: ME })
  show(
    <Session>
      <Shell>The page</Shell>
    </Session>,
  )
  await press('Keyboard shortcuts')
  const box = await until(() => field('Use single-key shortcuts on this device'))
  for (const isOn of [false, true]) {
    box.click()
    await new Promise((resolve) => setTimeout(resolve))
    expect([box.checked, localStorage.getItem('greenroom.keys')]).toEqual([isOn, isOn ? 'on' : 'off'])
  }
})
