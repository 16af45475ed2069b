import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cropOf, SHAPES, type Shape, zoomMax } from '../../src/console/posts/crop.js'

describe('the part of a picture that a crop keeps', () => {
  const shapes = Object.keys(SHAPES) as Shape[]
  const side = fc.integer({ min: 1, max: 20_000 })
  const any = fc.double({ min: -2, max: 9, noNaN: true })

  test('is inside the picture, and has the right shape', () => {
    fc.assert(
      fc.property(side, side, fc.constantFrom(...shapes), any, any, any, (width, height, shape, zoom, x, y) => {
        const part = cropOf({ width, height }, { shape, zoom, x, y })
        expect(part.x).toBeGreaterThanOrEqual(0)
        expect(part.y).toBeGreaterThanOrEqual(0)
        expect(part.x + part.width).toBeLessThanOrEqual(width * (1 + 1e-9))
        expect(part.y + part.height).toBeLessThanOrEqual(height * (1 + 1e-9))
        expect(part.width / part.height / (SHAPES[shape] ?? width / height)).toBeCloseTo(1, 6)
      }),
    )
  })

  test('is as large as possible at first, in the middle', () => {
    const middle = { zoom: 1, x: 0.5, y: 0.5 }
    expect(cropOf({ width: 3000, height: 1000 }, { shape: 'square', ...middle })).toEqual({
      ...{ x: 1000, y: 0, width: 1000, height: 1000 },
    })
    expect(cropOf({ width: 1000, height: 3000 }, { shape: 'portrait', ...middle })).toEqual({
      ...{ x: 0, y: 875, width: 1000, height: 1250 },
    })
    expect(cropOf({ width: 700, height: 300 }, { shape: 'whole', ...middle })).toEqual({
      ...{ x: 0, y: 0, width: 700, height: 300 },
    })
  })

  test('stays wide enough for Instagram', () => {
    expect(zoomMax({ width: 1000, height: 1000 }, 'square')).toBe(3.125)
    expect(zoomMax({ width: 200, height: 200 }, 'square')).toBe(1)
    expect(cropOf({ width: 640, height: 640 }, { shape: 'square', zoom: 9, x: 1, y: 1 })).toEqual({
      ...{ x: 320, y: 320, width: 320, height: 320 },
    })
  })
})
