'use strict'
// This is a separate file because a Node that is too old cannot parse the import.

const { join } = require('node:path')
const { pathToFileURL } = require('node:url')

/** Imports a module of the package by its path from the package's root. */
module.exports = (path) => import(pathToFileURL(join(__dirname, '..', path)).href)
