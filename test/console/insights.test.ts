import { describe, expect, test } from 'vitest'
import { campaignsToCsv, daysToCsv } from '../../src/console/insights/csv.js'
import { changeOf, compare, type Metric, metricOf, rankCampaigns, sumOf } from '../../src/console/insights/figures.js'
import { daysOf, presetOf, problemOf, readWindow, windowBefore } from '../../src/console/insights/window.js'
import type { CampaignEntry } from '../../src/interface/insights.js'

const END = '2026-11-20'
const WINDOW = { startDate: '2026-11-19', endDate: END }

/** A campaign with, for each day, what it spent, delivered, how many percent of it were read, and its clicks. */
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
  test('is the chosen number of days up to today, which is one of them', () => {
    expect(readWindow({ days: '14' }, END)).toEqual({ startDate: '2026-11-07', endDate: END })
    expect(readWindow({}, END)).toEqual({ startDate: '2026-11-14', endDate: END })
    expect(['28', '8', 'x', undefined].map((days) => presetOf({ days }))).toEqual([28, 7, 7, 7])
  })

  test('is the days of the address where it has them', () => {
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

  test('stands beside as many days right before it', () => {
    expect(daysOf(windowBefore(WINDOW))).toEqual(['2026-11-17', '2026-11-18'])
    expect(windowBefore({ startDate: '2026-03-01', endDate: '2026-03-01' })).toEqual({
      startDate: '2026-02-28',
      endDate: '2026-02-28',
    })
  })
})

describe('the figures of insights', () => {
  test('are added up, and rates and costs of a sum are weighted', () => {
    const sum = sumOf(CAMPAIGNS)
    expect(all(sum, 'spend', 'delivered', 'clicks')).toEqual([42.5, 450, 25])
    // 80 of 100 and 120 of 300 were read; the 50 without a rate do not count.
    expect(metricOf(sum, 'readRate')).toBe(50)
    expect(all(sum, 'costPerDelivered', 'costPerClick')).toEqual([42.5 / 450, 42.5 / 25])
  })

  test('have no rate and no cost where there is nothing to divide by', () => {
    const nothing = sumOf([])
    expect(all(nothing, 'spend', 'delivered', 'clicks')).toEqual([0, 0, 0])
    expect(all(nothing, 'readRate', 'costPerDelivered', 'costPerClick')).toEqual([undefined, undefined, undefined])
    expect(metricOf(undefined, 'spend')).toBeUndefined()
  })

  test('stand day by day beside the day at the same place in the window before', () => {
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

  test('are those of one campaign where it is chosen, and have no sum before until that is read', () => {
    const { sum, sumBefore, days } = compare(WINDOW, CAMPAIGNS, undefined, '2')
    expect([metricOf(sum, 'spend'), sumBefore]).toEqual([2.5, undefined])
    expect(days.map(({ figures }) => metricOf(figures, 'spend'))).toEqual([undefined, 2.5])
  })

  test('rank the campaigns by a metric, the highest first and those without it last', () => {
    const ids = (metric: Metric) => rankCampaigns(CAMPAIGNS, BEFORE, metric).map(({ campaign: one }) => one.campaignId)
    expect([ids('spend'), ids('clicks'), ids('readRate')]).toEqual([
      ['1', '2'],
      ['2', '1'],
      ['1', '2'],
    ])
    const before = rankCampaigns(CAMPAIGNS, BEFORE, 'spend').map(({ sumBefore }) => metricOf(sumBefore, 'spend'))
    expect(before).toEqual([20, undefined])
  })

  test('change by percent of what they were', () => {
    expect([changeOf(30, 20), changeOf(5, 20), changeOf(20, 20)]).toEqual([50, -75, 0])
    expect([changeOf(1, 0), changeOf(1, undefined), changeOf(undefined, 1)]).toEqual([undefined, undefined, undefined])
  })
})

describe('CSV of insights', () => {
  test('has a row for each day, beside the day before', () => {
    const lines = daysToCsv(compare(WINDOW, CAMPAIGNS, BEFORE).days, 'EUR').split('\r\n')
    expect(lines[0]).toBe(
      '\uFEFFdate,currency,spend,delivered,readRate,clicks,costPerDelivered,costPerClick,dateBefore,' +
        'spendBefore,deliveredBefore,readRateBefore,clicksBefore,costPerDeliveredBefore,costPerClickBefore',
    )
    expect(lines[1]).toBe('2026-11-19,EUR,10,100,80,5,0.1,2,2026-11-17,20,100,50,10,0.2,2')
    expect(lines[2]).toMatch(/^2026-11-20,EUR,32\.5,350,40,20,.*,2026-11-18,,,,,,$/)
    expect(lines.slice(3)).toEqual([''])
  })

  test('has a row for each campaign and day, as the platform gives it', () => {
    const lines = campaignsToCsv(CAMPAIGNS, 'EUR').split('\r\n')
    expect(lines.slice(1)).toEqual([
      '1,Campaign 1,2026-11-19,EUR,10,100,80,5,,,',
      '1,Campaign 1,2026-11-20,EUR,30,300,40,0,,,',
      '2,Campaign 2,2026-11-20,EUR,2.5,50,,20,,,',
      '',
    ])
  })
})
