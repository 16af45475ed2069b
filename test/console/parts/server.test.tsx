import { beforeEach, describe, expect, test } from 'vitest'
import { Health } from '../../../src/console/settings/server-health.tsx'
import type { PlatformHealth, ServerHealth } from '../../../src/interface/generated/types.ts'
import { button, press, show, textOf, until, untilShown } from './page.tsx'
import { FakeService, refusal } from './service.ts'

const HEALTH: ServerHealth = {
  version: '0.1.0',
  database: 'postgres',
  parts: [
    { part: 'publisher', state: 'warning', found: 'late', since: '2020-02-29T12:00:00.000Z' },
    { part: 'intake', state: 'off', found: 'unused' },
    { part: 'mail', state: 'bad', found: 'failing', count: 1 },
    { part: 'media', state: 'good', found: 'on' },
    { part: 'disk', state: 'good', found: 'room', directory: 'media', freeBytes: 42_550_000_000, sizeBytes: 1e11 },
  ],
  backup: { state: 'bad', found: 'none', place: '/backups', everyMs: 86_400_000, weaknesses: ['same_disk'] },
  masterKey: { state: 'good', found: 'good', keyId: 'k1', otherSecrets: 0, lostSecrets: 0 },
}

const ROTATE = '/server/master-key/rotate'
const submit = (): void => document.querySelector<HTMLFormElement>('dialog form')!.requestSubmit()

let service: FakeService
beforeEach(() => {
  service = new FakeService()
  service.on('GET', '/server/health', { body: HEALTH })
})

describe('the health of the server', () => {
  test('is described in words, with each state', async () => {
    show(<Health />, { permissions: [] })
    await untilShown('A post is waiting longer than it should.')
    expect(textOf()).toMatch(/The oldest was due \d+ years ago\./)
    expect(textOf()).toContain('1 email could not be sent')
    expect(textOf()).toContain('42.5 GB of 100 GB are free.')
    expect(textOf()).toContain('None yet')
    expect(textOf()).toContain('on the same disk as the data')
    for (const state of ['Good', 'Needs attention', 'Bad', 'Not set up']) expect(textOf()).toContain(state)
  })

  test.each([
    [{ state: 'good', found: 'supported', version: 'v27.0' }, 'v27.0 is in use.'],
    [
      { state: 'warning', found: 'ending', version: 'v25.0', newest: 'v27.0', api: 'marketing', endsOn: '2027-02-23' },
      /Marketing API v25\.0 ends on .*23.* 2027\. Update Greenroom, or set GRAPH_VERSION=v27\.0\./,
    ],
    [
      { state: 'bad', found: 'ended', version: 'v21.0', newest: 'v27.0', api: 'graph', endsOn: '2027-01-21' },
      /Graph API v21\.0 ended on .*21.* 2027\. Update Greenroom, or set GRAPH_VERSION=v27\.0\./,
    ],
    [
      { state: 'warning', found: 'unannounced', version: 'v27.0' },
      /The end date of v27\.0 is not known here\. Update Greenroom\.(?!,)/,
    ],
    [
      { state: 'warning', found: 'unknown', version: 'v19.0', newest: 'v27.0' },
      /v19\.0 is not in the table of versions\. Update Greenroom, or set GRAPH_VERSION=v27\.0\./,
    ],
    [
      { state: 'good', found: 'newer', version: 'v28.0', newest: 'v27.0' },
      /v28\.0 is newer than the table of versions\.(?! Update)/,
    ],
  ] as [Omit<PlatformHealth, 'part'>, string | RegExp][])("describes the platform's version: %o", async (of, text) => {
    const parts = [{ part: 'platform', ...of } as const]
    service.on('GET', '/server/health', { body: { ...HEALTH, parts } })
    show(<Health />, { permissions: [] })
    await untilShown('Meta’s API')
    expect(textOf()).toMatch(text)
  })

  test('shows a backup that a program has fetched beside one that the server has made', async () => {
    const fetched = { madeAt: '2020-02-29T12:00:00.000Z', bytes: 1, hasMasterKey: false, missingMedia: 0 }
    const isAt = (backup: ServerHealth['backup']) =>
      service.on('GET', '/server/health', { body: { ...HEALTH, backup } })
    isAt({ state: 'warning', found: 'fetched', fetched, weaknesses: ['no_master_key'] })
    show(<Health />, { permissions: [] })
    await untilShown('Backups are fetched by a program.')
    expect(textOf()).toMatch(/where it is stored is not known here · without the master key/)
    expect(textOf()).not.toContain('None yet')
    isAt({ ...HEALTH.backup, fetched })
    show(<Health />, { permissions: [] })
    await untilShown('None yet')
    expect(textOf()).toContain('where it is stored is not known here')
  })

  test('shows why it cannot be read', async () => {
    service.on('GET', '/server/health', refusal(503, 'database_unavailable'))
    show(<Health />, { permissions: [] })
    await untilShown('Greenroom cannot reach its database right now.')
  })

  test('rotates the master key step by step, and continues after a refused step', async () => {
    const steps: (string | undefined)[] = []
    let isAway = true
    service.on('POST', ROTATE, ({ body }) => {
      const { after } = body as { after?: string }
      steps.push(after)
      if (after === 'b' && isAway) return refusal(503, 'database_unavailable')
      const next = after === undefined ? 'a' : after === 'a' ? 'b' : undefined
      return { body: { keyId: 'k2', resealed: 500, unopened: 0, remaining: 1, ...(next && { after: next }) } }
    })
    show(<Health />, { permissions: [] })
    await untilShown('Every secret is sealed with this key.')
    await press('Rotate')
    await untilShown('Rotate the master key?')
    submit()
    await untilShown('Greenroom cannot reach its database right now.')
    expect(steps).toEqual([undefined, 'a', 'b'])
    isAway = false
    service.on('GET', '/server/health', { body: { ...HEALTH, masterKey: { ...HEALTH.masterKey, keyId: 'k2' } } })
    await until(() => {
      if (button('Rotate').disabled) throw new Error('still busy')
      submit()
    })
    await untilShown('The master key is rotated: 1,500 secrets sealed.')
    await untilShown('k2')
    expect(steps.slice(3)).toEqual([undefined, 'a', 'b'])
  })
})
