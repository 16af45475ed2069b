import { beforeEach, describe, expect, test } from 'vitest'
import PersonPage from '../../../src/console/audience/person-page.tsx'
import { Sources } from '../../../src/console/settings/sources.tsx'
import type { PersonDetails, Source, SourceProblem } from '../../../src/interface/generated/types.ts'
import { field, press, show, textOf, type, until, untilShown } from './page.tsx'
import { FakeService, refusal } from './service.ts'

const ORG = '/organizations/org_1'
const SOURCE: Source = {
  id: 'src_1',
  type: 'SHOPIFY',
  name: 'Our shop',
  url: 'https://greenroom.example/hooks/src_1',
  valueFrom: 'total',
  countedStatuses: [],
  uncountedStatuses: [],
  trust: 'full',
  deliveriesPerSecond: null,
  createdAt: '2026-11-01T09:00:00Z',
  updatedAt: '2026-11-01T09:00:00Z',
  lastDeliveryAt: null,
  waiting: 0,
  problems: 0,
  lastRefusal: null,
  refused: 0,
  leftOut: 0,
  previousSecretUntil: null,
}
const PROBLEM: SourceProblem = {
  id: 'prb_1',
  sourceId: 'src_1',
  at: '2026-11-20T09:00:00Z',
  item: 'batch[3]',
  reason: 'total must be a non-negative amount',
  topic: 'orders/create',
  body: '{"total":"<b>twelve</b>"}',
  bodyBytes: 25,
  answer: null,
}
const manages = { permissions: ['sources:read', 'sources:manage', 'audience:read', 'audience:write'] }
const submit = (): void => [...document.querySelectorAll('dialog form')].at(-1)!.closest('form')!.requestSubmit()
const dialogs = (): number => document.querySelectorAll('dialog').length

let service: FakeService
beforeEach(() => {
  service = new FakeService()
})

describe('the sources', () => {
  test('are added with what their type needs; the values to paste are shown once, with the steps on the other side', async () => {
    const sources: Source[] = []
    service.on('GET', `${ORG}/sources`, () => ({ body: { items: sources, nextCursor: null } }))
    service.on('POST', `${ORG}/sources`, () => {
      sources.push({ ...SOURCE, type: 'EVENTS', name: 'App' })
      return { status: 201, body: { ...SOURCE, type: 'EVENTS', name: 'App', writeKey: 'greenroom_write_x' } }
    })
    show(<Sources />, manages)
    await untilShown('No sources yet')
    await press('Add a source')
    await press('App or website (Segment, RudderStack)')
    await until(() => type(field('Name'), 'App'))
    submit()
    await untilShown('The source is ready')
    expect(field('Write key').value).toBe('greenroom_write_x')
    expect(field('Address').value).toBe(SOURCE.url)
    expect(textOf()).toContain('dataPlaneUrl')
    // Anyone can read a key in a page. Unless it is declared to stay on a server, it gets the least trust.
    const given = { type: 'EVENTS', name: 'App', valueFrom: 'total', trust: 'times_only' }
    expect(service.made('POST', `${ORG}/sources`)[0]?.body).toEqual(given)
    await press('I have it')
    await until(() => expect(dialogs()).toBe(0))
    expect(document.body.innerHTML).not.toContain('greenroom_write_x')
  })

  test('of a WooCommerce shop list the statuses that also count, and those that do not', async () => {
    const shop: Source = { ...SOURCE, type: 'WOOCOMMERCE', countedStatuses: ['quote', 'sent'] }
    service.on('GET', `${ORG}/sources`, { body: { items: [shop], nextCursor: null } })
    service.on('PATCH', `${ORG}/sources/src_1`, { body: shop })
    show(<Sources />, manages)
    await press('Change Our shop')
    await until(() => expect(field('Statuses that count without a payment date').value).toBe('quote, sent'))
    type(field('Statuses that count without a payment date'), '')
    type(field('Statuses that never count'), 'chargeback , returned,')
    submit()
    await untilShown('Saved.')
    expect(service.made('PATCH', `${ORG}/sources/src_1`)[0]?.body).toEqual({
      ...{ name: 'Our shop', valueFrom: 'total', countedStatuses: [], uncountedStatuses: ['chargeback', 'returned'] },
    })
  })

  test('show what came last, what waits, and why something was refused; a reader can change nothing', async () => {
    const lastRefusal = { at: '2026-11-20T08:00:00Z', reason: 'signature' as const }
    const source = { ...SOURCE, lastDeliveryAt: '2026-11-20T09:00:00Z', waiting: 3, refused: 7, lastRefusal }
    service.on('GET', `${ORG}/sources`, { body: { items: [source], nextCursor: null } })
    show(<Sources />, { permissions: ['sources:read'] })
    await untilShown('Our shop')
    expect(textOf()).toContain('3 deliveries waiting')
    expect(textOf()).toContain('the signature does not match')
    expect(textOf()).not.toContain('Add a source')
    expect(textOf()).not.toContain('Remove')
    await press('Show address Our shop')
    await until(() => expect(field('Address').value).toBe(SOURCE.url))
  })

  test('list their problems with the body as text, and retry one', async () => {
    let problems = [PROBLEM]
    service.on('GET', `${ORG}/sources`, { body: { items: [{ ...SOURCE, problems: 1 }], nextCursor: null } })
    service.on('GET', `${ORG}/sources/src_1/problems`, () => ({ body: { items: problems, nextCursor: null } }))
    service.on('POST', `${ORG}/sources/src_1/problems/prb_1/retry`, () => {
      problems = []
      return { body: { id: 'prb_1' } }
    })
    show(<Sources />, manages)
    await press('Problems Our shop')
    await untilShown('total must be a non-negative amount')
    await press('Open prb_1')
    await untilShown('<b>twelve</b>')
    expect(document.querySelector('pre b')).toBeNull()
    await press('Close')
    await press('Retry prb_1')
    await untilShown('No problems.')
  })

  test('a refusal keeps the dialog open with the reason', async () => {
    service.on('GET', `${ORG}/sources`, { body: { items: [SOURCE], nextCursor: null } })
    service.on('DELETE', `${ORG}/sources/src_1`, refusal(500, 'internal'))
    show(<Sources />, manages)
    await press('Remove Our shop')
    await untilShown('It accepts nothing more')
    submit()
    await untilShown('Something went wrong on our side.')
    expect(dialogs()).toBe(1)
  })
})

