// Lists the prose of the repository: comments, texts in string literals, and paragraphs of documents.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseSync } from 'rolldown/utils'

interface Prose {
  /** The file and the line where the text begins. */
  place: string
  /** The text on one line, without the code that a document quotes. */
  text: string
  isComment: boolean
}

const SOURCE = /\.(ts|tsx|mjs|cjs)$/
const OTHER = /\.(md|css|yml|yaml|env)$|^\.ci\/|^locales\//

/** Calls `visit` with each text in a string, template or JSX below a node, and with its offset. */
function visitTexts(node: unknown, visit: (text: string, start: number) => void): void {
  if (Array.isArray(node)) for (const part of node) visitTexts(part, visit)
  else if (typeof node === 'object' && node !== null) {
    const { type, start, value } = node as { type?: string; start: number; value?: string | { raw: string } }
    if (typeof value === 'string') visit(value, start)
    else if (type === 'TemplateElement') visit((value as { raw: string }).raw, start)
    for (const [key, child] of Object.entries(node)) if (key !== 'parent') visitTexts(child, visit)
  }
}

function* proseOfSource(path: string, source: string): Generator<Prose> {
  const found: [text: string, start: number, isComment: boolean][] = []
  const lang = path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js'
  const { program, comments } = parseSync(path, source, {
    lang,
    sourceType: path.endsWith('.cjs') ? 'script' : 'module',
  })
  let end = -1
  for (const comment of comments) {
    // Consecutive // lines form one comment.
    const continues = comment.type === 'Line' && source.slice(end, comment.start).trim() === '' && end !== -1
    const text = comment.value.replaceAll('\n', ' ').replaceAll(' * ', ' ').replace('*', '')
    if (continues) found.at(-1)![0] += ` ${text}`
    else found.push([text, comment.start, true])
    end = comment.type === 'Line' ? comment.end : -1
  }
  // The strings of a store are SQL.
  if (!path.endsWith('.store.ts')) visitTexts(program, (text, start) => found.push([text, start, false]))
  for (const [text, start, isComment] of found) {
    const words = text.trim().split(/\s+/)
    if (words.length < 2) continue
    yield { place: `${path}:${source.slice(0, start).split('\n').length}`, text: words.join(' '), isComment }
  }
}

function* proseOfDocument(path: string, text: string): Generator<Prose> {
  let isCode = false
  let paragraph: Prose | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const isFence = line.trim().startsWith('```')
    if (isFence) isCode = !isCode
    // A file that is not Markdown is read line by line.
    if (paragraph !== undefined && (isFence || line.trim() === '' || !path.endsWith('.md'))) {
      yield paragraph
      paragraph = undefined
    }
    if (isFence || isCode || line.trim() === '') continue
    // In the texts of the console, only the values are prose.
    const prose = path.startsWith('locales/') ? line.replace(/^ {0,40}"[^"]{1,80}":/, '') : line
    // Every second part is in backticks.
    const words = prose.split('`').map((part, place) => (place % 2 === 0 ? part : 'code'))
    paragraph ??= { place: `${path}:${index + 1}`, text: '', isComment: false }
    paragraph.text = `${paragraph.text} ${words.join('').trim()}`.trim()
  }
  if (paragraph !== undefined) yield paragraph
}

/** Reads the files that git tracks below the paths. */
export function prose(paths: string[]): Prose[] {
  const tracked = execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8' }).split('\n')
  return tracked
    .filter((path) => SOURCE.test(path) || OTHER.test(path))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8')
      return [...(SOURCE.test(path) ? proseOfSource : proseOfDocument)(path, text)]
    })
}
