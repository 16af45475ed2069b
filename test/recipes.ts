import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Returns the fenced blocks of a page in one language, in order. */
export function codeBlocks(page: string, language: string): string[] {
  const text = readFileSync(`${ROOT}/${page}`, 'utf8')
  // A block in a list is indented.
  return [...text.matchAll(/^( {0,8})```(\w*)\n([\s\S]*?)^\1```$/gm)].flatMap(([, indent, tag, code]) =>
    tag === language ? [code!.replaceAll(new RegExp(`^${indent}`, 'gm'), '')] : [],
  )
}

/** Returns the only fenced block of a page in this language. */
export function codeBlock(page: string, language: string): string {
  const blocks = codeBlocks(page, language)
  if (blocks.length !== 1) throw new Error(`${page} has ${blocks.length} blocks of ${language}, not one.`)
  return blocks[0]!
}
