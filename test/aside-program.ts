import { PROGRAMS } from './transpile.js'

/** In place of src/database/pglite/aside-program.ts (vitest.config.ts): each backup of a test starts it. */
export const READER = { program: new URL('src/database/pglite/aside-reader.js', PROGRAMS), execArgv: [] }
