import { defineConfig } from 'vite'

/** Hashed files and one index.html in dist/console/, which http/console.ts serves under any path prefix. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative to the document, whose <base> the server sets.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined asset would be a data: URL, which the content security policy refuses for all but images.
    assetsInlineLimit: 0,
    // Together they are two thirds of what they are page by page.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // Another language is another file in its place, and a change of the program leaves it in the browser's cache.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'words', test: /console\/words\.ts$/ }] } } },
  },
  logLevel: 'warn',
})
