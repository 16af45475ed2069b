import { beforeEach, describe, expect, test } from 'vitest'
import Device from '../../../src/console/tokens/device.tsx'
import Tokens from '../../../src/console/tokens/tokens.tsx'
import { field, press, show, textOf, type, until, untilShown } from './page.tsx'
import { FakeService, refusal } from './service.ts'

const TOKEN = {
  ...{ id: 'tok_1', name: 'Planner', scopes: ['posts:read', 'personal'] },
  ...{ createdAt: '2026-01-02T00:00:00Z', expiresAt: '2026-04-02T00:00:00Z' },
}
const submit = (): void => [...document.querySelectorAll('form')].at(-1)!.requestSubmit()
const box = (scope: string) => document.querySelector<HTMLInputElement>(`input[value="${scope}"]`)
const choose = (label: string, value: string): void => {
  const select = field<HTMLSelectElement>(label)
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
}

let service: FakeService
beforeEach(() => {
  service = new FakeService()
})

describe("a person's own tokens", () => {
  test('are listed with their permissions and last use, and revoked after a confirmation', async () => {
    let tokens: object[] = [{ ...TOKEN, lastUsedAt: '2026-01-03T10:00:00Z' }]
    service.on('GET', '/me/tokens', () => ({ body: tokens }))
    service.on('DELETE', '/me/tokens/tok_1', () => {
      tokens = []
      return { body: { id: 'tok_1' } }
    })
    show(<Tokens />)
    await untilShown('Planner')
    expect(textOf()).toContain('Read posts and Read your inbox')
    expect(textOf()).toContain('last used')
    await press('Revoke Planner')
    await untilShown('The program can no longer act for you')
    submit()
    await until(() => expect(textOf()).not.toContain('Planner'))
  })

  test('are created with scopes that the person has, and shown once', async () => {
    service.on('GET', '/me/tokens', { body: [] })
    service.on('POST', '/me/tokens', { status: 201, body: { ...TOKEN, token: 'greenroom_personal_x' } })
    show(<Tokens />)
    await press('New token')
    await until(() => type(field('Name'), ' Planner '))
    // The person of the tests has these, and the right to approve.
    expect([...document.querySelectorAll<HTMLInputElement>('input[name=scope]')].map(({ value }) => value)).toEqual([
      'posts:read',
      'posts:write',
      'superpowers:write',
    ])
    submit()
    await untilShown('Select at least one permission')
    expect(service.made('POST', '/me/tokens')).toEqual([])
    box('posts:read')!.click()
    // A browser selects this option first; happy-dom selects another.
    field<HTMLSelectElement>('Valid for').value = 'quarter'
    submit()
    await untilShown('The token is ready')
    expect(field('Token').value).toBe('greenroom_personal_x')
    expect(service.made('POST', '/me/tokens')[0]?.body).toEqual({ name: 'Planner', scopes: ['posts:read'] })
    await press('I have it')
    await until(() => expect(document.body.innerHTML).not.toContain('greenroom_personal_x'))
  })
})

describe('a program that shows a code', () => {
  const WAITING = {
    ...{ name: 'greenroom on laptop', scopes: ['posts:read', 'settings:write'], address: '203.0.113.7' },
    ...{ createdAt: '2026-01-02T00:00:00Z', expiresAt: '2026-01-02T00:10:00Z' },
  }
  const look = async (): Promise<void> => {
    history.replaceState(null, '', '/device#code=BCDF-GHJK')
    service.on('POST', '/me/device-login/read', { body: WAITING })
    show(<Device />)
    expect(field('Code').value).toBe('BCDF-GHJK')
    // Opening the link asks nothing and changes nothing.
    expect(service.made('POST', '/me/device-login/read')).toEqual([])
    submit()
    await untilShown('greenroom on laptop')
  }

  test('is shown with its address, and allowed with the ticked permissions', async () => {
    await look()
    expect(textOf()).toContain('203.0.113.7')
    expect(textOf()).toContain('Allow it only if you started this yourself')
    expect(box('posts:read')!.checked).toBe(true)
    // The program asks for a permission that the person does not have.
    expect(box('settings:write')).toBeNull()
    choose('Valid for', 'week')
    service.on('POST', '/me/device-login/allow', { body: WAITING })
    submit()
    await untilShown('The program can now act for you')
    const expiresAt = expect.stringMatching(/^\d{4}-/)
    const [allowed] = service.made('POST', '/me/device-login/allow')
    expect(allowed?.body).toEqual({ userCode: 'BCDF-GHJK', scopes: ['posts:read'], expiresAt })
  })

  test('can be refused', async () => {
    await look()
    service.on('POST', '/me/device-login/refuse', { body: WAITING })
    await press('Refuse')
    await untilShown('The program was refused')
    expect(service.made('POST', '/me/device-login/refuse')[0]?.body).toEqual({ userCode: 'BCDF-GHJK' })
  })

  test('reports that no program waits with the code', async () => {
    service.on('POST', '/me/device-login/read', refusal(400, 'user_code_wrong', { message: 'No program waits.' }))
    show(<Device />)
    type(field('Code'), 'BCDF')
    submit()
    await untilShown('No program waits')
  })
})
