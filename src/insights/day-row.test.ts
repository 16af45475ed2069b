import { expect, it } from 'vitest'
import { isCreatedBefore, toCampaignEntry, toDayRows } from './day-row.js'

const DAYS = [
  { date_start: '2026-11-02', marketing_messages_spend: '1.50', marketing_messages_new_metric: '7' },
  { date_start: '2026-10-31', marketing_messages_spend: '0', list: [{ value: '1' }] },
  { date_start: '2026-11-01' },
]

it('interface 2.3: rows are passed on as the platform sends them, oldest first, with nothing added', () => {
  expect(toDayRows(DAYS)).toEqual([DAYS[1], DAYS[2], DAYS[0]])
  expect(JSON.stringify(toDayRows(DAYS)[2])).toBe(JSON.stringify(DAYS[0]))
})

it('interface 2.3: an entry has its four fields', () => {
  const campaign = { id: '1', name: 'Ré·öpen', createdTime: '2026-04-02T10:11:12-0300', isMessageCampaign: true }
  expect(toCampaignEntry(campaign, DAYS)).toEqual({
    campaignId: '1',
    campaignName: 'Ré·öpen',
    createdTime: '2026-04-02T10:11:12-0300',
    days: toDayRows(DAYS),
  })
})

it.each([
  ['2026-02-28T23:30:00-0300', true],
  ['2026-02-28T23:59:59+0900', true],
  ['2026-03-01T00:00:00-1100', false],
  ['2026-03-01T00:10:00+0900', false],
])('interface 4.2.5: %s is before the cutoff: %s, by the date in its own offset', (createdTime, isBefore) => {
  expect(isCreatedBefore({ createdTime }, '2026-03-01')).toBe(isBefore)
})
