import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { LANGUAGES } from '../../src/interface/languages.js'
import { ALL_BYTES_MAX, ENTRY_BYTES_MAX, sizesOf } from './built-sizes.js'

const CONSOLE = fileURLToPath(new URL('../../src/console/', import.meta.url))

/** The files of a build, by the names that others give them. */
async function buildConsole(language: string): Promise<Map<string, Uint8Array>> {
  const { output } = (await build({
    configFile: `${CONSOLE}vite.config.ts`,
    mode: language,
    logLevel: 'error',
    build: { write: false },
  })) as Rolldown.RolldownOutput
  return new Map(
    output.map((file) => [
      file.fileName.replace('assets/', ''),
      Buffer.from(file.type === 'chunk' ? file.code : file.source),
    ]),
  )
}

// Libraries hold more for tests.
beforeAll(() => {
  vi.stubEnv('NODE_ENV', 'production')
  return () => vi.unstubAllEnvs()
})

describe.each(LANGUAGES)('the console in %s', (language) => {
  test('stays small, and loads what a page needs at once', { timeout: 120_000 }, async () => {
    const files = await buildConsole(language)
    const [name] = [...files.keys()].filter((one) => one.endsWith('.html'))
    const document = Buffer.from(files.get(name!)!).toString()
    files.delete(name!)

    const { all, entry, files: counted } = sizesOf(document, files)
    expect(all).toBeLessThanOrEqual(ALL_BYTES_MAX)
    expect(entry).toBeLessThanOrEqual(ENTRY_BYTES_MAX)
    // A file that nothing names was not counted.
    expect(counted.map(([one]) => one).sort()).toEqual([...files.keys()].sort())

    const code = [...files].filter(([one]) => one.endsWith('.js')).map(([, bytes]) => Buffer.from(bytes).toString())
    // Vite's own way of loading would do it a second time.
    expect(code.join('\n')).not.toContain('__VITE_PRELOAD__')
    // The calendar imports what it shares with other pages; they are asked for together.
    expect(code.join('\n')).toMatch(/Promise\.all\(\[import\(`\.\/calendar-[\w-]+\.js`\),import\(`\.\/deciding-/)
  })
})
