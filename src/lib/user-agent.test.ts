import { expect, test } from 'vitest'
import { describeBrowser } from './user-agent.js'

test.each([
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/128.0.0.0 Safari/537.36', 'Chrome on Windows'],
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/128.0 Safari/537.36 Edg/128.0', 'Edge on Windows'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) CriOS/128.0 Mobile Safari/604.1', 'Chrome on iOS'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) Version/17.5 Safari/605.1.15', 'Safari on macOS'],
  ['Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0', 'Firefox on Android'],
  ['curl/8.9.1', 'an unknown browser'],
  ['', 'an unknown browser'],
])('%s is %s', (userAgent, described) => {
  expect(describeBrowser(userAgent)).toBe(described)
})
