import { StartError } from '../lib/start-error.js'

let built: Promise<unknown> = Promise.resolve()

/**
 * `npm run demo` builds the pages while the demo fills its database (scripts/demo.mjs). Elsewhere they are there
 * already.
 * @public scripts/demo.mjs calls it.
 */
export function awaitPages(pages: Promise<unknown>): void {
  built = pages
}

/** Resolves when the console and the reference can be served. Throws StartError if they could not be built. */
export async function pagesBuilt(): Promise<void> {
  await built.catch((error) => {
    throw new StartError((error as Error).message)
  })
}
