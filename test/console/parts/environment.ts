// Runs before each test file. Dates and numbers have the British format, whatever the machine's settings. A file with a
// document gets the console's address, and no service until a test sets one. The document of a language loads its words.
globalThis.wordsOfPage ??= (await import('../../../src/interface/generated/words/pages.en.js')).words

if (globalThis.navigator !== undefined)
  Object.defineProperty(navigator, 'languages', { value: ['en-GB'], configurable: true })
if (typeof document !== 'undefined') {
  document.head.append(Object.assign(document.createElement('base'), { href: '/' }))
  // happy-dom has no popovers.
  HTMLElement.prototype.hidePopover ??= () => {}
  globalThis.fetch = async () => new Response(null, { status: 503 })
}

export {}
