import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite'

/** An exported word: the file and the name that it has there, and the short name by which the console imports it. */
interface Export {
  id: string
  name: string
  short: string
}

const ENTRY = '\0words'

/**
 * Adds the documents and files of the other languages to the build of the English console. Only the file of the words is
 * built again: the others are copies that import it in place of the English one, which takes a tenth of the time. `options`
 * builds words as those of the English console are.
 */
export function translate(languages: readonly string[], options: InlineConfig): Plugin {
  let exports: Export[] = []
  return {
    name: 'translate',
    renderChunk: (code, { name, modules }) => {
      if (name === 'words') exports = readExports(code, modules)
      return null
    },
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        for (const language of languages) {
          const words = await buildWords(language, exports, options)
          for (const { fileName, source } of translated(bundle, language, words)) {
            this.emitFile({ type: 'asset', fileName, source })
          }
        }
      },
    },
  }
}

/** Reads what the file of the words exports, before it is minified. */
function readExports(code: string, modules: Rolldown.RenderedChunk['modules']): Export[] {
  const clause = /export \{ ([^}]+) \};?\s*$/.exec(code)?.[1] ?? ''
  const found = clause.split(', ').map((one): Export => {
    const [local = '', short = local] = one.split(' as ')
    const name = local.replace(/\$\d+$/, '')
    // Words that have the same name in their files have a number behind it in the common one.
    const escaped = local.replace('$', '\\$')
    const declared = new RegExp(`(?:(?:var|let|const|function|class) |[{,:] *)${escaped}(?= *[=(,}])`)
    const [id, ...others] = Object.keys(modules).filter((one) => {
      const { code: own, renderedExports } = modules[one]!
      return renderedExports.includes(name) && declared.test(own ?? '')
    })
    if (id === undefined || others.length > 0) throw new Error(`the words ${local} are not in one file`)
    return { id, name, short }
  })
  return found
}

const isWords = (id: string): boolean => /[./]words\.ts$/.test(id)

/** The file of the words in a language, with the exports of the English one. */
async function buildWords(language: string, exports: Export[], options: InlineConfig): Promise<string> {
  const inLanguage = (id: string): string => (isWords(id) ? id.replace(/\.ts$/, `.${language}.ts`) : id)
  const entry = exports.map(({ id, name, short }) => `export { ${name} as ${short} } from ${JSON.stringify(id)}`)
  const speak: Plugin = {
    name: 'speak',
    enforce: 'pre',
    async resolveId(source, importer, rest) {
      if (source === ENTRY) return ENTRY
      const english = await this.resolve(source, importer, { ...rest, skipSelf: true })
      if (english === null || !isWords(english.id)) return english
      const path = inLanguage(english.id)
      if (!existsSync(path)) throw new Error(`${source} has no ${language} words`)
      return path
    },
    load: (id) => (id === ENTRY ? entry.join('\n') : null),
  }
  const result = await build({
    ...options,
    configFile: false,
    plugins: [speak, ...(options.plugins ?? [])],
    build: { ...options.build, write: false, rolldownOptions: { input: ENTRY, preserveEntrySignatures: 'strict' } },
  })
  const [chunk, ...others] = (result as Rolldown.RolldownOutput).output
  if (others.length > 0 || chunk.imports.length > 0) throw new Error(`the ${language} words are more than one file`)
  return chunk.code
}

/** The files of a language that differ from the English ones: those from which an import leads to the words. */
function translated(
  bundle: Rolldown.OutputBundle,
  language: string,
  words: string,
): { fileName: string; source: string }[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const english = chunks.find(({ name }) => name === 'words')!
  const wordsHash = hashOf(words)
  const names = new Map([[basename(english.fileName), `words-${wordsHash}.js`]])
  for (let before = 0; before < names.size; ) {
    before = names.size
    for (const { fileName, name, code } of chunks) {
      // The name has the hash of the English content, which together with the words decides about this one.
      if ([...names.keys()].some((other) => code.includes(other))) {
        names.set(basename(fileName), `${name}-${hashOf(basename(fileName) + wordsHash)}.js`)
      }
    }
  }
  const toLanguage = (text: string): string =>
    text.replaceAll(/[\w-]+-[\w-]{8}\.js\b/g, (name) => names.get(name) ?? name)
  const files = chunks
    .filter(({ fileName }) => names.has(basename(fileName)))
    .map(({ fileName, code }) => ({ fileName: toLanguage(fileName), source: toLanguage(code) }))
  const document = bundle['index.html']
  if (document?.type !== 'asset') throw new Error('the build has no document')
  const html = toLanguage(String(document.source)).replace('<html lang="en"', `<html lang="${language}"`)
  return [
    ...files.map((file) => (file.fileName.endsWith(`words-${wordsHash}.js`) ? { ...file, source: words } : file)),
    { fileName: `index.${language}.html`, source: html },
  ]
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8)
