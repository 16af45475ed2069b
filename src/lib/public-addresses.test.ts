import { createSocket } from 'node:dgram'
import { expect, onTestFinished, test } from 'vitest'
import { createPatience, type Patience } from '../../test/patience.js'
import { sendWebhook } from '../news/webhooks/send-webhook.js'
import { createResolve, isPrivateAddress } from './public-addresses.js'

test.each([
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.255', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', '::127.0.0.1'],
  ...['::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::a00:1', 'fc00::1', 'fdff::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1'],
  ...['ff02::1', '2001:db8::1', '2002:a00:1::', '2001::1'],
  // IPv4 translated (RFC 6145), Azure's own, unassigned ranges, and services of networks themselves.
  ...['::ffff:0:127.0.0.1', '::ffff:0:7f00:1', '::ffff:0:8.8.8.8', '168.63.129.16', '::ffff:168.63.129.16'],
  ...['4000::1', '1::1', '192.31.196.1', '2620:4f:8000::1', '100:0:0:1::1', '::8.8.8.8', '64:ff9b::8.8.8.8'],
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true)
})

test.each([
  ...[
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '192.167.0.1',
    '223.255.255.255',
  ],
  ...['2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8'],
])('%s is public', (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})

/** A name server that returns this address for every name, or never answers. */
async function startNameServer(address: readonly number[] | undefined, patience: Patience): Promise<string> {
  const socket = createSocket('udp4')
  onTestFinished(() => new Promise<void>((closed) => socket.close(closed)))
  socket.on('message', (query, { port }) => {
    if (address === undefined) return patience.end()
    const question = query.subarray(12, query.indexOf(0, 12) + 5)
    const isFour = question.readUInt16BE(question.length - 4) === 1
    const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isFour ? 1 : 0, 0, 0, 0, 0])
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address])
    socket.send(Buffer.concat([head, question, ...(isFour ? [answer] : [])]), port, '127.0.0.1')
  })
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound))
  return `127.0.0.1:${socket.address().port}`
}

const send = async (address: readonly number[] | undefined) => {
  const patience = createPatience()
  const resolve = createResolve([await startNameServer(address, patience)])
  const { signal } = new AbortController()
  const request = { url: 'https://hooks.example:1/', headers: {}, body: '{}' }
  return sendWebhook(request, { allowsPrivate: false, signal, resolve, startTimer: patience.startTimer })
}

test('a name that DNS resolves to a private address is not connected to', async () => {
  expect(await send([10, 0, 0, 1])).toEqual({ error: 'Its address is private: see WEBHOOK_PRIVATE.' })
})

test('a silent name server delays an attempt for at most its own time', async () => {
  expect(await send(undefined)).toEqual({ error: 'It did not answer within 10 s.' })
})
