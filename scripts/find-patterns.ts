/** Finds the regular expressions in a source text: TypeScript, JavaScript or SQL. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'rolldown/utils'

export interface Found {
  path: string
  line: number
  /** Undefined if the pattern depends on values that are known only at run time. */
  pattern: string | undefined
  /** The flags; if the pattern is unknown, the expression that makes it. */
  flags: string
}

interface Node {
  type: string
  start: number
  end: number
  // biome-ignore lint/suspicious/noExplicitAny: the parser's tree has no types for what is read here.
  [key: string]: any
}

interface Module {
  path: string
  text: string
  program: Node
  /** Constants by name; undefined if two have the same name. */
  constants: Map<string, Node | undefined>
  /** Names imported from files of the tree, with the file and the name in that file. */
  imported: Map<string, [path: string, name: string]>
}

/** Methods of strings that turn a text into a regular expression. */
const MATCHING_METHODS = ['match', 'matchAll', 'search']

/** Finds the patterns of a file. `path` determines its language and where its imports are. */
export function findPatterns(path: string, text: string): Found[] {
  if (path.endsWith('.sql')) return findInSql(text).map((found) => ({ ...found, path }))
  const module = parseModule(path, text)
  const found: Found[] = []
  const add = (node: Node, pattern: string | undefined, flags: string): void => {
    found.push({ path, line: lineOf(text, node.start), pattern, flags: pattern === undefined ? sourceOf(node) : flags })
  }
  const sourceOf = (node: Node): string => text.slice(node.start, node.end).replaceAll(/\s+/g, ' ')
  visit(module.program, (node) => {
    if (node.type === 'Literal' && node.regex) add(node, node.regex.pattern, node.regex.flags)
    if (node.type === 'NewExpression' || node.type === 'CallExpression') readCall(node, module, add)
    if (node.type === 'JSXAttribute' && node.name.name === 'pattern') {
      const value = node.value.type === 'JSXExpressionContainer' ? node.value.expression : node.value
      const pattern = evaluate(value, module)
      // A browser matches the pattern against the whole value.
      add(node, pattern === undefined ? undefined : `^(?:${pattern})$`, 'v')
    }
    const isText = node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
    if (isText && SQL_PLACES.test(path)) {
      for (const sql of findInSql(sqlOf(node, module)))
        found.push({ ...sql, path, line: lineOf(text, node.start) + sql.line - 1 })
    }
  })
  return found
}

function readCall(node: Node, module: Module, add: (node: Node, pattern: string | undefined, flags: string) => void) {
  const { callee } = node
  const [first, second] = node.arguments as [Node?, Node?]
  if (callee.type === 'Identifier' && callee.name === 'RegExp') {
    const pattern = first === undefined ? '(?:)' : evaluate(first, module)
    const flags = second === undefined ? '' : evaluate(second, module)
    add(node, flags === undefined ? undefined : pattern, flags ?? '')
  }
  if (callee.type !== 'MemberExpression' || !MATCHING_METHODS.includes(callee.property.name)) return
  if (first?.type === 'TemplateLiteral' || typeof first?.value === 'string') add(node, evaluate(first, module), '')
}

