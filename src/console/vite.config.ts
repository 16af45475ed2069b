import { existsSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vite'
import { DEFAULT_LANGUAGE, isLanguage, LANGUAGES } from '../interface/languages.ts'
import { shortWords } from './build/short-words.ts'

/** Matches the modules of the console that have one of these names. */
const of = (names: string): RegExp => new RegExp(`(?:console|src)/(${names})\\.tsx?$`)

const PARTS =
  'api|clock|confirmation|connection|csv|days|(audience|posts)/queries|entrance|fields|forms|icons|leave|navigation|people|provider|session|shell|app|store|times|ui|use-act|use-now|use-read|list|factors/(passkey|factor-required)|audience/(csv|save-file)|settings/section|interface/[a-z-]+'
const DECIDING =
  'zoned|decision|posts/(history|post-text|schedule-field)|approvals/(return-dialog|review-page)|outside/outside-links|posts/preview|outside/outside'

/**
 * The client of the query library holds on to mutations and infinite queries, which the console does not use. Without
 * them it is 2 kB smaller, gzipped.
 */
const UNUSED = new Map([
  [
    'mutationCache.js',
    'export class MutationCache { resumePausedMutations() { return Promise.resolve() } clear() {} }',
  ],
  ['infiniteQueryBehavior.js', 'export let infiniteQueryBehavior, hasNextPage, hasPreviousPage'],
])

/** Takes the words of the language in place of the English ones, and names the document after it. */
const speak = (language: string): Plugin => ({
  name: 'speak',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (!/[./]words\.ts$/.test(source)) return null
    const english = await this.resolve(source, importer, { ...options, skipSelf: true })
    const path = english?.id.replace(/\.ts$/, `.${language}.ts`)
    if (path === undefined || !existsSync(path)) throw new Error(`${source} has no ${language} words`)
    return path
  },
  transformIndexHtml: (html) => html.replace('<html lang="en"', `<html lang="${language}"`),
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const document = bundle['index.html']
      if (document !== undefined) document.fileName = `index.${language}.html`
    },
  },
})

/**
 * Hashed files and one document in dist/console/, which http/console.ts serves under any path prefix. The mode is the
 * language: `vite build --mode pt` takes each words.pt.ts in place of the words.ts beside it, and its document is
 * index.pt.html. Files that hold no words are the same in every language, and so have the same name.
 */
export default defineConfig(({ mode }) => ({
  root: import.meta.dirname,
  // Relative to the document, whose <base> the server sets.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [
    isLanguage(mode) && mode !== DEFAULT_LANGUAGE && speak(mode),
    shortWords(),
    {
      name: 'unused',
      load: (id) => UNUSED.get(/query-core\/build\/modern\/(\w+\.js)$/.exec(id)?.[1] ?? ''),
    },
    {
      name: 'early',
      // Vite makes one program of all scripts of a page; this one runs before the rest of it is there.
      transformIndexHtml(_html, { bundle = {} }) {
        const early = Object.values(bundle).find((file) => file.type === 'chunk' && file.name === 'early')
        if (early === undefined) throw new Error('the build has no chunk early')
        const attrs = { type: 'module', async: true, crossorigin: true, src: `./${early.fileName}` }
        return [{ tag: 'script', attrs, injectTo: 'head' }]
      },
    },
  ],
  build: {
    outDir: '../../dist/console',
    // All languages are built into one folder, which `npm run build` empties first.
    emptyOutDir: false,
    target: 'es2023',
    // An inlined asset would be a data: URL, which the content security policy refuses for all but images.
    assetsInlineLimit: 0,
    // Together they are two thirds of what they are page by page.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Another language is another file in its place, and a change of the program leaves it in the browser's cache.
            { name: 'words', test: of(`(.*[./])?words(\\.(${LANGUAGES.join('|')}))?`) },
            { name: 'early', test: of('early|address|audience/choice') },
            // Small files that are loaded together are one: each by itself is compressed worse.
            { name: 'parts', test: new RegExp(`node_modules/(preact|preact-iso|@tanstack)/|${of(PARTS).source}`) },
            { name: 'deciding', test: of(DECIDING) },
            // Few visits ask for a second factor or set one up.
            { name: 'factors', test: /console\/factors\/(?!qr)|@simplewebauthn/ },
          ],
        },
      },
    },
  },
  logLevel: 'warn',
}))
