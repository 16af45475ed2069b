import { describe, expect, test } from 'vitest'
import { PLATFORM_ADVICE } from '../interface/server.js'
import { isBareDate } from '../lib/dates.js'
import { endsOf, GRAPH_VERSIONS, judgeGraphVersion, NEWEST_VERSION } from './graph-versions.js'
import { readConfig } from './index.js'

type Table = typeof GRAPH_VERSIONS

const at = (day: string): number => Date.parse(`${day}T12:00:00Z`)
const judge = (version: string, day: string, table?: Table) => judgeGraphVersion(version, at(day), table)
const advice = (version: string, day: string, table?: Table) => {
  const health = judge(version, day, table)
  return PLATFORM_ADVICE[health.found](health)
}

describe('the table of versions', () => {
  test('is well-formed, newest first, and each API ends after the version was released', () => {
    for (const { version, released, ends } of GRAPH_VERSIONS) {
      expect(version).toMatch(/^v\d{2}\.0$/)
      for (const day of [released, ...Object.values(ends)]) expect([day, isBareDate(day)]).toEqual([day, true])
      for (const day of Object.values(ends)) expect(day > released).toBe(true)
    }
    const released = GRAPH_VERSIONS.map((known) => known.released)
    expect(released).toEqual(released.toSorted().reverse())
    expect(new Set(GRAPH_VERSIONS.map(({ version }) => version)).size).toBe(GRAPH_VERSIONS.length)
  })

  test('starts with the default version, which is accepted as a setting, as are all the others', () => {
    expect(readConfig({}).graph.version).toBe(NEWEST_VERSION)
    for (const { version } of GRAPH_VERSIONS) {
      expect(readConfig({ GRAPH_VERSION: version }).graph.version).toBe(version)
    }
  })
})

