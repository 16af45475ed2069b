import { integer } from './parsers.js'
import { group, setting } from './setting.js'

export const publisher = group({
  latePostHours: setting(
    { name: 'LATE_POST_HOURS', parse: integer(1, 8_760), default: '24' },
    'How late a post may still be published, 1 to 8760; past that it is failed, and `retry` gives it a new time.',
  ),
  intervalMs: setting(
    { name: 'PUBLISHER_INTERVAL_MS', parse: integer(100, 60_000), default: '1000' },
    'How often the publisher looks for posts that are due, 100 to 60000, in milliseconds.',
  ),
})
