// Prints what the tree weighs: lines of code, long functions, long files, and comments that begin as a fragment.
// `node scripts/measure.mjs` prints the counts, `--list` each place as well, and PATH… looks at those files alone.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseSync } from 'rolldown/utils'

const args = process.argv.slice(2)
const list = args.includes('--list')
const paths = args.filter((arg) => !arg.startsWith('--'))
const tracked = execFileSync('git', ['ls-files', ...(paths.length ? ['--', ...paths] : [])], { encoding: 'utf8' })
  .trim()
  .split('\n')
const files = tracked.filter((path) => /\.(ts|tsx|mjs|cjs)$/.test(path))

const fragment = /^[\s*]*(What|Of|Whether|Who|Whose|By whom|For what)\b/
const isTest = (path) => /\.test\.tsx?$/.test(path)
const longFunctions = []
const longFiles = []
const fragments = []
const longLines = []
let codeLines = 0

for (const path of files) {
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n')
  const lang = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js'
  const starts = lines.reduce((all, line) => [...all.slice(-1e6), all[all.length - 1] + line.length + 1], [0])
  const lineOf = (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle] <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }
  const { program, comments, errors } = parseSync(path, text, {
    lang,
    sourceType: path.endsWith('.cjs') ? 'script' : 'module',
  })
  if (errors.length) console.error(path, errors[0].message)
  const inComment = new Set()
  let before
  for (const comment of comments) {
    const first = lineOf(comment.start)
    const last = lineOf(comment.end - 1)
    for (let line = first; line <= last; line++) {
      if (lines[line - 1].trim().startsWith('//') || line > first || lines[line - 1].trim().startsWith('/*'))
        inComment.add(line)
      if (lines[line - 1].length > 125) longLines.push(`${path}:${line}`)
    }
    // Consecutive lines of // are one comment.
    const goesOn =
      comment.type === 'Line' &&
      before !== undefined &&
      before.type === 'Line' &&
      lineOf(before.start) === first - 1 &&
      lines[first - 1].trim().startsWith('//')
    if (!goesOn && fragment.test(comment.value))
      fragments.push(`${path}:${first} ${comment.value.trim().slice(0, 100).replaceAll('\n', ' ')}`)
    before = comment
  }
  if (path.startsWith('src/') && !isTest(path)) {
    codeLines += lines.filter((line, index) => line.trim() !== '' && !inComment.has(index + 1)).length
    if (lines.length - 1 > 500) longFiles.push(`${path} ${lines.length - 1}`)
    const walk = (node, name) => {
      if (node === null || typeof node !== 'object') return
      if (Array.isArray(node)) {
        for (const part of node) walk(part, name)
        return
      }
      let inner = name
      if (
        node.type === 'VariableDeclarator' ||
        node.type === 'FunctionDeclaration' ||
        node.type === 'MethodDefinition' ||
        node.type === 'Property'
      )
        inner = node.id?.name ?? node.key?.name ?? name
      if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) && node.body) {
        const length = lineOf(node.end - 1) - lineOf(node.start) + 1
        if (length > 70) longFunctions.push({ length, place: `${path}:${lineOf(node.start)} ${inner}` })
      }
      for (const [key, value] of Object.entries(node))
        if (key !== 'type' && key !== 'start' && key !== 'end') walk(value, inner)
    }
    walk(program, '')
  }
}

longFunctions.sort((left, right) => right.length - left.length)
if (list) {
  for (const { length, place } of longFunctions) console.log(`${length} ${place}`)
  for (const place of [...longFiles, ...longLines, ...fragments]) console.log(place)
}
console.log(`lines of code in src without tests, comments and blank lines: ${codeLines}`)
console.log(
  `functions over 120 lines: ${longFunctions.filter(({ length }) => length > 120).length}, over 70: ${longFunctions.length}`,
)
console.log(`files of src over 500 lines: ${longFiles.length}`)
console.log(
  `comments that begin as a fragment: ${fragments.length}, comment lines over 125 characters: ${longLines.length}`,
)
