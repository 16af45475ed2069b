import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Sender } from './inbox.js'
import { type ListeningApp, startListening } from './listening.js'
import { talkRaw } from './raw-http.js'

let app: ListeningApp
beforeAll(async () => {
  app = await startListening()
})
afterAll(() => app.close())
const port = () => Number(new URL(app.url).port)
const raw = async (text: string) => {
  const answer = await Promise.race([talkRaw(port(), text), new Promise<string>((r) => setTimeout(() => r('TIMEOUT'), 3000))])
  return answer
}
test('hooks', { timeout: 60000 }, async () => {
  const woo = await Sender.create(app, 'WOOCOMMERCE')
  const ev = await Sender.create(app, 'EVENTS')
  const shop = await Sender.create(app, 'SHOPIFY')
  const meta = await Sender.create(app, 'META')
  const key = ev.source.writeKey!
  const auth = `Authorization: Basic ${Buffer.from(key + ':').toString('base64')}\r\n`
  const show = (name: string, text: string) => console.log(`--- ${name}\n${text.replace(/\r/g, '')}`)
  show('ping 1.0', await raw(`POST /hooks/${woo.source.id} HTTP/1.0\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 12\r\n\r\nwebhook_id=7`))
  show('ping 1.0 no host', await raw(`POST /hooks/${woo.source.id} HTTP/1.0\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 12\r\n\r\nwebhook_id=7`))
  show('ping slash', await raw(`POST /hooks/${woo.source.id}/ HTTP/1.0\r\nHost: x\r\nContent-Length: 12\r\n\r\nwebhook_id=7`))
  const body = JSON.stringify({ type: 'screen', userId: 'u', messageId: 'a' })
  for (const path of ['/ingest/t', '/ingest/t/', '/ingest//t', '/ingest/v1/track/', '/ingest/v1/batch', '/ingest/track', '/ingest/beacon/v1/batch', '/v1/batch', '/ingest', '/ingest/m']) {
    const a = await raw(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}Content-Length: ${body.length}\r\n\r\n${body}`)
    show(path, a.split('\r\n')[0]! + ' ' + a.split('\r\n\r\n')[1])
  }
  for (const m of ['HEAD', 'PUT', 'GET', 'DELETE', 'PATCH', 'OPTIONS']) {
    for (const path of ['/ingest/t', `/hooks/${shop.source.id}`, `/hooks/${meta.source.id}`, `/hooks/${meta.source.id}/data-deletion`]) {
      const a = await raw(`${m} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      show(`${m} ${path}`, a.split('\r\n')[0]! + ' ' + a.split('\r\n\r\n')[1])
    }
  }
  // content-encoding
  const zipped = gzipSync(body)
  for (const enc of ['gzip', 'br', 'deflate', 'identity']) {
    const r = await fetch(`${app.url}/ingest/t`, { method: 'POST', body: enc === 'gzip' ? zipped : body, headers: { authorization: auth.slice(15).trim(), 'content-encoding': enc, 'content-type': 'application/json' } })
    show(`enc ${enc}`, r.status + ' ' + (await r.text()))
  }
  // lying content-length: shorter body then close
  show('short', await raw(`POST /ingest/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}Content-Length: 10\r\n\r\n${body}`))
  show('no type, dup auth', await raw(`POST /ingest/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}${auth}Content-Length: ${body.length}\r\n\r\n${body}`))
  show('dup content-type', await raw(`POST /ingest/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}Content-Type: text/plain\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`))
  show('weird type', await raw(`POST /ingest/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}Content-Type: ;;;\r\nContent-Length: ${body.length}\r\n\r\n${body}`))
  show('empty type', await raw(`POST /ingest/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}Content-Type: \r\nContent-Length: ${body.length}\r\n\r\n${body}`))
  show('chunked', await raw(`POST /ingest/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`))
  show('empty', await raw(`POST /ingest/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}Content-Length: 0\r\n\r\n`))
  show('none', await raw(`POST /ingest/t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${auth}\r\n`))
  // exact size
  const max = 4 * 1024 * 1024
  for (const size of [max, max + 1]) {
    const start = `{"pad":"`
    const end = `","batch":[]}`
    const big = start + 'x'.repeat(size - start.length - end.length) + end
    const r = await fetch(`${app.url}/ingest/v1/batch`, { method: 'POST', body: big, headers: { authorization: auth.slice(15).trim() } })
    show(`size ${size}`, r.status + ' ' + (await r.text()))
    const mac = createHmac('sha256', 'secret of the other side').update(big).digest('base64')
    const r2 = await fetch(`${app.url}/hooks/${shop.source.id}`, { method: 'POST', body: big, headers: { 'x-shopify-hmac-sha256': mac, 'x-shopify-topic': 'orders/create' } })
    show(`shop size ${size}`, r2.status + ' ' + (await r2.text()))
  }
  // problem reasons with NUL and half surrogates in a syntax error
  await shop.send('\0', { topic: 'orders/create', id: 'n1' })
  await shop.send('{"a":\0}', { topic: 'orders/create', id: 'n2' })
  await shop.send('{"aaaaaaaaa😀😀😀😀😀😀😀😀😀😀😀😀😀 :x😀😀😀😀😀😀😀😀}', { topic: 'orders/create', id: 'n3' })
  await shop.apply()
  await ev.send(`{"batch":[${JSON.stringify({ type: 'track', event: 'Order Completed', userId: 'u', messageId: 'm', properties: { order_id: 'x', total: 1, currency: 'EUR' } })},{"type":"track","event":"Order Completed","userId":"u","properties":{"order_id":"1","total":{"toString":1},"currency":"EUR"}}]}`)
  await ev.apply()
  show('problems', JSON.stringify([...(await shop.problems()), ...(await ev.problems())].map(({ reason, item }) => ({ item, reason })), null, 1))
  expect(1).toBe(1)
})
