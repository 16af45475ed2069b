import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Entry } from '../../../src/console/activity/entry.tsx'
import { Channels } from '../../../src/console/settings/channels.tsx'
import { Keys } from '../../../src/console/settings/keys.tsx'
import { ServerPeople } from '../../../src/console/settings/server-people.tsx'
import type { AuditEntry, Channel, Workspace } from '../../../src/interface/generated/types.ts'
import { button, field, press, show, textOf, type, until, untilShown } from './page.tsx'
import { FakeService, refusal } from './service.ts'

const ORG = '/organizations/org_1'
const KEY = { permissions: [], allowedAddresses: [], createdAt: '2026-01-02T00:00:00Z' }
const mayWrite = { permissions: ['settings:read', 'settings:write', 'channels:read'] }
const submit = (): void => [...document.querySelectorAll('dialog form')].at(-1)!.closest('form')!.requestSubmit()
const dialogs = (): number => document.querySelectorAll('dialog').length

let service: FakeService
beforeEach(() => {
  service = new FakeService()
})

describe('a section of the settings', () => {
  test('says that a list is empty, and offers nothing to people who may only read', async () => {
    service.on('GET', `${ORG}/keys`, { body: [] })
    show(<Keys />, { permissions: ['settings:read'] })
    await untilShown('No keys yet')
    expect(document.querySelectorAll('button').length).toBe(0)
  })

  test('adds the object from the dialog, shows the secret once, and reads the list again', async () => {
    const keys: object[] = []
    service.on('GET', `${ORG}/keys`, () => ({ body: keys }))
    service.on('POST', `${ORG}/keys`, ({ body }) => {
      keys.push({ ...KEY, ...(body as object), id: 'key_1' })
      return { status: 201, body: { ...KEY, id: 'key_1', secret: 'greenroom_secret_x' } }
    })
    show(<Keys />, mayWrite)
    await untilShown('No keys yet')
    await press('New key')
    await until(() => type(field('Name'), ' Warehouse '))
    document.querySelector<HTMLInputElement>('input[value="audience:read"]')!.click()
    submit()
    await untilShown('The key is ready')
    expect(dialogs()).toBe(1)
    expect(field('Secret').value).toBe('greenroom_secret_x')
    expect(service.made('POST', `${ORG}/keys`)[0]?.body).toEqual({ name: 'Warehouse', permissions: ['audience:read'] })
    await press('I have it')
    await until(() => expect(dialogs()).toBe(0))
    expect(document.body.innerHTML).not.toContain('greenroom_secret_x')
    // This is sooner than the page polls.
    await vi.waitFor(() => expect(textOf()).toContain('Warehouse'), { timeout: 1_000 })
  })

  test('keeps a dialog open with the reason of a refusal, and accepts another attempt', async () => {
    service.on('GET', `${ORG}/keys`, { body: [{ ...KEY, id: 'key_1', name: 'Warehouse' }] })
    service.on('DELETE', `${ORG}/keys/key_1`, refusal(500, 'internal'))
    show(<Keys />, mayWrite)
    await press('Revoke Warehouse')
    await untilShown('It was never used.')
    submit()
    await untilShown('Something went wrong on our side.')
    service.on('DELETE', `${ORG}/keys/key_1`, { body: {} })
    await until(() => {
      if (button('Revoke').disabled) throw new Error('still busy')
      submit()
    })
    await untilShown('Revoked.')
    await until(() => expect(dialogs()).toBe(0))
  })

  test('hides expired and revoked keys until they are requested, and offers nothing for them', async () => {
    service.on('GET', `${ORG}/keys`, {
      body: [
        { ...KEY, id: 'key_1', name: 'Live', expiresAt: '2999-01-01T00:00:00Z' },
        { ...KEY, id: 'key_2', name: 'Ended', expiresAt: '2020-01-01T00:00:00Z' },
        { ...KEY, id: 'key_3', name: 'Stolen', revokedAt: '2020-01-01T00:00:00Z' },
      ],
    })
    show(<Keys />, mayWrite)
    await untilShown('Live')
    expect(textOf()).not.toContain('Stolen')
    await press('Show 2 expired or revoked keys')
    const rows = () => [...document.querySelectorAll('li')].map((row) => textOf(row))
    await until(() => expect(rows().length).toBe(3))
    expect(rows()[0]).toContain('Revoked 1 Jan')
    expect(rows()[1]).toContain('Expired 1 Jan')
    expect(rows().map((row) => row.includes('Rotate'))).toEqual([false, false, true])
  })
})

