// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest'
import { People } from '../../../src/console/audience/people.tsx'
import { readAll, readMarks, readSoon } from '../../../src/console/audience/read-people.ts'
import type { Channel } from '../../../src/interface/channels.ts'
import { button, press, said, show, textOf, until } from './page.tsx'
import { type Call, FakeService } from './service.ts'

const ORG = '/organizations/org_1'
const FILTER = { workspaceId: 'ws_1', mediumId: 'FB_PAGE_1' } as const
const queryOf = ({ path }: Call): URLSearchParams => new URL(path, 'http://x').searchParams

/** Answers pages of `many` people, as the service does. */
function serve(many: number, { scanCapped = false } = {}): FakeService {
  const service = new FakeService()
  const peopleFrom = (offset: number, limit: number) => {
    const items = Array.from({ length: Math.max(0, Math.min(limit, many - offset)) }, (_, index) => ({
      conversationId: `t_${offset + index}`,
      cuid: `c_${offset + index}`,
      birthday: `--12-${String(((offset + index) % 28) + 1).padStart(2, '0')}`,
    }))
    const nextOffset = offset + items.length
    return { items, total: many, returned: items.length, nextOffset, mayHaveMore: nextOffset < many, scanCapped }
  }
  service.on('GET', `${ORG}/vip-users`, (call) => {
    const query = queryOf(call)
    return { body: peopleFrom(Number(query.get('offset') ?? 0), Number(query.get('limit'))) }
  })
  service.on('GET', `${ORG}/vip-users/export`, () => ({ body: peopleFrom(0, many) }))
  return service
}

describe('reading people', () => {
  test('reads everyone in one call, which the service answers from one moment', async () => {
    const service = serve(450)
    const { items } = await readAll('org_1', FILTER)
    expect(items.map(({ conversationId }) => conversationId)).toEqual(Array.from({ length: 450 }, (_, n) => `t_${n}`))
    expect(service.calls.length).toBe(1)
  })

  test('reads the ids of all who are marked, and of no one else', async () => {
    const service = serve(3)
    expect([...(await readMarks('org_1', FILTER, new AbortController().signal))]).toEqual(['t_0', 't_1', 't_2'])
    expect(queryOf(service.calls[0]!).get('scope')).toBe('vip')
  })

  test('gives the birthdays of the next days as one page, in the order of the days', async () => {
    serve(28, { scanCapped: true })
    const page = await readSoon('org_1', FILTER, ['12-03', '12-02'])
    expect(page).toMatchObject({ total: 2, returned: 2, nextOffset: 2, mayHaveMore: false, scanCapped: true })
    expect(page.items.map(({ birthday }) => birthday)).toEqual(['--12-03', '--12-02'])
  })
})

describe('the people of a channel', () => {
  const channel = { id: 'FB_PAGE_1', name: 'Corner', type: 'FB_PAGE' } as Channel
  const people = <People workspaceId="ws_1" channel={channel} />

  test('are paged, with the rows that are shown counted', async () => {
    serve(60)
    show(people)
    await said('1–50 of 60 people')
    expect(button('Previous').disabled).toBe(true)
    await press('Next')
    await said('51–60 of 60 people')
    expect(button('Next').disabled).toBe(true)
    expect(document.querySelectorAll('tbody tr').length).toBe(10)
  })

  test('are marked and unmarked where all are shown, and the star follows the service', async () => {
    const marks = new Set(['t_1'])
    const service = serve(2)
    const people2 = service.calls
    const listOf = (ids: readonly string[]) => {
      const items = ids.map((conversationId) => ({ conversationId, cuid: conversationId }))
      const many = items.length
      return { body: { items, total: many, returned: many, nextOffset: many, mayHaveMore: false, scanCapped: false } }
    }
    service.on('GET', `${ORG}/vip-users`, () => listOf(['t_0', 't_1']))
    service.on('GET', `${ORG}/vip-users/export`, (call) => {
      expect(queryOf(call).get('scope')).toBe('vip')
      return listOf([...marks])
    })
    service.on('PUT', `${ORG}/workspaces/ws_1/channels/FB_PAGE_1/vips/t_0`, () => {
      marks.add('t_0')
      return { body: {} }
    })
    history.replaceState(null, '', '/?scope=all')
    show(people, { permissions: ['audience:read', 'audience:mark'] })
    const pressed = () =>
      [...document.querySelectorAll('tbody button')].map((star) => star.getAttribute('aria-pressed'))
    await until(() => expect(pressed()).toEqual(['false', 'true']))
    await press('t_0 is a VIP')
    await said('t_0 is a VIP now.')
    await until(() => expect(pressed()).toEqual(['true', 'true']))
    expect(people2.filter(({ method }) => method === 'PUT').length).toBe(1)
  })

  test('say that the list was cut, and that no one is here', async () => {
    serve(0, { scanCapped: true })
    show(people)
    await said('No people found')
    expect(textOf()).toContain('more than 25,000 conversations')
    expect(button('Export CSV').disabled).toBe(true)
  })
})
