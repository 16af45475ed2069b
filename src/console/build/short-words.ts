import { readFileSync } from 'node:fs'
import { type ESTree, type Plugin, parseSync } from 'vite'

/** Matches words.ts and each translation beside it. */
const WORDS = /[./]words(\.[a-z]{2})?\.ts$/

type Node = ESTree.Node
type Names = Map<string, string>
interface Edit {
  start: number
  end: number
  text: string
}

/**
 * Gives the keys of the exported words one or two letters, where they are stated and where they are read: half of their
 * bytes. Keys of what stands inside of a word stay, because these come from the service. Words are read as `words.key` or
 * `const { key } = words`; another use of them stops the build.
 */
export function shortWords(): Plugin {
  const known = new Map<string, Map<string, Names>>()
  const namesOf = (file: string): Map<string, Names> => {
    const names = known.get(file) ?? readNames(file)
    known.set(file, names)
    return names
  }
  return {
    name: 'short-words',
    enforce: 'post',
    async transform(code, id) {
      if (!WORDS.test(id) && !code.includes('words.ts')) return null
      const program = this.parse(code)
      const words = new Map<string, Names>()
      const edits: Edit[] = []
      for (const statement of program.body) {
        if (statement.type === 'ImportDeclaration' && WORDS.test(statement.source.value)) {
          const file = (await this.resolve(statement.source.value, id))?.id ?? ''
          for (const { type, local, imported } of statement.specifiers.filter(
            (one) => one.type === 'ImportSpecifier',
          )) {
            const names = namesOf(file).get(type === 'ImportSpecifier' ? nameOf(imported) : '')
            if (names !== undefined) words.set(local.name, names)
          }
        }
        if (!WORDS.test(id)) continue
        for (const { name, keys } of exportedIn(statement)) {
          const names = namesOf(id).get(name)!
          words.set(name, names)
          for (const { start, end, shorthand, key } of keys) {
            const short = names.get(nameOf(key))!
            edits.push(shorthand ? { start, end, text: `${short}:${nameOf(key)}` } : { ...spanOf(key), text: short })
          }
        }
      }
      if (words.size === 0) return null
      edits.push(...readersOf(program, words, id))
      return { code: apply(code, edits), map: null }
    },
  }
}

/** The short name of each key of each object of words that a file exports; the same in every language. */
function readNames(file: string): Map<string, Names> {
  const { program } = parseSync(file, readFileSync(file, 'utf8'))
  const found = program.body.flatMap(exportedIn).map(({ name, keys }): [string, Names] => {
    const sorted = keys.map(({ key }) => nameOf(key)).sort()
    return [name, new Map(sorted.map((key, index) => [key, toShort(index)]))]
  })
  return new Map(found)
}

function exportedIn(statement: Node): { name: string; keys: ESTree.ObjectProperty[] }[] {
  if (statement.type !== 'ExportNamedDeclaration' || statement.declaration?.type !== 'VariableDeclaration') return []
  return statement.declaration.declarations.flatMap(({ id, init }) => {
    if (id.type !== 'Identifier' || init?.type !== 'ObjectExpression') return []
    const keys = init.properties.filter((property) => property.type === 'Property')
    if (keys.length < init.properties.length) throw new Error(`the words ${id.name} spread others`)
    return [{ name: id.name, keys }]
  })
}

/** The keys that a module reads. */
function readersOf(program: ESTree.Program, words: Map<string, Names>, id: string): Edit[] {
  const edits: Edit[] = []
  const shorten = (names: Names, key: Node): string => {
    const short = names.get(nameOf(key))
    if (short === undefined) throw new Error(`${id} reads words that are not there: ${nameOf(key)}`)
    return short
  }
  visit(program, (node, parent, place) => {
    const names = node.type === 'Identifier' ? words.get(node.name) : undefined
    if (names === undefined || isName(parent, place)) return
    if (parent.type === 'MemberExpression' && !parent.computed && place === 'object') {
      edits.push({ ...spanOf(parent.property), text: shorten(names, parent.property) })
    } else if (parent.type === 'VariableDeclarator' && place === 'init' && parent.id.type === 'ObjectPattern') {
      for (const property of parent.id.properties) {
        if (property.type !== 'Property' || property.computed) throw new Error(`${id} reads all words at once`)
        const short = shorten(names, property.key)
        const key = property.shorthand ? `${short}:${nameOf(property.key)}` : short
        edits.push({ ...spanOf(property.shorthand ? property : property.key), text: key })
      }
    } else throw new Error(`${id} uses words otherwise than by their keys, at character ${node.start}`)
  })
  return edits
}

/** True where the name is a key or is being declared as the words, so that nothing is read. */
const isName = (parent: Node, place: string): boolean =>
  parent.type === 'ImportSpecifier' ||
  (parent.type === 'MemberExpression' && place === 'property' && !parent.computed) ||
  (parent.type === 'Property' && place === 'key' && !parent.computed) ||
  (parent.type === 'VariableDeclarator' && place === 'id' && parent.init?.type === 'ObjectExpression')

function visit(node: Node, see: (node: Node, parent: Node, place: string) => void): void {
  for (const [place, value] of Object.entries(node)) {
    for (const child of [value].flat()) {
      if (typeof child?.type !== 'string') continue
      see(child, node, place)
      visit(child, see)
    }
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** a … Z, and then aa … ZZ. */
const toShort = (index: number): string =>
  index < LETTERS.length
    ? LETTERS[index]!
    : toShort(Math.floor(index / LETTERS.length) - 1) + LETTERS[index % LETTERS.length]

const nameOf = (key: Node): string =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : ''

const spanOf = ({ start, end }: Node): Omit<Edit, 'text'> => ({ start, end })

const apply = (code: string, edits: Edit[]): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: short }) => text.slice(0, start) + short + text.slice(end), code)
