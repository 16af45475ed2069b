import { defineConfig } from 'vite'
import { LANGUAGES } from '../interface/languages.ts'
import { loadTogether } from './build/load-together.ts'
import { shortRoutes } from './build/short-routes.ts'
import { translate } from './build/translate.ts'

/** Matches the modules of the console that have one of these names. */
const of = (names: string): RegExp => new RegExp(`(?:console|src)/(${names})\\.tsx?$`)

/** Small files that are loaded together are one: each by itself is compressed worse. These are what every page loads. */
const PARTS =
  'api|clock|confirmation|connection|csv|days|(audience|posts)/queries|entrance|fields|forms|icons|leave|navigation|people|provider|session|shell|app|steady|store|times|ui|use-act|use-now|use-read|list|words|wording|zoned|factors/(passkey|factor-required)|audience/(csv|save-file)|settings/section|interface/(?!media-rules|csv-records|text-lines|generated/words/)[a-z/-]+'
/** Several pages show these parts of posts. */
const DECIDING =
  'decision|use-settled|posts/(history|post-text|schedule-field|preview|try-out|comments)|approvals/(return-dialog|review-page)|outside/(outside-links|send-posts)|discussion/.+|calendar/(slots|queries)|interface/media-rules'
/** Some visits open these on a page; they are apart from the parts that every visit loads. */
const PEOPLE = 'audience/(person-page|import|import-fields|read-csv|segments)'
const WRITING =
  'posts/(saved-texts|repeat-dialog|crop|crop-dialog|import-posts|emoji|emoji-picker)|media/[a-z-]+|interface/generated/words/emoji'

/**
 * Hashed files and one document for each language in dist/console/, which http/console.ts serves under any path prefix. The
 * documents differ in the file of words that they load.
 */
export default defineConfig({
  root: import.meta.dirname,
  // Relative to the document, whose <base> the server sets.
  base: './',
  // Children that stand in a call are shorter than those of a property, and need no second function.
  oxc: { jsx: { runtime: 'classic', pragma: '_h', pragmaFrag: '_Fragment', development: false } },
  plugins: [
    {
      name: 'routes',
      transform: (code, id) =>
        id.endsWith('/interface/generated/routes.ts') ? { code: shortRoutes(code), map: null } : null,
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
    translate(LANGUAGES),
  ],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
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
            { name: 'early', test: of('early|address|audience/choice') },
            { name: 'parts', test: new RegExp(`node_modules/(preact|preact-iso|@tanstack)/|${of(PARTS).source}`) },
            { name: 'deciding', test: of(DECIDING) },
            // The inbox leads to the posts that wait for approval.
            { name: 'approvals', test: of('(approvals|inbox)/[a-z-]+') },
            { name: 'people', test: of(PEOPLE) },
            // Imports of people and of posts read files with it.
            { name: 'files', test: of('interface/(csv-records|text-lines)') },
            { name: 'writing', test: of(WRITING) },
            // Few visits ask for a second factor, set one up, have forgotten a password, or are about a program.
            { name: 'factors', test: /console\/(factors\/|tokens\/|forgot-password)|uqr/ },
          ],
        },
      },
    },
  },
  logLevel: 'warn',
})
