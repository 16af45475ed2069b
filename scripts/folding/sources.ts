/** Reads the migration files: comments on the objects that they create, and text that is copied as it is. */

interface Statement {
  comment: string
  text: string
}

export interface Sources {
  /** The comment at the beginning of the first file. */
  preamble(): string
  /** The comment of a table, of `table.column`, `table.constraint` or an index; empty if there is none. */
  commentOf(object: string): string
  functionText(name: string): string
  triggerText(table: string, name: string): string
  viewText(name: string): string
  /** Undefined if a column creates the sequence. */
  sequenceText(name: string): string | undefined
  /** The statements that insert rows into a new database. */
  seedsOf(table: string): string[]
  /** Comments that belong to none of the requested objects. */
  unused(): string[]
}

export function readSources(files: readonly string[]): Sources {
  const comments = new Map<string, string>()
  const texts = new Map<string, string>()
  const seeds = new Map<string, string[]>()
  const loose: string[] = []
  let preamble = ''
  const note = (object: string, comment: string): void => {
    if (comment === '') return
    const before = comments.get(object)
    comments.set(object, before === undefined || before === comment ? comment : `${before}\n${comment}`)
  }
  for (const [at, file] of files.entries()) {
    for (const block of splitFile(file)) {
      if (block.text === '') {
        if (at === 0 && preamble === '' && texts.size === 0) preamble = block.comment
        else if (block.comment !== '') loose.push(block.comment)
      } else if (!readMade(block, { note, comments, texts, seeds }) && block.comment !== '') {
        loose.push(`${block.comment}\n${block.text.slice(0, 160)}`)
      }
    }
  }
  const asked = new Set<string>()
  const textOf = (object: string): string => {
    asked.add(object)
    const text = texts.get(object)
    if (text === undefined) throw new Error(`no migration makes ${object} in its own statement`)
    const comment = comments.get(object)
    return comment === undefined ? text : `${comment}\n${text}`
  }
  return {
    preamble: () => preamble,
    commentOf(object) {
      asked.add(object)
      return comments.get(object) ?? ''
    },
    functionText: (name) => textOf(`function ${name}`),
    triggerText: (table, name) => textOf(`trigger ${table}.${name}`),
    viewText: (name) => textOf(`view ${name}`),
    sequenceText: (name) => (texts.has(`sequence ${name}`) ? textOf(`sequence ${name}`) : undefined),
    seedsOf: (table) => seeds.get(table) ?? [],
    unused: () => [
      ...loose,
      ...[...comments].filter(([object]) => !asked.has(object)).map(([object, comment]) => `${comment}\n(${object})`),
    ],
  }
}

interface Found {
  note(object: string, comment: string): void
  comments: Map<string, string>
  texts: Map<string, string>
  seeds: Map<string, string[]>
}

