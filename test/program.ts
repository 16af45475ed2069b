import type { Program } from '../src/lib/program.js'
import { PROGRAMS, SOURCES } from './transpile.js'

/** Replaces src/lib/program.ts (vitest.config.ts): uses the transpiled file of a source, which starts without tsx. */
export function programAt(source: URL): Program {
  const url = new URL(source.href.slice(SOURCES.href.length), PROGRAMS)
  return { url, execArgv: [], threadUrl: url }
}
