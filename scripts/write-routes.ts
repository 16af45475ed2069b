// Writes src/interface/routes.ts and commands.ts from the operations. It runs before a build, which needs the files.
import { writeFileSync } from 'node:fs'
import { routeTable } from '../src/api-document.js'
import { commandsOfWire } from './wire/commands.js'

writeFileSync(new URL('../src/interface/routes.ts', import.meta.url), routeTable())
writeFileSync(new URL('../src/interface/commands.ts', import.meta.url), commandsOfWire())
