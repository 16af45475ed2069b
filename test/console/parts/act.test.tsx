import { afterEach, describe, expect, test, vi } from 'vitest'
import { call } from '../../../src/console/api.ts'
import { confirmation } from '../../../src/console/confirmation.ts'
import { sessionEnded } from '../../../src/console/connection.ts'
import { Problem } from '../../../src/console/ui.tsx'
import { useAct } from '../../../src/console/use-act.ts'
import { button, press, show, textOf, until, untilShown } from './page.tsx'
import { FakeService, refusal } from './service.ts'

afterEach(() => sessionEnded.set(false))

/** A button that changes something on the service. */
function Change({ onConflict, onSettled }: Parameters<typeof useAct>[0] & object) {
  const { busy, error, act, forgetError } = useAct({ onConflict, onSettled })
  return (
    <>
      <Problem error={error} />
      <button type="button" disabled={busy} onClick={() => void act(() => call('signOut', {}), 'Done.')}>
        Change
      </button>
      <button type="button" onClick={forgetError}>
        Forget
      </button>
    </>
  )
}

const alertOf = (): string => textOf(document.querySelector('[role=alert]') ?? document.createElement('p'))

describe('a change', () => {
  test('disables its button while it runs, and is announced when it is done', async () => {
    const service = new FakeService()
    let answer = (): void => {}
    service.on('POST', '/sign-out', () => new Promise((resolve) => (answer = () => resolve({ status: 204 }))))
    const settled = vi.fn()
    show(<Change onSettled={settled} />)
    await press('Change')
    await until(() => expect(button('Change').disabled).toBe(true))
    expect(textOf(document.querySelector('.announcer')!)).toBe('')
    expect(settled).not.toHaveBeenCalled()
    answer()
    await untilShown('Done.')
    await until(() => expect(button('Change').disabled).toBe(false))
    expect(settled).toHaveBeenCalledOnce()
    expect(alertOf()).toBe('')
  })

  test('that is refused shows the reason instead of the announcement, until the next attempt', async () => {
    const service = new FakeService()
    service.on('POST', '/sign-out', refusal(409, 'name_taken', { message: 'That name is taken.' }))
    const settled = vi.fn()
    show(<Change onSettled={settled} />)
    await press('Change')
    await untilShown('That name is taken.')
    expect(document.querySelector('[role=alert]')).not.toBeNull()
    expect(textOf(document.querySelector('.announcer')!)).toBe('')
    expect(settled).toHaveBeenCalledOnce()
    service.on('POST', '/sign-out', { status: 204 })
    await press('Change')
    await untilShown('Done.')
    expect(alertOf()).toBe('')
  })

  test.each([
    [403, 'permission_missing', 'You may not.'],
    [404, 'key_not_found', 'There is no such key.'],
    [409, 'key_revoked', 'It is revoked.'],
    [422, 'invalid', 'The name is too long.'],
    [428, 'if_match_missing', 'Send If-Match.'],
  ])('refused by %i shows the service’s message and reads nothing again', async (status, code, message) => {
    new FakeService().on('POST', '/sign-out', refusal(status, code, { message }))
    const conflict = vi.fn()
    show(<Change onConflict={conflict} />)
    await press('Change')
    await until(() => expect(alertOf()).toBe(message))
    expect(conflict).not.toHaveBeenCalled()
  })

  test('of an object that has changed first reads its newest state', async () => {
    new FakeService().on('POST', '/sign-out', refusal(412, 'post_changed'))
    const order: string[] = []
    show(
      <Change
        onConflict={() => order.push(`read, ${alertOf() || 'nothing'} shown`)}
        onSettled={() => order.push('settled')}
      />,
    )
    await press('Change')
    await until(() => expect(alertOf()).toMatch(/changed since you opened it/))
    expect(order).toEqual(['read, nothing shown', 'settled'])
  })

  test('by an expired session asks the person to sign in again', async () => {
    new FakeService().on('POST', '/sign-out', refusal(401, 'session_ended'))
    show(<Change />)
    await press('Change')
    await until(() => expect(sessionEnded.get()).toBe(true))
  })

  test('that needs a recent confirmation is repeated after it, and is not an error without it', async () => {
    const service = new FakeService()
    let isProven = false
    service.on('POST', '/sign-out', () => (isProven ? { status: 204 } : refusal(403, 'confirmation_needed')))
    show(<Change />)
    await press('Change')
    await until(() => expect(confirmation.get()).toBeDefined())
    confirmation.get()!.answer(false)
    await until(() => expect(button('Change').disabled).toBe(false))
    expect(alertOf()).toBe('')
    expect(service.made('POST', '/sign-out')).toHaveLength(1)

    await press('Change')
    await until(() => expect(confirmation.get()).toBeDefined())
    isProven = true
    confirmation.get()!.answer(true)
    await untilShown('Done.')
    expect(service.made('POST', '/sign-out')).toHaveLength(3)
  })

  test('that did not reach the service says so, and the error can be dismissed', async () => {
    new FakeService()
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('fetch failed')))
    show(<Change />)
    await press('Change')
    await untilShown('Greenroom cannot be reached.')
    await press('Forget')
    await until(() => expect(alertOf()).toBe(''))
  })
})
