import { expect, test } from 'vitest'
import { entrantKeyOf, seedOf } from './enter.js'

const POST = { organization_id: 'org_1', scheduled_post_id: 'post_1', channel_id: 'FB_PAGE_1' }
const KEY = Buffer.alloc(32, 7)

// A published hash must stay valid, so derived values never change, on every engine.
test('the seed and the key of a raffle never change', () => {
  expect(seedOf(KEY, POST)).toBe('240c9a8a9ffe0e3333685101d7d17a30ff69eb9dd0f8c02c5ff0af0ce60bc4e0')
  expect(entrantKeyOf(KEY, POST)).toBe('00bbeeebe13655ad0e00a195275436912733c6e5833d0e386607ad2379116823')
})

test('every raffle has its own', () => {
  const others = [
    { ...POST, organization_id: 'org_2' },
    { ...POST, scheduled_post_id: 'post_2' },
    { ...POST, channel_id: 'FB_PAGE_2' },
  ]
  const all = [POST, ...others].flatMap((post) => [seedOf(KEY, post), entrantKeyOf(KEY, post)])
  expect(new Set(all).size).toBe(all.length)
  expect(seedOf(Buffer.alloc(32, 8), POST)).not.toBe(seedOf(KEY, POST))
})
