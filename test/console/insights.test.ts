import { describe, expect, test } from 'vitest'
import { campaignsToCsv, daysToCsv } from '../../src/console/insights/csv.js'
import {
  changeOf,
  compare,
  compareCampaigns,
  filterCampaigns,
  type Metric,
  metricOf,
  sumOf,
} from '../../src/console/insights/figures.js'
import { describeChange, makeFormat } from '../../src/console/insights/format.js'
import { readSort, sortBy } from '../../src/console/insights/sort.js'
import {
  comparedWith,
  daysBeside,
  daysOf,
  isKept,
  presetOf,
  problemOf,
  readWindow,
  windowBefore,
  windowBeside,
} from '../../src/console/insights/window.js'
import type { CampaignEntry } from '../../src/interface/generated/types.js'

const END = '2026-11-20'
const WINDOW = { startDate: '2026-11-19', endDate: END }

/** Returns a campaign with its spend, deliveries, percentage read, and clicks for each day. */
const campaign = (id: string, days: Record<string, [string, string, string | undefined, string]>) =>
  ({
    campaignId: id,
    campaignName: `Campaign ${id}`,
    days: Object.entries(days).map(([date_start, [spend, delivered, readRate, clicks]]) => ({
      date_start,
      marketing_messages_spend: spend,
      marketing_messages_delivered: delivered,
      ...(readRate === undefined ? {} : { marketing_messages_read_rate: readRate }),
      marketing_messages_link_btn_click: clicks,
    })),
  }) as unknown as CampaignEntry

const CAMPAIGNS = [
  campaign('1', { '2026-11-19': ['10', '100', '80', '5'], '2026-11-20': ['30', '300', '40', '0'] }),
  campaign('2', { '2026-11-20': ['2.5', '50', undefined, '20'] }),
]
const BEFORE = [campaign('1', { '2026-11-17': ['20', '100', '50', '10'] })]
const all = (figures: ReturnType<typeof sumOf>, ...metrics: Metric[]) => metrics.map((one) => metricOf(figures, one))

describe('the window of insights', () => {
  test('is the chosen number of days up to and including today', () => {
    expect(readWindow({ days: '14' }, END)).toEqual({ startDate: '2026-11-07', endDate: END })
    expect(readWindow({}, END)).toEqual({ startDate: '2026-11-14', endDate: END })
    expect(['28', '8', 'x', undefined].map((days) => presetOf({ days }))).toEqual([28, 7, 7, 7])
  })

  test('consists of the days in the address, if any', () => {
    expect(readWindow({ from: '2026-01-01', to: '2026-01-31', days: '14' }, END)).toEqual({
      startDate: '2026-01-01',
      endDate: '2026-01-31',
    })
    expect(readWindow({ from: '2026-01-01', to: 'today' }, END).endDate).toBe(END)
    expect(readWindow({ from: '2026-02-30' }, END).startDate).toBe('2026-11-14')
  })

  test('has at least one day and at most 93', () => {
    expect(problemOf({ startDate: END, endDate: END })).toBeUndefined()
    expect(problemOf({ startDate: '2026-11-21', endDate: END })).toBe('wrongOrder')
    expect(problemOf({ startDate: '2026-08-20', endDate: END })).toBeUndefined()
    expect(problemOf({ startDate: '2026-08-19', endDate: END })).toBe('tooLong')
  })

  test('is compared with the same number of days right before it', () => {
    expect(daysOf(windowBefore(WINDOW))).toEqual(['2026-11-17', '2026-11-18'])
    expect(windowBefore({ startDate: '2026-03-01', endDate: '2026-03-01' })).toEqual({
      startDate: '2026-02-28',
      endDate: '2026-02-28',
    })
  })
})

