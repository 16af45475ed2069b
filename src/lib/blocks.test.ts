import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Blocks } from './blocks.js'

test('pieces of any size are joined, and take at most as much again as arrived, and at most 64 KiB', () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 200_000 })), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(sizes, (lengths) => {
      const blocks = new Blocks()
      const pieces = lengths.map((length, index) => Buffer.alloc(length, index))
      for (const piece of pieces) {
        blocks.append(piece)
        expect(blocks.held - blocks.length).toBeLessThanOrEqual(Math.min(blocks.length, 64 * 1024))
      }
      expect(blocks.join().equals(Buffer.concat(pieces))).toBe(true)
      expect([blocks.length, blocks.held]).toEqual([0, 0])
    }),
  )
})
