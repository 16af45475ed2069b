import { readFileSync } from 'node:fs'

let version: string | undefined

/** Returns the version of the package; its path is the same from src/ and from dist/. */
export function programVersion(): string {
  version ??= JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version as string
  return version
}
