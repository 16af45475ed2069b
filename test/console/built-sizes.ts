import { gzipSync } from 'node:zlib'

/** Bytes as they are sent, of all that a person can come to load in one language. */
export const ALL_BYTES_MAX = 202_000
/** Bytes of the programs that every page loads. */
export const ENTRY_BYTES_MAX = 43_000

interface BuiltSizes {
  /** Name and bytes of each file. */
  files: [name: string, bytes: number][]
  all: number
  entry: number
}

/** Counts the files that a document leads to: those that it names, and those that these name. */
export function sizesOf(document: string, assets: ReadonlyMap<string, Uint8Array>): BuiltSizes {
  const found = new Set<string>()
  const follow = (text: string): void => {
    for (const [name, bytes] of assets) {
      if (found.has(name) || !text.includes(name)) continue
      found.add(name)
      if (name.endsWith('.js')) follow(Buffer.from(bytes).toString())
    }
  }
  follow(document)
  const files = [...found].map((name): [string, number] => [name, gzipSync(assets.get(name)!, { level: 9 }).length])
  const sum = (some: [string, number][]): number => some.reduce((total, [, bytes]) => total + bytes, 0)
  return { files, all: sum(files), entry: sum(files.filter(([name]) => isScriptOf(document, name))) }
}

/**
 * Returns whether the document itself names the program, so that every page loads it. The words are counted separately,
 * because a page loads one language.
 */
const isScriptOf = (document: string, name: string): boolean =>
  name.endsWith('.js') && document.includes(name) && !name.startsWith('words-')
