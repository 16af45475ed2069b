'use strict'
// Every version of Node parses this file and greenroom.cjs, so that one that is too old is named before anything else
// is read.

/** package.json says the same under "engines": test/bin.long.test.ts holds the two equal. */
exports.NEEDED = '^20.19.0 || >=22.12.0'

/** Gives the sentence for a Node that is too old; undefined for one that will do. */
exports.problemOf = function (version) {
  var parts = version.split('.')
  var major = Number(parts[0])
  var minor = Number(parts[1])
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return undefined
  return (
    'Greenroom needs Node 20.19 or a later 20, or Node 22.12 or later. This is Node ' +
    version +
    ': install a newer one (https://nodejs.org), then run the command again.'
  )
}