function parseModule(path: string, text: string): Module {
  const lang = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js'
  const { program, errors } = parseSync(path, text, { lang, sourceType: path.endsWith('.cjs') ? 'script' : 'module' })
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`)
  const module: Module = { path, text, program: program as unknown as Node, constants: new Map(), imported: new Map() }
  visit(module.program, (node) => {
    if (node.type === 'VariableDeclaration')
      for (const { id, init } of node.declarations as Node[]) {
        const isKnown = node.kind === 'const' && init && !module.constants.has(id.name)
        if (id.type === 'Identifier') module.constants.set(id.name, isKnown ? init : undefined)
      }
    if (node.type !== 'ImportDeclaration' || !node.source.value.startsWith('.')) return
    const source = join(dirname(path), node.source.value.replace(/\.js$/, '.ts'))
    for (const { type, local, imported } of node.specifiers as Node[])
      if (type === 'ImportSpecifier') module.imported.set(local.name, [source, imported.name])
  })
  return module
}

const modules = new Map<string, Module | undefined>()

function moduleAt(path: string): Module | undefined {
  if (!modules.has(path))
    modules.set(path, existsSync(path) ? parseModule(path, readFileSync(path, 'utf8')) : undefined)
  return modules.get(path)
}

/** Returns the text that an expression makes, or undefined if it is known only at run time. */
function evaluate(node: Node, module: Module): string | undefined {
  if (node.type === 'Literal') return node.regex ? undefined : String(node.value)
  if (node.type === 'TemplateLiteral') {
    const parts = (node.expressions as Node[]).map((expression) => evaluate(expression, module))
    if (parts.includes(undefined)) return undefined
    return (node.quasis as Node[]).map(({ value }, index) => `${value.cooked}${parts[index] ?? ''}`).join('')
  }
  if (node.type === 'BinaryExpression') return calculate(node, module)
  if (node.type === 'TSAsExpression') return evaluate(node.expression, module)
  if (node.type === 'MemberExpression' && node.property.name === 'source') {
    const [declared] = declarationOf(node.object, module)
    return declared?.regex?.pattern
  }
  if (node.type === 'CallExpression') return evaluateCall(node, module)
  if (node.type === 'Identifier') {
    const [declared, where] = declarationOf(node, module)
    return declared && where && evaluate(declared, where)
  }
  return undefined
}

/** Evaluates a call of a function that consists of one expression, if its texts are known. */
function evaluateCall({ callee, arguments: given }: Node, module: Module): string | undefined {
  const [declared, where] = declarationOf(callee, module)
  if (declared?.type !== 'ArrowFunctionExpression' || declared.body.type === 'BlockStatement') return undefined
  const constants = new Map(where!.constants)
  for (const [index, { name }] of (declared.params as Node[]).entries()) {
    const value = given[index] && evaluate(given[index], module)
    constants.set(name, value === undefined ? undefined : { type: 'Literal', value, start: 0, end: 0 })
  }
  return evaluate(declared.body, { ...where!, constants })
}

function calculate({ operator, left, right }: Node, module: Module): string | undefined {
  const [one, other] = [evaluate(left, module), evaluate(right, module)]
  if (one === undefined || other === undefined) return undefined
  const isNumber = Number.isFinite(Number(one)) && Number.isFinite(Number(other))
  if (operator === '+') return left.type === 'Literal' || !isNumber ? one + other : String(Number(one) + Number(other))
  if (operator === '-') return String(Number(one) - Number(other))
  return undefined
}

function declarationOf(node: Node, module: Module): [Node?, Module?] {
  if (node.type !== 'Identifier') return []
  const own = module.constants.get(node.name)
  if (own !== undefined) return [own, module]
  const [path, name] = module.imported.get(node.name) ?? []
  const other = path === undefined ? undefined : moduleAt(path)
  return other === undefined ? [] : declarationOf({ type: 'Identifier', name, start: 0, end: 0 }, other)
}

/** Returns the SQL of a template with the known parts filled in; unknown parts become a parameter. */
function sqlOf(node: Node, module: Module): string {
  if (node.type === 'Literal') return node.value
  return (node.quasis as Node[])
    .map(({ value }, index) => {
      const part = node.expressions[index] as Node | undefined
      return `${value.cooked}${part === undefined ? '' : (evaluate(part, module) ?? UNKNOWN)}`
    })
    .join('')
}

/** test/architecture.test.ts ensures that no other file contains SQL. */
const SQL_PLACES = /\.store\.ts$|^src\/database\//
const UNKNOWN = '\u{fffd}'
const SQL_OPERATOR = /(?:[!)\s]~\*?|\bsimilar to|\bfrom) {0,8}'/gi
const SQL_FUNCTION = /\bregexp_[a-z_]{3,20}\(/gi

/** Finds patterns in SQL: after an operator, and in the second argument of a function. */
function findInSql(text: string): Omit<Found, 'path'>[] {
  const found: Omit<Found, 'path'>[] = []
  const add = (at: number, pattern: string | undefined, source: string) => {
    const isKnown = pattern !== undefined && !pattern.includes(UNKNOWN)
    // PostgreSQL writes characters beyond the first plane with eight digits.
    const known = isKnown ? pattern.replaceAll(/\\U0*([0-9A-F]{4,6})/g, '\\u{$1}') : undefined
    found.push({ line: lineOf(text, at), pattern: known, flags: known === undefined ? source : 'u' })
  }
  for (const { index, 0: operator } of text.matchAll(SQL_OPERATOR))
    add(index, quoted(text, index + operator.length), operator)
  for (const { index, 0: name } of text.matchAll(SQL_FUNCTION)) {
    const second = secondArgument(text, index + name.length)
    add(index, second?.startsWith("'") ? quoted(second, 1) : undefined, `${name}…, ${second})`)
  }
  return found
}

/** Returns the text of a quoted SQL string, starting after its opening quote. */
function quoted(text: string, from: number): string {
  let end = text.indexOf("'", from)
  while (end !== -1 && text[end + 1] === "'") end = text.indexOf("'", end + 2)
  return text.slice(from, end === -1 ? undefined : end).replaceAll("''", "'")
}

function secondArgument(text: string, from: number): string | undefined {
  let depth = 0
  let isQuoted = false
  let start: number | undefined
  for (let index = from; index < text.length; index++) {
    const character = text[index]!
    if (character === "'") isQuoted = !isQuoted
    if (isQuoted) continue
    if (character === '(') depth++
    const isEnd = character === ')' && --depth < 0
    if (!isEnd && !(character === ',' && depth === 0)) continue
    if (start !== undefined || isEnd) return start === undefined ? undefined : text.slice(start, index).trim()
    start = index + 1
  }
  return undefined
}

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

/** Calls `see` for each node below a value. */
function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const part of value) visit(part, see)
  if (typeof value !== 'object' || value === null || !('type' in value)) return
  see(value as Node)
  for (const [key, child] of Object.entries(value)) if (key !== 'parent') visit(child, see)
}