describe('channels and workspaces', () => {
  const channel = {
    id: 'FB_PAGE_1',
    type: 'FB_PAGE',
    name: 'Corner',
    status: 'not-connected',
    automation: 'off',
    automationProblem: null,
    newestCommentAt: null,
    commentsReadAt: null,
  } as unknown as Channel
  const workspaces = [
    { id: 'ws_1', name: 'VIPs', type: 'VIP' },
    { id: 'ws_2', name: 'All', type: 'STANDARD' },
  ] as Workspace[]
  const open = async (inside: string[]): Promise<void> => {
    const isListed = (path: string) => !path.includes('workspaceId') || inside.some((id) => path.includes(id))
    service.on('GET', `${ORG}/workspaces`, { body: workspaces })
    service.on('GET', `${ORG}/channels`, ({ path }) => ({ body: isListed(path) ? [channel] : [] }))
    service.on('DELETE', `${ORG}/workspaces/*/channels/FB_PAGE_1`, { body: {} })
    service.on('PUT', `${ORG}/workspaces/*/channels/FB_PAGE_1`, { body: {} })
    show(<Channels />, mayWrite)
    await until(() => expect(field('VIPs').disabled).toBe(false))
  }

  test('a channel shows whether its messages and comments arrive, and why not', async () => {
    const subscriptions = [
      { state: 'SUBSCRIBED', problem: null, checkedAt: KEY.createdAt },
      { state: 'PENDING', problem: null, checkedAt: null },
      { state: 'REFUSED', problem: 'The token lacks pages_messaging.', checkedAt: KEY.createdAt },
      null,
    ]
    service.on('GET', `${ORG}/workspaces`, { body: [] })
    service.on('GET', `${ORG}/channels`, {
      body: subscriptions.map((subscription, index) => ({
        ...{ ...channel, id: `FB_PAGE_${index}`, name: `Page ${index}`, status: 'connected' },
        subscription,
      })),
    })
    show(<Channels />, mayWrite)
    await untilShown('Messages and comments arrive')
    await untilShown('Subscribing to messages and comments')
    await untilShown('Messages and comments do not arrive: The token lacks pages_messaging.')
    expect(document.body.textContent!.match(/messages and comments/gi)!.length).toBe(3)
  })

  test('a checkbox adds a channel at once, and removing it from a VIP workspace needs a confirmation', async () => {
    await open(['ws_1', 'ws_2'])
    expect([field('VIPs').checked, field('All').checked]).toEqual([true, true])
    field('All').click()
    await untilShown('Corner is no longer in All.')
    expect(dialogs()).toBe(0)
    field('VIPs').click()
    await untilShown('Remove Corner from VIPs?')
    expect(service.made('DELETE', `${ORG}/workspaces/ws_1/channels/FB_PAGE_1`)).toEqual([])
    submit()
    await untilShown('Corner is no longer in VIPs.')
    expect(service.made('DELETE', `${ORG}/workspaces/ws_1/channels/FB_PAGE_1`).length).toBe(1)
  })

  test('a deletion needs the name, and asks about posts that it makes fail if the service says so', async () => {
    service.on('DELETE', `${ORG}/channels/FB_PAGE_1`, ({ path }) =>
      path.endsWith('force=true') ? { body: { done: true } } : refusal(409, 'channel_in_use'),
    )
    await open([])
    await press('Delete Corner')
    const name = await until(() => field('To delete it permanently, type its name: Corner'))
    type(name, 'Cornet')
    expect(name.validationMessage).toBe('This is not its name.')
    submit()
    expect(service.made('DELETE', `${ORG}/channels/FB_PAGE_1`)).toEqual([])
    type(name, 'Corner')
    submit()
    await untilShown('Posts are about to be published there.')
    const force = await until(() => document.querySelector<HTMLInputElement>('input[name=force]')!)
    force.checked = true
    await until(() => {
      if (button('Delete').disabled) throw new Error('still busy')
      submit()
    })
    await untilShown('Corner was deleted.')
  })
})

