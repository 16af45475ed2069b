import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startTestApp } from '../../../test/harness.js'
import { Sender } from '../../../test/inbox.js'

const MIB = 1024 * 1024

test.each(['META', 'SHOPIFY', 'WOOCOMMERCE'] as const)('a source of %s is charged by unpacked bytes', async (type) => {
  const app = await startTestApp()
  const sender = await Sender.create(app, type)
  const large = (at: number) => gzipSync(`{"at":${at},"pad":"${'x'.repeat(15 * MIB)}"}`)
  await sender.send(large(1))
  await sender.send(large(2), { status: 429 })
  app.clock.advance(2_000)
  await sender.send(large(2))
  expect(await sender.problems()).toEqual([])
})