describe('a version is rated by the API that ends first', () => {
  // v25.0 ends on 2027-02-23 as the Marketing API, and on 2028-07-29 as the Graph API.
  const marketing = { part: 'platform', version: 'v25.0', newest: 'v27.0', api: 'marketing', endsOn: '2027-02-23' }
  test.each([
    [61, '2026-12-24', 'good', 'supported'],
    [60, '2026-12-25', 'warning', 'ending'],
    [1, '2027-02-22', 'warning', 'ending'],
    [0, '2027-02-23', 'warning', 'ending'],
    [-1, '2027-02-24', 'bad', 'ended'],
    [-4000, '2038-02-06', 'bad', 'ended'],
  ])('the Marketing API, %i days before', (_days, day, state, found) => {
    expect(judge('v25.0', day)).toEqual({ ...marketing, state, found })
  })

  // Meta could end the Graph API first.
  const table: Table = [
    { version: 'v29.0', released: '2027-06-01', ends: {} },
    { version: 'v28.0', released: '2027-03-01', ends: { graph: '2029-03-01', marketing: '2029-06-01' } },
    { version: 'v27.0', released: '2026-11-04', ends: { graph: '2028-03-01' } },
  ]
  test.each([
    [61, '2028-12-30', 'good', 'supported'],
    [60, '2028-12-31', 'warning', 'ending'],
    [0, '2029-03-01', 'warning', 'ending'],
    [-1, '2029-03-02', 'bad', 'ended'],
  ])('the Graph API, %i days before', (_days, day, state, found) => {
    const graph = { part: 'platform', version: 'v28.0', newest: 'v29.0', api: 'graph', endsOn: '2029-03-01' }
    expect(judge('v28.0', day, table)).toEqual({ ...graph, state, found })
  })

  test('the day is a UTC day, from its first to its last instant', () => {
    const found = (instant: string) => judgeGraphVersion('v25.0', Date.parse(instant)).found
    expect(found('2026-12-24T23:59:59.999Z')).toBe('supported')
    expect(found('2026-12-25T00:00:00.000Z')).toBe('ending')
    expect(found('2027-02-23T23:59:59.999Z')).toBe('ending')
    expect(found('2027-02-24T00:00:00.000Z')).toBe('ended')
  })

  test('a version without an announced end is a warning 60 days before the shortest life of a Marketing API is over', () => {
    // v21.0 has the shortest life in the table: 342 days.
    expect(judge('v27.0', '2027-08-12')).toEqual({
      part: 'platform',
      version: 'v27.0',
      state: 'good',
      found: 'supported',
    })
    expect(judge('v27.0', '2027-08-13')).toEqual({
      ...{ part: 'platform', version: 'v27.0', state: 'warning', found: 'unannounced' },
    })
    expect(judge('v26.0', '2027-05-07')).toMatchObject({ state: 'warning', found: 'unannounced', newest: 'v27.0' })
    // The end of the Graph API says nothing about the other API.
    expect(judge('v27.0', '2027-08-01', [...table, ...GRAPH_VERSIONS.slice(2)])).toMatchObject({ found: 'supported' })
    expect(judge('v27.0', '2027-08-13', [...table, ...GRAPH_VERSIONS.slice(2)])).toMatchObject({ found: 'unannounced' })
  })

  test.each(['v27.1', 'v28.0', 'v100.0'])('%s is newer than the table, which is fine', (version) => {
    expect(judge(version, '2040-01-01')).toEqual({
      ...{ part: 'platform', version, newest: 'v27.0', state: 'good', found: 'newer' },
    })
  })

  test.each([
    'v19.0',
    'v3.3',
    'v25.1',
    '',
    '27.0',
    'v27',
    'latest',
    'v27.0 ',
    'v1e9.0',
    'constructor',
    `v${'9'.repeat(9999)}.0`,
  ])('%.20s is not in the table, which is a warning', (version) => {
    expect(judge(version, '2026-11-30')).toEqual({
      ...{ part: 'platform', version, newest: 'v27.0', state: 'warning', found: 'unknown' },
    })
  })

  test('the metrics have both ends, the earlier one first', () => {
    expect(endsOf('v25.0')).toEqual([
      { api: 'marketing', endsOn: '2027-02-23' },
      { api: 'graph', endsOn: '2028-07-29' },
    ])
    expect(endsOf('v28.0', table)).toEqual([
      { api: 'graph', endsOn: '2029-03-01' },
      { api: 'marketing', endsOn: '2029-06-01' },
    ])
    expect([endsOf('v27.0'), endsOf('v19.0')]).toEqual([[], []])
  })

  test('the text says which API ends, when, and what to do', () => {
    const set = 'Set GRAPH_VERSION=v27.0, or update Greenroom.'
    expect(advice('v25.0', '2026-12-25')).toEqual({
      finding: 'The Marketing API v25.0, which insights use, ends on 2027-02-23.',
      remedy: set,
    })
    expect(advice('v24.0', '2026-12-25')).toEqual({
      finding: expect.stringMatching(/^The Marketing API v24\.0, which insights use, ended on 2026-11-10: /),
      remedy: set,
    })
    expect(advice('v28.0', '2029-02-01', table)).toEqual({
      finding: 'The Graph API v28.0, which publishing and replies use, ends on 2029-03-01.',
      remedy: 'Set GRAPH_VERSION=v29.0, or update Greenroom.',
    })
    expect(advice('v19.0', '2026-12-25')).toEqual({
      finding: expect.stringMatching(/^This version of Greenroom does not know v19\.0: /),
      remedy: set,
    })
    expect(advice('v28.0', '2026-12-25')).toEqual({
      finding: expect.stringMatching(/so it does not know when v28\.0 ends\.$/),
      remedy: '',
    })
    expect(advice('v27.0', '2026-12-25')).toEqual({ finding: 'No end date has been announced for v27.0.', remedy: '' })
    // The newest known version cannot be replaced by a setting that this program knows.
    expect(advice('v27.0', '2027-12-25').remedy).toBe('Update Greenroom: this version does not know a newer one.')
  })
})
