import { existsSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vite'
import { DEFAULT_LANGUAGE, isLanguage, LANGUAGES } from '../interface/languages.ts'
import { loadTogether } from './build/load-together.ts'
import { shortWords } from './build/short-words.ts'
import { unusedPartOf } from './build/unused-parts.ts'

/** Matches the modules of the console that have one of these names. */
const of = (names: string): RegExp => new RegExp(`(?:console|src)/(${names})\\.tsx?$`)

/** Small files that are loaded together are one: each by itself is compressed worse. These are what every page loads. */
const PARTS =
  'api|clock|confirmation|connection|csv|days|(audience|posts)/queries|entrance|fields|forms|icons|leave|navigation|people|provider|session|shell|app|steady|store|times|ui|use-act|use-now|use-read|list|zoned|factors/(passkey|factor-required)|audience/(csv|save-file)|settings/section|interface/(?!media-rules)[a-z-]+'
/** Several pages show these parts of posts. */
const DECIDING =
  'decision|use-settled|posts/(history|post-text|schedule-field|preview|try-out|comments)|approvals/(return-dialog|review-page)|outside/(outside-links|send-posts)|discussion/(?!words).+|calendar/(slots|queries)|interface/media-rules'
/** Some visits open these on a page; they are apart from the parts that every visit loads. */
const PEOPLE = 'audience/(person-page|import|import-fields|read-csv|segments)'
const WRITING = 'posts/(saved-texts|repeat-dialog|crop|crop-dialog|import-posts|emoji|emoji-picker)|media/[a-z-]+'

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
  // Children that stand in a call are shorter than those of a property, and need no second function.
  oxc: { jsx: { runtime: 'classic', pragma: '_h', pragmaFrag: '_Fragment', development: false } },
  plugins: [
    isLanguage(mode) && mode !== DEFAULT_LANGUAGE && speak(mode),
    shortWords(),
    {
      name: 'unused',
      load: unusedPartOf,
    },
    {
      name: 'routes',
      // The console reads a route's method and path (api.ts).
      transform: (code, id) =>
        id.endsWith('/interface/routes.ts')
          ? { code: code.replaceAll(/\?[\w&]+/g, '').replaceAll(/ (?:json|bytes|list|page|stream)\b/g, ''), map: null }
          : null,
    },
    {
      name: 'create-element',
      enforce: 'pre',
      transform: (code, id) =>
        id.endsWith('.tsx')
          ? { code: `import { h as _h, Fragment as _Fragment } from 'preact';${code}`, map: null }
          : null,
    },
    loadTogether(),
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
    // `loadTogether` is smaller.
    modulePreload: false,
    rolldownOptions: {
      // How long a plugin takes says how busy the machine is.
      checks: { pluginTimings: false },
      treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
      output: {
        codeSplitting: {
          groups: [
            // Another language is another file in its place, and a change of the program leaves it in the browser's cache.
            { name: 'words', test: of(`(.*[./])?words(\\.(${LANGUAGES.join('|')}))?`) },
            { name: 'early', test: of('early|address|audience/choice') },
            { name: 'parts', test: new RegExp(`node_modules/(preact|preact-iso|@tanstack)/|${of(PARTS).source}`) },
            { name: 'deciding', test: of(DECIDING) },
            // The inbox leads to the posts that wait for approval.
            { name: 'approvals', test: of('(approvals|inbox)/[a-z-]+') },
            { name: 'people', test: of(PEOPLE) },
            { name: 'writing', test: of(WRITING) },
            // Few visits ask for a second factor, set one up, or have forgotten a password.
            { name: 'factors', test: /console\/(factors\/|forgot-password)|uqr/ },
          ],
        },
      },
    },
  },
  logLevel: 'warn',
}))