describe('the page of a person', () => {
  const person: PersonDetails = {
    cuid: 'cu_1',
    currency: 'EUR',
    conversations: [
      {
        ...{ channelId: 'FB_PAGE_1', conversationId: 't_1', cuid: 'cu_1', userName: null, profilePic: null },
        ...{ firstName: 'Ada', lastName: 'King', birthday: null, lifetimeValue: 140.5 },
        ...{ lastPurchaseTimestamp: null, lastUserMessageTimestamp: null, lastAppOpenTimestamp: null },
        ...{ opening: { amount: '100', at: '2026-11-01T00:00:00Z' }, purchased: '50.5', refunded: '10' },
      },
    ],
    conversationsTotal: 1_200,
    purchases: [
      {
        ...{ orderId: 'o1', sourceId: 'src_1', amount: '50.5', currency: 'EUR', refunded: '10' },
        ...{ at: '2026-11-02T00:00:00Z', state: 'counted' },
      },
      {
        ...{ orderId: 'o2', sourceId: 'src_1', amount: '9', currency: 'USD', refunded: '0' },
        ...{ at: '2026-11-03T00:00:00Z', state: 'other_currency' },
      },
    ],
    purchasesTotal: 2,
    links: [{ kind: 'shopify', id: '207119551', sourceId: 'src_1', at: '2026-11-01T00:00:00Z' }],
    fields: [{ field: 'firstName', value: 'Ada', at: '2026-11-01T00:00:00Z', sourceId: 'src_1' }],
  }

  test('shows the parts of the value and the purchases that count, and links an id', async () => {
    service.on('GET', `${ORG}/people/cu_1`, { body: person })
    service.on('POST', `${ORG}/people/cu_1/links`, { body: { cuid: 'cu_1', kind: 'userId', id: 'u9' } })
    show(<PersonPage cuid="cu_1" />, manages)
    await untilShown('Lifetime value')
    const text = textOf()
    for (const part of [
      'Person Ada King',
      '100 as of',
      '+ 50.5 bought − 10 refunded',
      '50.5 EUR',
      'not counted: another currency',
      'first 1 of 1,200',
    ]) {
      expect(text).toContain(part)
    }
    await press('Link an id')
    await until(() => type(field('Id'), 'u9'))
    submit()
    await untilShown('The id is linked')
    expect(service.made('POST', `${ORG}/people/cu_1/links`)[0]?.body).toEqual({ kind: 'userId', id: 'u9' })
  })

  test('says that purchases do not count while there is no currency', async () => {
    service.on('GET', `${ORG}/people/cu_1`, { body: { ...person, currency: null } })
    show(<PersonPage cuid="cu_1" />, { permissions: ['audience:read'] })
    await untilShown('The organization has no currency')
    expect(textOf()).not.toContain('Unlink')
  })
})
