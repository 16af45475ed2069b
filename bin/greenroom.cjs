#!/usr/bin/env node
'use strict'
// This is the `greenroom` command. It is in git and executable, so that it exists before the first build: npm links it
// only once.

var fs = require('fs')
var path = require('path')

var root = path.join(__dirname, '..')
var problem = require('./node-version.cjs').problemOf(process.versions.node)
var install = fs.existsSync(path.join(root, 'node_modules', 'typescript')) ? '' : 'npm ci && '
if (problem === undefined && !fs.existsSync(path.join(root, 'dist', 'main.js'))) {
  problem = 'Greenroom is not built yet: run ' + install + 'npm run build in ' + root + ', then the command again.'
}

if (problem === undefined) {
  require('./load.cjs')('dist/main.js')
} else {
  process.stderr.write(problem + '\n')
  process.exitCode = 1
}
