import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'
import { describe, expect, test } from 'vitest'

const CONSOLE = resolve(import.meta.dirname, '../../src/console')

interface Node {
  type: string
  [key: string]: unknown
}

const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && path !== 'vite.config.ts')
  .map((path) => {
    const source = readFileSync(join(CONSOLE, path), 'utf8')
    const { program } = parseSync(path, source, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
    return { path, program: program as unknown as Node }
  })
const isWords = (path: string): boolean => /(^|[/.])words(\.\w\w)?\.ts$/.test(path)

/** It has the same texts: test/console/translations.test.ts. */
const isTranslation = (path: string): boolean => /words\.\w\w\.ts$/.test(path)

/** Calls `visit` for a node and all below it; where it returns false, those below are left out. */
function walk(node: unknown, visit: (node: Node) => boolean | undefined): void {
  if (Array.isArray(node)) for (const part of node) walk(part, visit)
  else if (typeof node === 'object' && node !== null) {
    const isNode = 'type' in node
    if (isNode && visit(node as Node) === false) return
    for (const part of Object.values(node)) walk(part, visit)
  }
}

/** `words.nav.label` as its names; undefined where it does not begin with a name. */
function chain(node: Node): string[] | undefined {
  if (node.type === 'Identifier') return [node.name as string]
  if (node.type !== 'MemberExpression' || node.computed) return undefined
  const before = chain(node.object as Node)
  return before && [...before, (node.property as Node).name as string]
}

interface ImportSpecifier {
  imported?: { name: string }
  local: { name: string }
}

/** The names by which a file knows texts: `path of the words file` + `export` + names below it. */
function knownTexts(path: string, program: Node): Map<string, string> {
  const known = new Map<string, string>()
  walk(program, (node) => {
    if (node.type === 'ImportDeclaration') {
      const from = join(path, '..', (node.source as { value: string }).value)
      if (!isWords(from)) return
      for (const { imported, local } of node.specifiers as ImportSpecifier[])
        known.set(local.name, `${from} ${imported?.name}`)
    } else if (isWords(path) && node.type === 'ExportNamedDeclaration') {
      walk(node.declaration, (inner) => {
        if (inner.type === 'VariableDeclarator')
          known.set((inner.id as Node).name as string, `${path} ${(inner.id as Node).name}`)
        return inner.type === 'VariableDeclaration'
      })
    }
    return
  })
  // `const words = postWords.editor` is another name, and no use.
  walk(program, (node) => {
    if (node.type !== 'VariableDeclarator' || node.init == null) return
    const [first = '', ...names] = chain(node.init as Node) ?? []
    const place = known.get(first)
    const { type, name } = node.id as Node
    if (place !== undefined && type === 'Identifier' && names.length > 0)
      known.set(name as string, [place, ...names].join('.'))
    return
  })
  return known
}

/** The texts that a file uses, and the objects of which it uses any, such as `words.status[status]`. */
function usedTexts(path: string, program: Node): string[] {
  const known = knownTexts(path, program)
  const used: string[] = []
  walk(program, (node) => {
    if (node.type === 'VariableDeclarator' && node.init != null) {
      const names = chain(node.init as Node)
      const place = known.get(names?.[0] ?? '')
      if (place === undefined || names === undefined) return
      const { type, properties } = node.id as Node
      if (type === 'ObjectPattern')
        for (const { key } of properties as { key: Node }[]) used.push([place, ...names.slice(1), key.name].join('.'))
      return false
    }
    const names = node.type === 'MemberExpression' ? chain(node) : undefined
    if (names === undefined) return
    const place = known.get(names[0]!)
    if (place !== undefined) used.push([place, ...names.slice(1)].join('.'))
    return false
  })
  return used
}

/** All texts of a words file, by the names that lead to each. */
function textsOf(path: string, program: Node): string[] {
  const texts: string[] = []
  const collect = (object: Node, place: string): void => {
    for (const { key, value } of object.properties as { key: Node; value: Node }[]) {
      const name = `${place}.${key.name ?? key.value}`
      if (value.type === 'ObjectExpression') collect(value, name)
      else texts.push(name)
    }
  }
  for (const statement of program.body as Node[]) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const { declarations = [] } = statement.declaration as { declarations?: { id: Node; init: Node }[] }
    for (const { id, init } of declarations) if (init.type === 'ObjectExpression') collect(init, `${path} ${id.name}`)
  }
  return texts
}

describe('the words of the console', () => {
  test('are all used', () => {
    const used = new Set(files.flatMap(({ path, program }) => usedTexts(path, program)))
    const isUsed = (text: string): boolean => {
      for (let end = text.length; end > 0; end = text.lastIndexOf('.', end - 1))
        if (used.has(text.slice(0, end))) return true
      return false
    }
    const texts = files
      .filter(({ path }) => isWords(path) && !isTranslation(path))
      .flatMap(({ path, program }) => textsOf(path, program))
    expect(texts.length).toBeGreaterThan(500)
    expect(texts.filter((text) => !isUsed(text))).toEqual([])
  })

  test('stand in words files alone', () => {
    const sentences: string[] = []
    for (const { path, program } of files.filter(({ path }) => !isWords(path)))
      walk(program, (node) => {
        if (node.type === 'ImportDeclaration') return false
        const text =
          node.type === 'JSXText' || node.type === 'Literal'
            ? node.value
            : node.type === 'TemplateElement'
              ? (node.value as { raw: string }).raw
              : undefined
        const isSentence = node.type === 'JSXText' ? /\p{L}/u : /^\p{Lu}\p{Ll}*,? \p{L}|\p{L} .*[.?!…]$/u
        const { value } = node.type === 'JSXAttribute' ? ((node.value ?? {}) as { value?: unknown }) : {}
        if (typeof value === 'string' && /^\p{Lu}\p{Ll}/u.test(value)) sentences.push(`${path}: ${value}`)
        if (typeof text === 'string' && isSentence.test(text)) sentences.push(`${path}: ${text}`)
        return
      })
    expect(sentences).toEqual([])
  })
})