describe('the periods of insights', () => {
  const daysIn = (period: string, end: string): string[] => Object.values(readWindow({ period }, end))

  test('cover the right days, whatever the length of the month', () => {
    expect(daysIn('yesterday', '2026-03-01')).toEqual(['2026-02-28', '2026-02-28'])
    expect(daysIn('week', '2026-11-20')).toEqual(['2026-11-13', '2026-11-19'])
    expect(daysIn('month', '2026-11-20')).toEqual(['2026-11-01', '2026-11-20'])
    expect(daysIn('month', '2026-11-01')).toEqual(['2026-11-01', '2026-11-01'])
    expect(daysIn('last-month', '2026-11-01')).toEqual(['2026-10-01', '2026-10-31'])
    expect(daysIn('last-month', '2026-01-31')).toEqual(['2025-12-01', '2025-12-31'])
    expect(daysIn('last-month', '2028-03-31')).toEqual(['2028-02-01', '2028-02-29'])
    expect(daysIn('last-month', '2026-03-31')).toEqual(['2026-02-01', '2026-02-28'])
  })

  test('are overridden by custom days, and an unknown period counts as the last seven days', () => {
    expect(readWindow({ period: 'month', from: '2026-01-05', to: '2026-01-06' }, END).startDate).toBe('2026-01-05')
    expect(daysIn('century', END)).toEqual(['2026-11-14', END])
  })

  test('are compared with the preceding days, with the same days of last year, or with nothing', () => {
    expect([{}, { compare: 'year' }, { compare: 'none' }, { compare: 'x' }].map(comparedWith)).toEqual([
      ...['previous', 'year', 'none', 'previous'],
    ])
    expect(windowBeside(WINDOW, 'none')).toBeUndefined()
    expect(windowBeside(WINDOW, 'previous')).toEqual(windowBefore(WINDOW))
    expect(windowBeside(WINDOW, 'year')).toEqual({ startDate: '2025-11-19', endDate: '2025-11-20' })
    expect(windowBeside({ startDate: '2028-02-29', endDate: '2028-02-29' }, 'year')!.endDate).toBe('2027-02-28')
  })

  test('compare 29 February with nothing, and leave out 29 February of the year before', () => {
    expect(daysBeside({ startDate: '2028-02-28', endDate: '2028-03-01' }, 'year')).toEqual([
      ...['2027-02-28', undefined, '2027-03-01'],
    ])
    const window = { startDate: '2029-02-28', endDate: '2029-03-01' }
    const before = [campaign('1', { '2028-02-28': ['1', '1', '1', '1'], '2028-02-29': ['5', '5', '5', '5'] })]
    const { sumBefore, days } = compare(window, [], before, undefined, 'year')
    expect(metricOf(sumBefore, 'spend')).toBe(1)
    expect(days.map(({ dayBefore }) => dayBefore)).toEqual(['2028-02-28', '2028-03-01'])
  })

  test('reach as far back as the platform keeps figures', () => {
    expect(isKept({ startDate: '2023-10-20', endDate: END }, END)).toBe(true)
    expect(isKept({ startDate: '2023-10-19', endDate: END }, END)).toBe(false)
  })
})

describe('the figures of insights', () => {
  test('are added up, with weighted rates and costs', () => {
    const sum = sumOf(CAMPAIGNS)
    expect(all(sum, 'spend', 'delivered', 'clicks')).toEqual([42.5, 450, 25])
    // 80 of 100 and 120 of 300 were read; the 50 without a rate do not count.
    expect(metricOf(sum, 'readRate')).toBe(50)
    expect(all(sum, 'costPerDelivered', 'costPerClick')).toEqual([42.5 / 450, 42.5 / 25])
  })

  test('have no rate or cost without a divisor', () => {
    const nothing = sumOf([])
    expect(all(nothing, 'spend', 'delivered', 'clicks')).toEqual([0, 0, 0])
    expect(all(nothing, 'readRate', 'costPerDelivered', 'costPerClick')).toEqual([undefined, undefined, undefined])
    expect(metricOf(undefined, 'spend')).toBeUndefined()
  })

  test('are shown by day, each beside the corresponding day of the previous window', () => {
    const { sum, sumBefore, days } = compare(WINDOW, CAMPAIGNS, BEFORE)
    expect(metricOf(sum, 'delivered')).toBe(450)
    expect(metricOf(sumBefore, 'delivered')).toBe(100)
    expect(days.map(({ day, dayBefore }) => [day, dayBefore])).toEqual([
      ['2026-11-19', '2026-11-17'],
      ['2026-11-20', '2026-11-18'],
    ])
    expect(days.map(({ figures }) => metricOf(figures, 'delivered'))).toEqual([100, 350])
    expect(days.map(({ figuresBefore }) => metricOf(figuresBefore, 'spend'))).toEqual([20, undefined])
  })

  test('cover only the chosen campaign, and have no earlier sum before the earlier days are loaded', () => {
    const { sum, sumBefore, days } = compare(WINDOW, CAMPAIGNS, undefined, '2')
    expect([metricOf(sum, 'spend'), sumBefore]).toEqual([2.5, undefined])
    expect(days.map(({ figures }) => metricOf(figures, 'spend'))).toEqual([undefined, 2.5])
  })

  test('have a click rate that counts only deliveries with known clicks', () => {
    expect(metricOf(sumOf(CAMPAIGNS), 'clickRate')).toBe((100 * 25) / 450)
    const withoutRate = campaign('3', { '2026-11-20': ['1', '1000', '10', ''] })
    expect(metricOf(sumOf([...CAMPAIGNS, withoutRate]), 'clickRate')).toBe((100 * 25) / 450)
    expect(metricOf(sumOf([withoutRate]), 'clickRate')).toBeUndefined()
  })

  test('change by a percentage of their earlier value, and rates by percentage points', () => {
    expect([changeOf(30, 20, 'spend'), changeOf(5, 20, 'clicks'), changeOf(20, 20, 'spend')]).toEqual([50, -75, 0])
    const unknown = [changeOf(1, 0, 'spend'), changeOf(1, undefined, 'readRate'), changeOf(undefined, 1, 'spend')]
    expect(unknown).toEqual([undefined, undefined, undefined])
    expect(changeOf(4, 0, 'readRate')).toBe(4)
    expect(describeChange(45, 40, 'readRate')).toBe('5.0 points more than before')
    expect(describeChange(3, 4, 'clickRate')).toBe('1.00 point less than before')
    expect(describeChange(3.001, 3, 'clickRate')).toBe('unchanged')
    expect(describeChange(45, 40, 'spend')).toBe('13% more than before')
  })

  test('have a fixed number of decimals for each kind, so that they align', () => {
    const format = makeFormat('EUR')
    expect([format(1234.5, 'spend'), format(80, 'readRate'), format(2, 'clickRate')]).toEqual([
      ...['€1,234.50', '80.0%', '2.00%'],
    ])
    expect([format(1500, 'delivered'), format(2.05737, 'costPerClick'), format(undefined, 'spend')]).toEqual([
      ...['1,500', '€2.0574', '–'],
    ])
    expect(makeFormat('JPY')(1234, 'spend')).toBe('JP¥1,234')
    expect(makeFormat('JPY')(1.25, 'costPerClick')).toBe('JP¥1.25')
    expect(makeFormat('KWD')(1.2345, 'spend')).toMatch(/1\.23[45]$/)
  })

  test('are compared by campaign with the other window', () => {
    const beside = daysBeside(WINDOW, 'previous')
    const before = compareCampaigns(CAMPAIGNS, BEFORE, beside).map(({ sumBefore }) => metricOf(sumBefore, 'spend'))
    expect(before).toEqual([20, undefined])
  })
})

