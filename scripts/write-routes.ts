// Writes src/interface/routes.ts from the operations. It runs before a build, which needs the file.
import { writeFileSync } from 'node:fs'
import { routeTable } from '../src/api-document.js'

writeFileSync(new URL('../src/interface/routes.ts', import.meta.url), routeTable())