/** True if the statement creates something that is kept. */
function readMade({ comment, text }: Statement, { note, comments, texts, seeds }: Found): boolean {
  const keep = (object: string): boolean => {
    // A later definition has its own reasons.
    if (comment !== '') comments.set(object, comment)
    texts.set(object, text.replace(/^create or replace/, 'create'))
    return true
  }
  const table = /^create (?:unlogged )?table (\w+) \(/.exec(text)
  if (table !== null) {
    note(table[1]!, comment)
    for (const item of itemsOf(text.slice(table[0].length, text.lastIndexOf(')')))) {
      note(`${table[1]}.${nameOf(table[1]!, item.text)}`, item.comment)
    }
    return true
  }
  const altered = /^alter table (\w+)\s/.exec(text)
  if (altered !== null) return readAltered(altered[1]!, { comment, text: text.slice(altered[0].length) }, note)
  const index = /^create (?:unique )?index (\w+)\s/.exec(text)
  if (index !== null) {
    note(index[1]!, comment)
    return true
  }
  const trigger = /^create (?:or replace )?(?:constraint )?trigger (\w+)\s.*?\son (\w+)\s/s.exec(text)
  if (trigger !== null) return keep(`trigger ${trigger[2]}.${trigger[1]}`)
  const procedure = /^create (?:or replace )?function (\w+)\s*\(/.exec(text)
  if (procedure !== null) return keep(`function ${procedure[1]}`)
  const renamed = /^alter function (\w+)\(.*?\) rename to (\w+)/.exec(text)
  if (renamed !== null) {
    const [, from, to] = renamed as unknown as [string, string, string]
    texts.set(`function ${to}`, texts.get(`function ${from}`)!.replaceAll(`function ${from}(`, `function ${to}(`))
    // PostgreSQL parses a body that is not a string at creation, so it keeps calling a renamed function.
    for (const [object, body] of texts)
      if (!body.includes('$$')) texts.set(object, body.replaceAll(`${from}(`, `${to}(`))
    comments.set(`function ${to}`, comment)
    return true
  }
  const sequence = /^create sequence (\w+)/.exec(text)
  if (sequence !== null) return keep(`sequence ${sequence[1]}`)
  const view = /^create view (\w+)\s/.exec(text)
  if (view !== null) return keep(`view ${view[1]}`)
  // A function whose text depends on the server.
  const dynamic = /^do .*create (?:or replace )?function (\w+)\(/s.exec(text)
  if (dynamic !== null) return keep(`function ${dynamic[1]}`)
  const seed = /^insert into (\w+)\s.*?(?:values|select generate_series)/s.exec(text)
  if (seed === null || / from /.test(text)) return false
  seeds.set(seed[1]!, [...(seeds.get(seed[1]!) ?? []), comment === '' ? text : `${comment}\n${text}`])
  return true
}

function readAltered(table: string, { comment, text }: Statement, note: Found['note']): boolean {
  let own = comment
  let isMade = false
  for (const item of itemsOf(text)) {
    const added = /^add (?:column )?(.*)$/s.exec(item.text)
    if (added === null) {
      if (item.comment !== '') note(`${table}: ${item.text.slice(0, 60)}`, item.comment)
      continue
    }
    note(`${table}.${nameOf(table, added[1]!)}`, [own, item.comment].filter(Boolean).join('\n'))
    own = ''
    isMade = true
  }
  return isMade
}

/** The name that PostgreSQL gives to the column or constraint on a line of a table. */
function nameOf(table: string, item: string): string {
  const columns = /^(primary key|foreign key|unique) \(([^)]*)\)/.exec(item)
  if (columns?.[1] === 'primary key') return `${table}_pkey`
  if (columns !== null) {
    return [table, ...columns[2]!.split(', '), columns[1] === 'unique' ? 'key' : 'fkey'].join('_')
  }
  return /^(?:constraint )?(\w+)/.exec(item)![1]!
}

/** Yields the statements of a file, each with the comment directly above it, and the comments between blank lines. */
function* splitFile(file: string): Generator<Statement> {
  for (const { comment, text } of split(file, ';')) {
    const blocks = comment.split('\n\n').map(withoutCompatibility)
    for (const block of blocks.slice(0, -1)) if (block !== '') yield { comment: block, text: '' }
    const last = blocks.at(-1)!
    if (last !== '' || text !== '') yield { comment: last, text: text === '' ? '' : `${text};` }
  }
}

/** Drops remarks about the previous program, which do not matter in a baseline. */
const withoutCompatibility = (block: string): string =>
  block
    .replace(/(^|\n)-- compatible with the program before\b.*$/s, '')
    .replace(/(\n--)+$/, '')
    .trim()

const itemsOf = (text: string): Statement[] =>
  [...split(text, ',')].map(({ comment, text: item }) => ({
    comment: comment.replaceAll('\n\n', '\n').trim(),
    text: item,
  }))

/** Splits at a mark outside parentheses, literals and comments; yields a comment before an item with that item. */
function* split(source: string, mark: string): Generator<Statement> {
  const token = /--[^\n]*|\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'|"[^"]*"|\n[ \t]*\n\s*|\s+|[(),;]|[^\s(),;'"$-]+|./gs
  let [comment, text, depth] = ['', '', 0]
  for (const [part] of source.matchAll(token)) {
    if (part === mark && depth === 0) {
      yield { comment: comment.trim(), text: text.trim() }
      ;[comment, text] = ['', '']
      continue
    }
    if (part === '(') depth++
    if (part === ')') depth--
    const isBefore = text.trim() === ''
    if (isBefore && part.startsWith('--')) comment += `${part}\n`
    else if (isBefore && /^\s/.test(part)) comment += (part.match(/\n/g) ?? []).length > 1 ? '\n' : ''
    else text += part
  }
  if (comment.trim() !== '' || text.trim() !== '') yield { comment: comment.trim(), text: text.trim() }
}
