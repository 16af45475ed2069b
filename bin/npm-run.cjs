'use strict'
// `npm start` builds with `npm-run.cjs build`, and `npm run demo` is `npm-run.cjs demo`. Neither builds in a package,
// which contains a build, or in a checkout without development dependencies.

var fs = require('fs')
var path = require('path')

var root = path.join(__dirname, '..')
var problem = require('./node-version.cjs').problemOf(process.versions.node)
var canBuild = ['scripts/build.mjs', 'node_modules/typescript'].every(function (name) {
  return fs.existsSync(path.join(root, name))
})

if (problem !== undefined) {
  process.stderr.write(problem + '\n')
  process.exitCode = 1
} else if (process.argv[2] === 'build') {
  if (canBuild) require('./load.cjs')('scripts/build.mjs')
} else if (canBuild && process.argv.length === 3) {
  require('./load.cjs')('scripts/demo.mjs')
} else {
  require('./greenroom.cjs')
}
