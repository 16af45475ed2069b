// A checkout runs the sources as they are.
const isSource = import.meta.url.endsWith('.ts')

/**
 * The program that reads a copy of the database, and what Node needs to run it. The tests have their own:
 * test/aside-program.ts.
 */
export const READER = {
  program: new URL(isSource ? './aside-reader.ts' : './aside-reader.js', import.meta.url),
  execArgv: isSource ? ['--import', 'tsx/esm'] : [],
}
