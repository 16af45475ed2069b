import { defineConfig } from 'vite'

/** Hashed files and one index.html in dist/console/, which http/console.ts serves under any path prefix. */
export default defineConfig({
  root: import.meta.dirname,
  // Relative to the document, whose <base> the server sets.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  plugins: [
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
    emptyOutDir: true,
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
            { name: 'words', test: /console\/words\.ts$/ },
            { name: 'early', test: /console\/(early|address|audience\/choice)\.ts$/ },
          ],
        },
      },
    },
  },
  logLevel: 'warn',
})
