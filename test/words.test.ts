import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse, type Token } from '@messageformat/parser'
import { parseSync } from 'rolldown/utils'
import { describe, expect, test } from 'vitest'
import { DEFAULT_LANGUAGE, LANGUAGES } from '../src/interface/languages.js'

const ROOT = resolve(import.meta.dirname, '..')
const TRANSLATIONS = LANGUAGES.filter((language) => language !== DEFAULT_LANGUAGE)

type Messages = { [key: string]: string | Messages }

/** Returns the messages of a language by their paths, such as `calendar.views.month`. */
function messagesOf(language: string): Map<string, string> {
  const found = new Map<string, string>()
  const collect = (messages: Messages, place: string): void => {
    for (const [key, value] of Object.entries(messages)) {
      if (typeof value === 'string') found.set(`${place}${key}`, value)
      else collect(value, `${place}${key}.`)
    }
  }
  collect(JSON.parse(readFileSync(join(ROOT, 'locales', `${language}.json`), 'utf8')), '')
  return found
}

const english = messagesOf(DEFAULT_LANGUAGE)

/** Returns every part of a message that has an argument, including those inside its cases. */
const argumentsIn = (tokens: readonly Token[]): Exclude<Token, { type: 'content' | 'octothorpe' }>[] =>
  tokens.flatMap((token) => {
    if (token.type === 'content' || token.type === 'octothorpe') return []
    const inner = 'cases' in token ? token.cases.flatMap((one) => argumentsIn(one.tokens)) : []
    return [token, ...inner]
  })

const selectionsIn = (message: string, type: 'plural' | 'select') =>
  argumentsIn(parse(message)).flatMap((token) =>
    token.type === type ? [{ arg: token.arg, keys: token.cases.map(({ key }) => key) }] : [],
  )

/** Returns the names of the arguments, and the values by which a text is selected. */
const shapeOf = (message: string): string[] => {
  const names = argumentsIn(parse(message)).map(({ arg }) => arg)
  const selected = selectionsIn(message, 'select').flatMap(({ arg, keys }) => keys.map((key) => `${arg}: ${key}`))
  return [...new Set([...names, ...selected])].sort()
}

/** Texts that are alike in two languages: names, units, file types, and words that German or Spanish took over. */
const isName = (text: string): boolean =>
  !/\p{Ll}{3}/u.test(text) || /^[\p{Lu}\d]\S*$/u.test(text) || ['hashtags', 'vips'].includes(text)

describe.each(TRANSLATIONS)('the texts in %s', (language) => {
  const translated = messagesOf(language)

  test('are those of the English file, with the same arguments and selections', () => {
    expect([...translated.keys()].sort()).toEqual([...english.keys()].sort())
    const different = [...english].filter(([name, text]) => `${shapeOf(translated.get(name)!)}` !== `${shapeOf(text)}`)
    expect(different.map(([name]) => `${name}: ${translated.get(name)}`)).toEqual([])
  })

  test('repeat no English sentence', () => {
    const repeated = [...english].filter(
      ([name, text]) => translated.get(name) === text && !text.includes('{') && !isName(text),
    )
    expect(repeated).toEqual([])
  })
})

test.each(LANGUAGES)('the plurals in %s have the forms of the language', (language) => {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  const isForm = (key: string): boolean => /^=\d$/.test(key) || (pluralCategories as string[]).includes(key)
  const plurals = [...messagesOf(language)].flatMap(([name, text]) =>
    selectionsIn(text, 'plural').map(({ keys }) => ({ name, keys })),
  )
  expect(plurals.length).toBeGreaterThan(50)
  // A text for exactly one, or exactly none, needs no form for one.
  const hasOne = (keys: string[]): boolean => keys.some((key) => key === 'one' || key.startsWith('='))
  expect(plurals.filter(({ keys }) => !keys.every(isForm) || !hasOne(keys) || !keys.includes('other'))).toEqual([])
})

interface Node {
  type: string
  [key: string]: unknown
}

const WORDS = 'src/console/words.ts'

const filesIn = (folder: string): { path: string; program: Node }[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name) && name !== 'vite.config.ts')
    .map((name) => {
      const path = join(folder, name)
      const source = readFileSync(join(ROOT, path), 'utf8')
      const { program } = parseSync(path, source, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
      return { path, program: program as unknown as Node }
    })

/** Calls `visit` for a node and all nodes below it. If it returns false, the nodes below are skipped. */
function walk(node: unknown, visit: (node: Node) => boolean | undefined): void {
  if (Array.isArray(node)) for (const part of node) walk(part, visit)
  else if (typeof node === 'object' && node !== null) {
    const isNode = 'type' in node
    if (isNode && visit(node as Node) === false) return
    for (const part of Object.values(node)) walk(part, visit)
  }
}

/** Returns the names in an expression such as `words.nav.label`; undefined if it does not begin with a name. */
function chain(node: Node): string[] | undefined {
  if (node.type === 'Identifier') return [node.name as string]
  if (node.type !== 'MemberExpression' || node.computed) return undefined
  const before = chain(node.object as Node)
  return before && [...before, (node.property as Node).name as string]
}

/** Returns the names by which a file refers to texts: imports, and aliases such as `const words = posts.editor`. */
function knownTexts(path: string, program: Node): Map<string, string> {
  // The server has the texts of emails as `words`.
  const known = new Map(path.startsWith('src/console') ? [] : [['words', 'mails']])
  walk(program, ({ type, source, specifiers }) => {
    if (type !== 'ImportDeclaration' || join(path, '..', (source as { value: string }).value) !== WORDS) return
    for (const { imported, local } of specifiers as { imported: { name: string }; local: { name: string } }[])
      known.set(local.name, imported.name)
    return
  })
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

/** Returns the texts that a file uses, and the objects that it indexes, such as `words.status[status]`. */
function usedTexts({ path, program }: { path: string; program: Node }): string[] {
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

test('every text is used', () => {
  const used = new Set(['src/console', 'src/news'].flatMap(filesIn).flatMap(usedTexts))
  const isUsed = (text: string): boolean => {
    for (let end = text.length; end > 0; end = text.lastIndexOf('.', end - 1))
      if (used.has(text.slice(0, end))) return true
    return false
  }
  expect(english.size).toBeGreaterThan(1_500)
  expect([...english.keys()].filter((text) => !isUsed(text))).toEqual([])
})

test('no page has its own texts', () => {
  const sentences: string[] = []
  for (const { path, program } of filesIn('src/console'))
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
