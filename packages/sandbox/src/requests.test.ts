import { expect, test } from 'vitest'
import { isPathLike } from './requests.js'

test.each([
  ['/1/feed', '/1/feed', true],
  ['/1/feed', '/1/feeds', false],
  ['/*/feed', '/1/feed', true],
  ['/*/feed', '/1/media', false],
  ['/1/*', '/1/feed', true],
  ['*', '/1/feed', true],
  ['/*/a/*/b', '/1/a/2/b', true],
  ['/*/a/*/b', '/1/a/b', false],
  // The two parts must not share a character.
  ['ab*ba', 'aba', false],
])('%s of %s: %s', (pattern, path, wanted) => {
  expect(isPathLike(pattern, path)).toBe(wanted)
})
