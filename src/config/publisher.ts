import { integer } from './parsers.js'
import { group, setting } from './setting.js'

export const publisher = group({
  latePostHours: setting('LATE_POST_HOURS', integer(1, 8_760), { default: '24' }).about(
    'How late a post may still be published, 1 to 8760; past that it is failed, and `retry` gives it a new time.',
  ),
  intervalMs: setting('PUBLISHER_INTERVAL_MS', integer(100, 60_000), { default: '1000' }).about(
    'How often the publisher looks for posts that are due, 100 to 60000, in milliseconds.',
  ),
})
