// Prints the size of the tree: lines of code, long functions and files, and long lines of comments. `npx tsx
// scripts/measure.ts` prints counts; `--list` prints each place, and paths limit what it reads.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseSync } from 'rolldown/utils'

export const COMMENT_LINE_MAX = 125

interface FunctionLength {
  place: string
  lines: number
}

export interface Measures {
  /** Lines of src, without tests, that are neither blank nor part of a comment. */
  codeLines: number
  /** Functions of src, without tests, longest first. */
  functions: FunctionLength[]
  /** Files of src, without tests, with their number of lines. */
  files: FunctionLength[]
  longComments: string[]
}

interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const nameOf = (node: unknown): string | undefined => (node as { name?: string } | null | undefined)?.name

/** Calls `visit` with each function below a node and the name of its declaration. */
function visitFunctions(value: unknown, name: string, visit: (node: Node, name: string) => void): void {
  if (Array.isArray(value)) for (const part of value) visitFunctions(part, name, visit)
  if (!isNode(value)) return
  const own = nameOf(value.id) ?? nameOf(value.key) ?? name
  if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(value.type) && value.body)
    visit(value, own)
  for (const [key, child] of Object.entries(value)) if (key !== 'parent') visitFunctions(child, own, visit)
}

/** Returns a function that turns an offset in the text into a line number, starting at one. */
function lineFinder(text: string): (offset: number) => number {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let low = 0
    let high = breaks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (breaks[middle]! < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

function measureFile(path: string, into: Measures): void {
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n')
  const lineOf = lineFinder(text)
  const lang = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js'
  const { program, comments } = parseSync(path, text, { lang, sourceType: path.endsWith('.cjs') ? 'script' : 'module' })
  const commentLines = new Set<number>()
  for (const { start, end } of comments) {
    const first = lineOf(start)
    const startsLine = /^\s*$/.test(text.slice(text.lastIndexOf('\n', start) + 1, start))
    for (let line = first; line <= lineOf(end - 1); line++) {
      if (line > first || startsLine) commentLines.add(line)
      if (lines[line - 1]!.length > COMMENT_LINE_MAX) into.longComments.push(`${path}:${line}`)
    }
  }
  if (!/^(src|packages\/\w+\/src)\//.test(path) || /\.test\.tsx?$/.test(path)) return
  into.codeLines += lines.filter((line, index) => line.trim() !== '' && !commentLines.has(index + 1)).length
  into.files.push({ place: path, lines: lines.length - 1 })
  visitFunctions(program, '', ({ start, end }, name) => {
    const first = lineOf(start)
    into.functions.push({ place: `${path}:${first} ${name}`, lines: lineOf(end - 1) - first + 1 })
  })
}

/** Reads the sources that git tracks: all of them, or those below the given paths. */
export function measure(paths: string[] = []): Measures {
  const into: Measures = { codeLines: 0, functions: [], files: [], longComments: [] }
  const tracked = execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' }).split('\n')
  for (const path of tracked.filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path))) measureFile(path, into)
  for (const list of [into.functions, into.files]) list.sort((left, right) => right.lines - left.lines)
  return into
}

if (import.meta.filename === process.argv[1]) {
  const args = process.argv.slice(2)
  const { codeLines, functions, files, longComments } = measure(args.filter((arg) => !arg.startsWith('--')))
  const over = (all: FunctionLength[], max: number) => all.filter(({ lines }) => lines > max)
  const counts = [
    `lines of code in src without tests, comments and blank lines: ${codeLines}`,
    `functions over 120 lines: ${over(functions, 120).length}, over 70: ${over(functions, 70).length}`,
    `files of src over 500 lines: ${over(files, 500).length}`,
    `comment lines over ${COMMENT_LINE_MAX} characters: ${longComments.length}`,
  ]
  const places = [...over(functions, 70), ...over(files, 500)].map(({ lines, place }) => `${lines} ${place}`)
  const listed = args.includes('--list') ? [...places, ...longComments] : []
  process.stdout.write(`${[...listed, ...counts].join('\n')}\n`)
}