describe('accounts', () => {
  test('a deletion needs the name, says what ends, and revokes the ticked keys', async () => {
    const person = {
      id: 'usr_2',
      name: 'Ben Ode',
      mail: 'ben@example.com',
      active: true,
      mailProven: true,
      owner: false,
    }
    let isDeleted = false
    service.on('GET', '/server/people', () => ({
      body: isDeleted ? [] : [{ ...person, secondFactor: false, createdAt: '2026-01-02T00:00:00Z' }],
    }))
    service.on('GET', '/server/people/usr_2/grants', {
      body: {
        ...{ invitations: 1, reviewLinks: 0, signInLinks: 0, operatorTokens: [] },
        keys: [{ id: 'key_1', organizationId: 'org_1', name: 'Warehouse', createdAt: '2026-01-02T00:00:00Z' }],
      },
    })
    service.on('DELETE', '/server/people/usr_2', () => {
      isDeleted = true
      return { body: { id: 'usr_2', ended: {} } }
    })
    show(<ServerPeople />, mayWrite)
    await press('Delete : Ben Ode')
    await untilShown('Warehouse')
    await untilShown('ben@example.com and all their ways to sign in')
    submit()
    expect(service.made('DELETE', '/server/people/usr_2')).toHaveLength(0)
    type(field('To delete it permanently, type its name: Ben Ode'), 'Ben Ode')
    document.querySelector<HTMLInputElement>('input[value="key_1"]')!.click()
    submit()
    await untilShown('Ben Ode was deleted.')
    expect(service.made('DELETE', '/server/people/usr_2').map(({ path }) => path)).toEqual([
      '/server/people/usr_2?revokeKeys=key_1',
    ])
    await until(() => expect(textOf()).not.toContain('ben@example.com'))
  })
})

describe('the change log', () => {
  test('shows the old time and channels of a post, and lists the other changed fields', async () => {
    const channels = ['A', 'B'].map((name) => ({ id: name, name: `Corner ${name}` }) as Channel)
    const entry: AuditEntry = {
      ...{ id: '1', at: '2026-01-02T00:00:00Z', operation: 'updateScheduledPost' },
      actor: { type: 'operator' },
      target: { type: 'scheduledPost', id: 'post_1' },
      changes: {
        ...{ action: 'updated', scheduledFor: '2026-01-03T10:00:00.000Z', channels: ['A', 'B'] },
        detail: { changed: ['scheduledFor', 'notes', 'channels.A', 'channels.B'] },
      },
      before: { scheduledFor: null, channels: ['A'] },
    }
    show(<Entry {...{ entry, channels, names: new Map(), onChoose: () => {}, onPost: () => {} }} />, mayWrite)
    await untilShown('Corner A → Corner A and Corner B')
    expect(textOf()).toMatch(/time: none → 3 Jan/)
    expect(textOf()).toContain('notes and text or superpower on Corner A')
    expect(textOf()).not.toContain('superpower on Corner B')
  })

  test('calls a person without a name a deleted account', async () => {
    const entry = (id: string, name?: string): AuditEntry => ({
      ...{ id, at: '2026-01-02T00:00:00Z', operation: 'updateMember' },
      actor: { type: 'user', id: 'usr_2', ...(name && { name }) },
      target: { type: 'user', id: 'usr_3', ...(name && { name }) },
    })
    const one = { channels: [], names: new Map(), onChoose: () => {}, onPost: () => {} }
    show(
      <>
        <Entry entry={entry('1')} {...one} />
        <Entry entry={entry('2', 'Ada Lund')} {...one} />
      </>,
      mayWrite,
    )
    await untilShown('Ada Lund')
    const [gone, known] = [...document.querySelectorAll('li')].map((item) => item.textContent)
    expect(gone?.match(/A deleted account/g)).toHaveLength(2)
    expect(known).not.toContain('A deleted account')
  })
})
