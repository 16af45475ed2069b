import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const WORDS = fileURLToPath(new URL('../../interface/generated/words/', import.meta.url))
const ID = '\0words-'

/**
 * Emits a document per language: index.html for the first, index.de.html and so on for the others. Each loads its language's
 * texts, then the program, which all share.
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
            // Scripts run in document order.
            .replace('<script', `${words}$&`)
          if (language === languages[0]) document.source = source
          else this.emitFile({ type: 'asset', fileName: `index.${language}.html`, source })
        }
      },
    },
  }
}
