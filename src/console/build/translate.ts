import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const WORDS = fileURLToPath(new URL('../../interface/generated/words/', import.meta.url))
const ID = '\0words-'

/**
 * Makes a document for each language: index.html for the first, and index.de.html. Each loads the words of its language, and
 * then the program, which is the same for all.
 */
export function translate(languages: readonly string[]): Plugin {
  const references = new Map<string, string>()
  return {
    name: 'translate',
    buildStart() {
      for (const language of languages) {
        const file = { type: 'chunk', id: `${ID}${language}`, name: `words-${language}` } as const
        references.set(language, this.emitFile(file))
      }
    },
    resolveId: (id) => (id.startsWith(ID) ? id : null),
    load: (id) =>
      id.startsWith(ID)
        ? `import { words } from '${WORDS}pages.${id.slice(ID.length)}.js'; globalThis.wordsOfPage = words`
        : null,
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const document = bundle['index.html']
        if (document?.type !== 'asset') throw new Error('the build has no document')
        const html = String(document.source)
        for (const [language, reference] of references) {
          const words = `<script type="module" crossorigin src="./${this.getFileName(reference)}"></script>`
          const source = html
            .replace('<html lang="en"', `<html lang="${language}"`)
            // Scripts run in the order of the document.
            .replace('<script', `${words}$&`)
          if (language === languages[0]) document.source = source
          else this.emitFile({ type: 'asset', fileName: `index.${language}.html`, source })
        }
      },
    },
  }
}
