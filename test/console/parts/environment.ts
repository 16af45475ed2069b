// This runs before each test file. A file with a document gets the address of the console, and no service until a test
// stands one in.
if (typeof document !== 'undefined') {
  document.head.append(Object.assign(document.createElement('base'), { href: '/' }))
  // happy-dom knows no popovers.
  HTMLElement.prototype.hidePopover ??= () => {}
  globalThis.fetch = async () => new Response(null, { status: 503 })
}

export {}
