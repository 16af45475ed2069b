import { encode } from 'uqr'
import { describe, expect, test } from 'vitest'
import { encodeQr } from '../../src/console/factors/qr-code.ts'

/** The most bytes that a code of each version holds. */
const FULL = [
  17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644, 718, 792, 858, 929, 1003, 1091,
]

const textOf = (bytes: number): string =>
  Array.from({ length: bytes }, (_, at) => String.fromCharCode(97 + ((at * 7 + bytes) % 26))).join('')

describe('a QR code is that of another program', () => {
  test.each(FULL.flatMap((bytes) => [bytes, bytes + 1]))('of %i bytes', (bytes) => {
    const text = textOf(bytes)
    const mask = bytes % 8
    const { data } = encode(text, { ecc: 'L', border: 0, maskPattern: mask })
    expect(encodeQr(text, mask)).toEqual(data)
  })

  test.each([0, 1, 2, 3, 4, 5, 6, 7])('of mask %i', (mask) => {
    const text = 'otpauth://totp/Greenroom:zo%C3%AB@example.com?secret=JBSWY3DPEHPK3PXP&issuer=Greenroom'
    expect(encodeQr(text, mask)).toEqual(encode(text, { ecc: 'L', border: 0, maskPattern: mask }).data)
  })

  test('of the largest version', () => {
    const text = textOf(2953)
    expect(encodeQr(text, 3)).toEqual(encode(text, { ecc: 'L', border: 0, maskPattern: 3 }).data)
    expect(() => encodeQr(`${text}a`)).toThrow('2954 bytes are too many')
  })

  test('of letters outside of ASCII', () => {
    expect(encodeQr('Zoë – 日本', 5)).toEqual(encode('Zoë – 日本', { ecc: 'L', border: 0, maskPattern: 5 }).data)
  })
})

test('the mask is the one that the other program chooses too', () => {
  for (let at = 0; at < 20; at += 1) {
    const text = `otpauth://totp/Greenroom:p${at}@example.com?secret=${textOf(32 + at)}`
    expect(encodeQr(text)).toEqual(encode(text, { ecc: 'L', border: 0 }).data)
  }
})
