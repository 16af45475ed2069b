import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type Rolldown } from 'vite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { shortWords } from '../../src/console/build/short-words.ts'

const WORDS = `const join = (a: string): string => a + '!'
export const words = { title: 'Title', join, kinds: { draft: 'Draft' }, lead: (name: string) => join(name) }
export const others = { title: 'Other' }`

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'short-words-'))
  writeFileSync(join(folder, 'words.ts'), WORDS)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The code of a module that reads the words. */
async function builtOf(code: string): Promise<string> {
  const entry = join(folder, 'page.ts')
  writeFileSync(entry, `import { others, words } from './words.ts'\n${code}`)
  const [{ output }] = (await build({
    configFile: false,
    root: folder,
    logLevel: 'silent',
    plugins: [shortWords()],
    build: { write: false, minify: false, lib: { entry, formats: ['es'] } },
  })) as [Rolldown.RolldownOutput]
  return output[0].code
}

/** Runs the module, and gives its exports. */
const ranOf = async (code: string): Promise<unknown> =>
  (await import(`data:text/javascript,${encodeURIComponent(await builtOf(code))}`)).default

test('keys of words are short where they are stated and where they are read', async () => {
  const code = 'const { join, lead: greet } = words\nexport default [words.title, others.title, join("a"), greet("b")]'
  expect(await builtOf(code)).not.toMatch(/\.title|title:|lead:/)
  expect(await ranOf(code)).toEqual(['Title', 'Other', 'a!', 'b!'])
})

test('keys inside of words, and of other things, stay', async () => {
  expect(
    await ranOf(
      'const other = { title: 1, words: 2 }\nexport default [words.kinds["draft"], other.title, other.words]',
    ),
  ).toEqual(['Draft', 1, 2])
})

test.each([
  ['Object.keys(words)', 'otherwise than by their keys'],
  ['words[location.hash]', 'otherwise than by their keys'],
  ['[words.title, ((words: { title: string }) => words.title)({ title: "x" })]', 'otherwise than by their keys'],
  ['{ words }', 'otherwise than by their keys'],
  ['words.titel', 'words that are not there: titel'],
])('%s stops the build', async (code, problem) => {
  await expect(builtOf(`export default ${code}`)).rejects.toThrow(problem)
})
