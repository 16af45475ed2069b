import type { HtmlTagDescriptor, Plugin, Rolldown } from 'vite'

/** Vite wraps each import in a function that preloads its dependencies; without `modulePreload` the list is empty. */
const WRAPPED = /\b[\w$]+\(\(\)=>(import\(`[^`]+`\)(?:\.then\(\w+=>\w+\.\w+\))?),\[\],import\.meta\.url\)/g
const IMPORT = /\bimport\(`\.\/([\w.-]+)`\)/g
const toImport = (fileName: string): string => `import(\`./${fileName.slice('assets/'.length)}\`)`

type Bundle = Rolldown.OutputBundle

/**
 * Lets the browser request all files of a page at once instead of level by level: the document lists the first files, and
 * the import of a page also imports that page's own dependencies.
 */
export function loadTogether(): Plugin {
  return {
    name: 'load-together',
    enforce: 'pre',
    load: (id) => (id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load()' : null),
    transformIndexHtml(_html, { bundle = {}, chunk }) {
      const early = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'early')
      if (chunk === undefined || early === undefined) throw new Error('the build has no first file')
      const preload = importedBy(bundle, chunk.fileName).map((name): HtmlTagDescriptor => {
        return { tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `./${name}` }, injectTo: 'head' }
      })
      // Vite bundles all scripts of a page into one; this one runs before the rest has loaded.
      const attrs = { type: 'module', async: true, crossorigin: true, src: `./${early.fileName}` }
      return [...preload, { tag: 'script', attrs, injectTo: 'head' }]
    },
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
        const first = chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => importedBy(bundle, fileName))
        for (const chunk of chunks) {
          const there = new Set([...first, chunk.fileName, ...importedBy(bundle, chunk.fileName)])
          chunk.code = chunk.code.replaceAll(WRAPPED, '$1').replaceAll(IMPORT, (one, name) => {
            const others = importedBy(bundle, `assets/${name}`).filter((other) => !there.has(other))
            if (others.length === 0) return one
            return `Promise.all([${[one, ...others.map(toImport)]}]).then(e=>e[0])`
          })
        }
      },
    },
  }
}

/** Returns the transitive imports of a file. */
function importedBy(bundle: Bundle, fileName: string, found = new Set<string>()): string[] {
  const file = bundle[fileName]
  if (file?.type !== 'chunk') throw new Error(`the build has no file ${fileName}`)
  for (const name of file.imports) {
    if (found.has(name)) continue
    found.add(name)
    importedBy(bundle, name, found)
  }
  return [...found]
}