describe('the tables of insights', () => {
  const rows = [
    { name: 'b', value: 2 },
    { name: 'a', value: undefined },
    { name: 'C', value: 2 },
    { name: 'd10', value: 1 },
    { name: 'd9', value: 0 },
  ]
  const names = (value: (row: (typeof rows)[number]) => number | string | undefined, isDescending: boolean) =>
    sortBy(rows, value, isDescending, 'en').map(({ name }) => name)

  test('are sorted in both directions, with missing values last and equal ones in their original order', () => {
    expect(names(({ value }) => value, true)).toEqual(['b', 'C', 'd10', 'd9', 'a'])
    expect(names(({ value }) => value, false)).toEqual(['d9', 'd10', 'b', 'C', 'a'])
    expect(names(({ name }) => name, false)).toEqual(['a', 'b', 'C', 'd9', 'd10'])
    expect(names(({ name }) => name, true)).toEqual(['d10', 'd9', 'C', 'b', 'a'])
  })

  test('are sorted as the address says, or else by default', () => {
    const fallback = { by: 'day', isDescending: false } as const
    expect(readSort(['day', 'spend'], { by: 'spend', order: 'desc' }, fallback)).toEqual({
      ...{ by: 'spend', isDescending: true },
    })
    expect(readSort(['day', 'spend'], { by: 'spend', order: 'asc' }, fallback).isDescending).toBe(false)
    expect(readSort(['day', 'spend'], { by: 'constructor', order: 'desc' }, fallback)).toEqual(fallback)
  })

  test('are filtered by name or id, ignoring case', () => {
    const ids = (search: string) => filterCampaigns(CAMPAIGNS, search).map(({ campaignId }) => campaignId)
    expect([ids('CAMPAIGN 2'), ids(' 1 '), ids(''), ids('nothing')]).toEqual([['2'], ['1'], ['1', '2'], []])
  })
})

describe('the CSV of insights', () => {
  test('has a row for each day, with the day it is compared with', () => {
    const lines = daysToCsv(compare(WINDOW, CAMPAIGNS, BEFORE).days, 'EUR').split('\r\n')
    expect(lines[0]).toBe(
      '\uFEFFdate,currency,spend,delivered,readRate,clicks,clickRate,costPerDelivered,costPerClick,dateBefore,' +
        'spendBefore,deliveredBefore,readRateBefore,clicksBefore,clickRateBefore,costPerDeliveredBefore,costPerClickBefore',
    )
    expect(lines[1]).toBe('2026-11-19,EUR,10,100,80,5,5,0.1,2,2026-11-17,20,100,50,10,10,0.2,2')
    expect(lines[2]).toMatch(/^2026-11-20,EUR,32\.5,350,40,20,.*,2026-11-18,,,,,,,$/)
    expect(lines.slice(3)).toEqual([''])
  })

  test('has no columns for earlier days without a comparison', () => {
    const lines = daysToCsv(compare(WINDOW, CAMPAIGNS, undefined, undefined, 'none').days, 'EUR', false).split('\r\n')
    expect(lines[0]).toMatch(/costPerClick$/)
    expect(lines[1]).toBe('2026-11-19,EUR,10,100,80,5,5,0.1,2')
  })

  test('has a row for each campaign and day, as the platform returns it', () => {
    const lines = campaignsToCsv(CAMPAIGNS, 'EUR').split('\r\n')
    expect(lines.slice(1)).toEqual([
      '1,Campaign 1,2026-11-19,EUR,10,100,80,5,,,',
      '1,Campaign 1,2026-11-20,EUR,30,300,40,0,,,',
      '2,Campaign 2,2026-11-20,EUR,2.5,50,,20,,,',
      '',
    ])
  })
})
