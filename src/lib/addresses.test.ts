import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupAddress, isLoopbackAddress, networkOf, plainAddress } from './addresses.js'

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }))
const groups = fc.array(group, { minLength: 8, maxLength: 8 })
const byte = fc.integer({ min: 0, max: 255 })

const hex = (value: number, isUpper: boolean, isPadded: boolean): string => {
  const text = value.toString(16).padStart(isPadded ? 4 : 1, '0')
  return isUpper ? text.toUpperCase() : text
}

/** One of the spellings of an address: with or without omitted zeros, and with its end as IPv4. */
function spell(
  parts: readonly number[],
  { isUpper = false, isPadded = false, isShort = false, isMixed = false },
): string {
  const end = [parts[6]! >> 8, parts[6]! & 255, parts[7]! >> 8, parts[7]! & 255].join('.')
  const texts = parts.map((part) => hex(part, isUpper, isPadded))
  const all = isMixed ? [...texts.slice(0, 6), end] : texts
  const first = isShort ? parts.slice(0, 6).indexOf(0) : -1
  if (first === -1) return all.join(':')
  let last = first
  while (last < 5 && parts[last + 1] === 0) last++
  return `${all.slice(0, first).join(':')}::${all.slice(last + 1).join(':')}`
}

const spelling = fc.record({
  isUpper: fc.boolean(),
  isPadded: fc.boolean(),
  isShort: fc.boolean(),
  isMixed: fc.boolean(),
})

test('every spelling of an IPv6 address is one caller: its first 64 bits, also in brackets, with a port or a zone', () => {
  fc.assert(
    fc.property(groups, spelling, (parts, how) => {
      fc.pre(!(parts.slice(0, 5).every((part) => part === 0) && parts[5] === 0xffff))
      const expected = `${parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
      const address = spell(parts, how)
      for (const text of [address, `[${address}]`, `[${address}]:443`, `${address}%eth0`]) {
        expect(groupAddress(text), text).toBe(expected)
        expect(isLoopbackAddress(text)).toBe(parts.join() === '0,0,0,0,0,0,0,1')
      }
    }),
  )
})

test('an IPv4 address in IPv6 is that IPv4 address', () => {
  fc.assert(
    fc.property(byte, byte, byte, byte, spelling, (a, b, c, d, how) => {
      const parts = [0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d]
      const plain = [a, b, c, d].join('.')
      for (const text of [spell(parts, how), plain, `${plain}:8080`]) {
        expect([plainAddress(text), groupAddress(text)]).toEqual([plain, plain])
        expect(isLoopbackAddress(text)).toBe(a === 127)
      }
    }),
  )
})

test('a text that is not an address is unchanged', () => {
  for (const text of ['', 'unknown', '_hidden', '1.2.3', '::g', '1:2:3', 'a:b:c']) expect(plainAddress(text)).toBe(text)
})

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
