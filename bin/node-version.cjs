'use strict'
// Every version of Node can parse this file and greenroom.cjs, so a version that is too old is reported before anything
// else loads.

/** package.json says the same under "engines": test/bin.long.test.ts holds the two equal. */
exports.NEEDED = '^20.19.0 || >=22.12.0'

/** Returns an explanation if this Node is too old, and undefined otherwise. */
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
