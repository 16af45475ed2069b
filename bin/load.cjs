'use strict'
// This is a file of its own because a Node that is too old cannot parse the import.

const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

/** Runs a module of the package, whose path is relative to its root. */
module.exports = (path) => import(pathToFileURL(join(__dirname, '..', path)).href)
