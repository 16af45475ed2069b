// This runs before each test file. Dates and numbers are written as in Britain, whatever the machine is set to. A file with
// a document gets the address of the console, and no service until a test stands one in.
// The document of a language loads its words.
globalThis.wordsOfPage ??= (await import('../../../src/interface/generated/words/pages.en.js')).words
if (globalThis.navigator !== undefined)
  Object.defineProperty(navigator, 'languages', { value: ['en-GB'], configurable: true })
if (typeof document !== 'undefined') {
  document.head.append(Object.assign(document.createElement('base'), { href: '/' }))
  // happy-dom knows no popovers.
  HTMLElement.prototype.hidePopover ??= () => {}
  globalThis.fetch = async () => new Response(null, { status: 503 })
}

export {}
