import { defineConfig } from 'vite'

/** Hashed files and one index.html in dist/reference/, which http/docs.ts serves at /docs, also below a path prefix. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../../dist/reference',
    emptyOutDir: true,
    target: 'es2023',
    // An inlined asset would be a data: URL, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  logLevel: 'warn',
})
