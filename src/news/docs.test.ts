import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LIMITS } from '../lib/limits.js'
import { EVENTS, type EventDescription } from './events.js'
import { RETRIES } from './retries.js'
import { newWebhookSecret, signedHeaders } from './webhooks/signature.js'

const text = readFileSync(new URL('../../docs/notifications.md', import.meta.url), 'utf8')

test('docs/notifications.md lists every event, when it is sent and what it contains', () => {
  const [, table = ''] = text.split('## Events')
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const written = rows.map((line) => line.split('|').map((cell) => cell.trim()))
  const membersOf = ({ body }: EventDescription): string[] => Object.keys(body.extract('data').describe().keys ?? {})
  expect(
    written.map(([, type, when, data = '']) => [type, when, [...data.matchAll(/`(\w+)`/g)].map(([, name]) => name)]),
  ).toEqual(Object.entries(EVENTS).map(([type, event]) => [`\`${type}\``, event.when, membersOf(event)]))
})

test('docs/notifications.md has the current waits and limits', () => {
  const unit = (ms: number): string =>
    ms < 60_000 ? `${ms / 1000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`
  const sentences = text.replaceAll('\n', ' ')
  const waits = RETRIES.waitsMs.map(unit)
  expect(sentences).toContain(`${waits.slice(0, -1).join(', ')} and ${waits.at(-1)}`)
  expect(sentences).toContain(`within ${LIMITS.webhookMs[0] / 1000} seconds`)
  expect(sentences).toContain(`Up to ${LIMITS.deliveriesOfWebhook[0]} deliveries`)
  expect(sentences).toContain(`${LIMITS.webhookLogMs[0] / 86_400_000} days`)
  expect(sentences).toContain(LIMITS.webhookLogRows[0].toLocaleString('en'))
  expect(sentences).toContain(`${LIMITS.webhookPendingRows[0].toLocaleString('en')} of a webhook`)
  expect(sentences).toContain(`${LIMITS.webhookWaitMs[0] / 86_400_000} days`)
})

test('the example in docs/notifications.md accepts what is signed and nothing else', async () => {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(text)!
  const { isFromGreenroom } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)
  const [secret, other] = [newWebhookSecret(), newWebhookSecret()]
  const timestamp = 1_800_000_000
  const body = '{"type":"test"}'
  const now = timestamp * 1000 + 1_000
  const headers = signedHeaders([secret], { id: 'event_1', timestamp, body })
  expect(isFromGreenroom(secret, headers, body, now)).toBe(true)
  expect(isFromGreenroom(secret, signedHeaders([other, secret], { id: 'event_1', timestamp, body }), body, now)).toBe(
    true,
  )
  expect(isFromGreenroom(other, headers, body, now)).toBe(false)
  expect(isFromGreenroom(secret, headers, `${body} `, now)).toBe(false)
  expect(isFromGreenroom(secret, { ...headers, 'webhook-id': 'event_2' }, body, now)).toBe(false)
  expect(isFromGreenroom(secret, headers, body, now + 300_000)).toBe(false)
})

test('a signature matches the test vector of the Standard Webhooks libraries', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const headers = signedHeaders([secret], {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  })
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})
