import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { describe, expect, test } from 'vitest'
import { DEFAULT_LANGUAGE, LANGUAGES } from '../../src/interface/languages.js'

const SRC = resolve(import.meta.dirname, '../../src')
const TRANSLATIONS = LANGUAGES.filter((language) => language !== DEFAULT_LANGUAGE)
/** The English words of the console and of mails. */
const FILES = ['console', 'notifications'].flatMap((room) =>
  readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|[/.])words\.ts$/.test(path))
    .map((path) => join(room, path)),
)

interface Node {
  type: string
  [key: string]: unknown
}

const parse = (path: string): Node =>
  parseSync(path, readFileSync(join(SRC, path), 'utf8'), { lang: 'ts' }).program as unknown as Node

/** The tables of a file, exported or not, each text of them by the names that lead to it. */
function textsOf(path: string): Map<string, Node> {
  const texts = new Map<string, Node>()
  const collect = (node: Node, place: string): void => {
    const isTyped = node.type === 'TSSatisfiesExpression' || node.type === 'TSAsExpression'
    const value = isTyped ? (node.expression as Node) : node
    if (value.type !== 'ObjectExpression') texts.set(place, value)
    else
      for (const one of value.properties as (Node & { key: Node; value: Node })[])
        if (one.type === 'Property') collect(one.value, `${place}.${one.key.name ?? one.key.value}`)
  }
  for (const statement of parse(path).body as Node[]) {
    const declaration = (statement.declaration ?? statement) as Node
    for (const { id, init } of (declaration.declarations ?? []) as { id: Node; init: Node }[])
      if (init.type === 'ObjectExpression') collect(init, String(id.name))
  }
  return texts
}

const translationOf = (path: string, language: string): string => path.replace(/\.ts$/, `.${language}.ts`)

/** The text that a node writes, where it is plain text. */
const plain = (node: Node): string | undefined => (node.type === 'Literal' ? String(node.value) : undefined)

/** Texts that are alike in two languages: names, units and file types. */
const isName = (text: string): boolean => !/\p{Ll}{3}/u.test(text) || /^[\p{Lu}\d]\S*$/u.test(text)

describe.each(TRANSLATIONS)('the words in %s', (language) => {
  test.each(FILES)('%s has a translation of every text, and of no other', (path) => {
    const names = [...textsOf(path).keys()]
    expect(names.length).toBeGreaterThan(0)
    expect([...textsOf(translationOf(path, language)).keys()].sort()).toEqual(names.sort())
  })

  test('repeats no English sentence', () => {
    const repeated = FILES.flatMap((path) => {
      const translated = textsOf(translationOf(path, language))
      return [...textsOf(path)].flatMap(([name, node]) => {
        const text = plain(node)
        const there = translated.get(name)
        return text !== undefined && there !== undefined && plain(there) === text && !isName(text)
          ? [`${path} ${name}: ${text}`]
          : []
      })
    })
    expect(repeated).toEqual([])
  })
})
