import { expect, test } from 'vitest'
import { networkOf } from './network.js'

test.each([
  ['203.0.113.9', '203.0.113.0/24'],
  ['::ffff:203.0.113.200', '203.0.113.0/24'],
  ['2001:db8:1:2::1', '2001:db8:1::/48'],
  ['2001:DB8:0001:ffff::', '2001:db8:1::/48'],
  ['::1', '0:0:0::/48'],
  ['nonsense', 'unknown'],
  ['', 'unknown'],
])('%s is in %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
