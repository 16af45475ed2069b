import { isBareDate } from '../lib/dates.js'
import { group, Mistake, type Parser, setting } from './setting.js'

const date: Parser<string> = (given) => {
  if (isBareDate(given)) return given
  throw new Mistake(`must be a date YYYY-MM-DD, not "${given}".`)
}

export const insights = group({
  cutoffDate: setting('INSIGHTS_CUTOFF_DATE', date, { default: '2026-03-01' }).about(
    'Campaigns created before this date have no insights by day.',
  ),
})
