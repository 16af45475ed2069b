import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'
import { beforeAll, expect, test, vi } from 'vitest'
import { DEFAULT_LANGUAGE, LANGUAGES } from '../../src/interface/languages.js'
import { ALL_BYTES_MAX, ENTRY_BYTES_MAX, sizesOf } from './built-sizes.js'

const CONSOLE = fileURLToPath(new URL('../../src/console/', import.meta.url))

const files = new Map<string, Buffer>()

// Libraries hold more for tests.
beforeAll(async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const { output } = (await build({
    configFile: `${CONSOLE}vite.config.ts`,
    logLevel: 'error',
    build: { write: false },
  })) as Rolldown.RolldownOutput
  for (const file of output) {
    files.set(file.fileName.replace('assets/', ''), Buffer.from(file.type === 'chunk' ? file.code : file.source))
  }
  return () => vi.unstubAllEnvs()
}, 120_000)

const documentOf = (language: string): string =>
  files.get(language === DEFAULT_LANGUAGE ? 'index.html' : `index.${language}.html`)!.toString()
const assets = (): Map<string, Buffer> => new Map([...files].filter(([name]) => !name.endsWith('.html')))

test.each(LANGUAGES)('the console in %s stays small, and loads the words of its language', (language) => {
  const { all, entry, files: counted } = sizesOf(documentOf(language), assets())
  expect(all).toBeLessThanOrEqual(ALL_BYTES_MAX)
  expect(entry).toBeLessThanOrEqual(ENTRY_BYTES_MAX)
  expect(documentOf(language)).toContain(`<html lang="${language}"`)
  const words = counted.map(([name]) => name).filter((name) => name.startsWith('words-'))
  expect(words.map((name) => /wordsOfPage=\{(\w+):/.exec(`${files.get(name)}`)?.[1])).toEqual([language])
})

test('the console has no file that no document leads to, and loads what a page needs at once', () => {
  const counted = LANGUAGES.flatMap((language) => sizesOf(documentOf(language), assets()).files)
  expect([...new Set(counted.map(([name]) => name))].sort()).toEqual([...assets().keys()].sort())

  const code = [...files].filter(([one]) => one.endsWith('.js')).map(([, bytes]) => bytes.toString())
  // Vite's own preloading would load it a second time.
  expect(code.join('\n')).not.toContain('__VITE_PRELOAD__')
  // The calendar imports what it shares with other pages; they are asked for together.
  expect(code.join('\n')).toMatch(/Promise\.all\(\[import\(`\.\/calendar-[\w-]+\.js`\),import\(`\.\/deciding-/)
})
