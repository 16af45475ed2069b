// Writes src/interface/generated/ from the operations.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { operations } from '../src/operations.js'
import { writeTypes } from './wire-types.js'

const folder = new URL('../src/interface/generated/', import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('types.ts', folder), writeTypes(operations))
