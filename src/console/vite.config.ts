import { defineConfig } from 'vite'
import { LANGUAGES } from '../interface/languages.ts'
import { loadTogether } from './build/load-together.ts'
import { shortRoutes } from './build/short-routes.ts'
import { translate } from './build/translate.ts'

/** Matches the console's modules with one of these names. */
const of = (names: string): RegExp => new RegExp(`(?:console|src)/(${names})\\.tsx?$`)

/** Small files that are loaded together are merged, since they compress better. Every page loads these. */
const PARTS =
  'api|clock|confirmation|connection|csv|days|(audience|posts)/queries|entrance|fields|forms|icons|leave|navigation|people|provider|session|shell|app|steady|store|times|ui|use-act|use-now|use-read|list|words|wording|zoned|factors/(passkey|factor-required)|audience/(csv|save-file)|settings/section|interface/(?!media-rules|csv-records|text-lines|generated/words/)[a-z/-]+'
/** Parts of posts that several pages show. */
const DECIDING =
  'decision|use-settled|posts/(history|post-text|schedule-field|preview|try-out|comments)|approvals/(return-dialog|review-page)|outside/(outside-links|send-posts)|discussion/.+|calendar/(slots|queries)|interface/media-rules'
/** Parts of a page that only some visits open, kept out of the common files. */
const PEOPLE = 'audience/(person-page|import|import-fields|read-csv|segments)'
const WRITING =
  'posts/(saved-texts|repeat-dialog|crop|crop-dialog|import-posts|emoji|emoji-picker)|media/[a-z-]+|interface/generated/words/emoji'

/**
 * Builds hashed files and a document per language into dist/console/, which http/console.ts serves under any path prefix.
 * The documents differ in the texts that they load.
 */
export default defineConfig({
  root: import.meta.dirname,
  // Relative to the document, whose <base> the server sets.
  base: './',
  // Passing children as arguments is shorter than as a property, and needs no second function.
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
    // Inlined assets would be data: URLs, which the content security policy allows only for images.
    assetsInlineLimit: 0,
    // Combined, they are two thirds of their size page by page.
    cssCodeSplit: false,
    // `loadTogether` is smaller.
    modulePreload: false,
    rolldownOptions: {
      // How long a plugin takes depends on how busy the machine is.
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
            // The imports of people and of posts both use it.
            { name: 'files', test: of('interface/(csv-records|text-lines)') },
            { name: 'writing', test: of(WRITING) },
            // Rarely needed: second factors, forgotten passwords and programs.
            { name: 'factors', test: /console\/(factors\/|tokens\/|forgot-password)|uqr/ },
          ],
        },
      },
    },
  },
  logLevel: 'warn',
})
