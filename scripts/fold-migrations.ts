/**
 * `npm run fold` folds all migrations into one, `0001_baseline.sql`, which makes the same schema. Until the first release
 * nobody has a database to keep, so new migrations are folded each time. From then on a released migration never changes.
 *
 * The statements come from the database that the migrations make. Their files provide the comments, and the text of
 * functions, triggers and seed rows. Nothing is written unless the folded file makes the same database.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Database } from '../src/database/database.js'
import { knownMigrations, MIGRATIONS, migrate } from '../src/database/migrate.js'
import { openPglite } from '../src/database/pglite/pglite.js'
import { type Column, type Constraint, readSchema, type Schema, type TableOfSchema } from './folding/schema.js'
import { readSources, type Sources } from './folding/sources.js'

const NAME = '0001_baseline.sql'

const PREAMBLE = `-- The whole schema. \`npm run fold\` writes this file; its comments are edited here, and a fold keeps them.
--
-- organization_id leads the primary key of every tenant table and stands in every query, so that no query can cross
-- tenants and the schema can be sharded by tenant. organizations and api_keys are the directory in which a tenant is
-- found from a key, before there is a tenant.`

export async function foldMigrations(directory: string): Promise<{ folded: string[]; lost: string[] }> {
  const names = knownMigrations(directory)
  const sources = readSources(names.map((name) => readFileSync(join(directory, name), 'utf8')))
  const before = await schemaOf((database) => migrate(database, directory))
  const text = writeBaseline(before, sources)
  const after = await schemaOf((database) => database.transaction((tx) => tx.execute(text)))
  requireSame(before, after)
  for (const name of names) rmSync(join(directory, name))
  writeFileSync(join(directory, NAME), text)
  return { folded: names, lost: sources.unused() }
}

async function schemaOf(make: (database: Database) => Promise<unknown>): Promise<Schema> {
  const database = await openPglite()
  try {
    await make(database)
    return await readSchema(database)
  } finally {
    await database.close()
  }
}

function requireSame(before: Schema, after: Schema): void {
  const [one, other] = [before, after].map((schema) => {
    // The order in which functions were created does not matter.
    const functions = schema.functions.toSorted((a, b) => a.name.localeCompare(b.name))
    return JSON.stringify({ ...schema, functions }, null, 1).split('\n')
  }) as [string[], string[]]
  const line = one.findIndex((text, index) => text !== other[index])
  if (line === -1 && one.length === other.length) return
  const [was, is] = [one, other].map((lines) => lines.slice(Math.max(0, line - 8), line + 4).join('\n'))
  throw new Error(`The folded file makes another schema.\nThe migrations:\n${was}\nThe folded file:\n${is}`)
}

function writeBaseline(schema: Schema, sources: Sources): string {
  const written = new Set<string>()
  const parts = [
    sources.preamble() || PREAMBLE,
    ...schema.sequences.flatMap(({ name }) => sources.sequenceText(name) ?? []),
  ]
  const functions = (names: readonly string[]): string[] =>
    names.flatMap((name) => {
      if (written.has(name)) return []
      written.add(name)
      return [sources.functionText(name)]
    })
  const ofOneTable = new Map<string, Set<string>>()
  for (const { name, triggers } of schema.tables) {
    for (const { procedure } of triggers) ofOneTable.set(procedure, (ofOneTable.get(procedure) ?? new Set()).add(name))
  }
  const shared = schema.functions.map(({ name }) => name).filter((name) => ofOneTable.get(name)?.size !== 1)
  // PostgreSQL resolves the tables of an SQL function when it is created, and those of a PL/pgSQL function when it runs.
  const readsTables = (name: string): boolean => {
    const { definition } = schema.functions.find((one) => one.name === name)!
    return /^ LANGUAGE sql$/m.test(definition) && schema.tables.some((table) => definition.includes(` ${table.name} `))
  }
  parts.push(...functions(shared.filter((name) => !readsTables(name))))
  const made = new Set<string>()
  let waiting: { table: string; constraint: Constraint }[] = []
  for (const table of schema.tables) {
    made.add(table.name)
    const later = table.constraints.filter(({ references }) => references !== null && !made.has(references))
    parts.push(writeTable(table, sources, later))
    parts.push(...functions(table.triggers.map(({ procedure }) => procedure)))
    parts.push(table.triggers.map(({ name }) => sources.triggerText(table.name, name)).join('\n'))
    parts.push(...sources.seedsOf(table.name))
    waiting.push(...later.map((constraint) => ({ table: table.name, constraint })))
    for (const { table: name, constraint } of waiting.filter(({ constraint: { references } }) =>
      made.has(references!),
    )) {
      parts.push(`alter table ${name}\n  add ${constraintText(name, constraint)};`)
    }
    waiting = waiting.filter(({ constraint }) => !made.has(constraint.references!))
  }
  parts.push(...functions(shared))
  parts.push(...schema.views.map(({ name }) => sources.viewText(name)))
  return `${parts.join('\n\n').replaceAll(/\n{3,}/g, '\n\n')}\n`
}

/**
 * Writes a table with its indexes in their original order: if two indexes are equally good, the planner takes the newer
 * one.
 */
function writeTable(table: TableOfSchema, sources: Sources, later: readonly Constraint[]): string {
  const { name, columns, indexes } = table
  const constraints = table.constraints.filter((constraint) => !later.includes(constraint))
  const firstIndex = indexes.findIndex(({ constraint }) => constraint === null)
  const isLate = ({ name: own }: Constraint): boolean => {
    const at = indexes.findIndex(({ constraint }) => constraint === own)
    return firstIndex !== -1 && at > firstIndex
  }
  const late = constraints.filter(isLate)
  const inTable = constraints.filter((constraint) => !late.includes(constraint))
  const inline = new Map(columns.map((column) => [column, inTable.filter((c) => isInline(table, column, c))]))
  const width = Math.max(...columns.map((column) => column.name.length))
  const items: { comment: string; text: string }[] = []
  for (const column of columns) {
    const own = inline.get(column)!
    const isKey = own.some(({ type }) => type === 'p')
    const text = [columnText(column, width, isKey), ...own.map((constraint) => inlineText(constraint))].join(' ')
    const comments = [column, ...own].map((part) => sources.commentOf(`${name}.${part.name}`))
    items.push({ comment: comments.filter(Boolean).join('\n'), text: wrap(text, '    ') })
  }
  const placed = new Set([...inline.values()].flat())
  for (const constraint of inTable.filter((one) => !placed.has(one))) {
    items.push({
      comment: sources.commentOf(`${name}.${constraint.name}`),
      text: wrap(constraintText(name, constraint), '    '),
    })
  }
  const body = items.map(({ comment, text }, index) => {
    const lines = comment === '' ? [] : comment.split('\n').map((line) => `  ${line}\n`)
    return `${lines.join('')}  ${text}${index < items.length - 1 ? ',' : ''}`
  })
  const unlogged = table.unlogged ? 'unlogged ' : ''
  const options = table.options === null ? '' : ` with (${table.options.replaceAll('=', ' = ')})`
  const made = [
    `${heading(sources.commentOf(name))}create ${unlogged}table ${name} (\n${body.join('\n')}\n)${options};`,
  ]
  for (const index of indexes) {
    const constraint = late.find(({ name: own }) => own === index.constraint)
    if (constraint !== undefined) {
      made.push(
        `${heading(sources.commentOf(`${name}.${constraint.name}`))}alter table ${name} add ${constraintText(name, constraint)};`,
      )
    } else if (index.constraint === null) {
      made.push(`${heading(sources.commentOf(index.name))}${wrap(toSource(index.definition), '  ')};`)
    }
  }
  return made.join('\n')
}

const heading = (comment: string): string => (comment === '' ? '' : `${comment}\n`)

function columnText(column: Column, width: number, isKey: boolean): string {
  const { name, type, collation, notNull, expression, generated, identity } = column
  const words = [name.padEnd(width), type.replace('timestamp with time zone', 'timestamptz')]
  if (collation !== null) words.push(`collate "${collation}"`)
  if (identity) words.push('not null generated always as identity')
  else if (notNull && !isKey) words.push('not null')
  if (generated) words.push(`generated always as (${unwrapped(toSource(expression!))}) stored`)
  else if (expression !== null) words.push(`default ${toSource(expression)}`)
  return words.join(' ')
}

/** True for a constraint of one column with the name that PostgreSQL would choose. */
function isInline({ name: table, columns }: TableOfSchema, column: Column, constraint: Constraint): boolean {
  const suffix = { p: 'pkey', f: `${column.name}_fkey`, c: `${column.name}_check`, u: `${column.name}_key` }
  return (
    constraint.columns?.length === 1 &&
    constraint.columns[0] === column.name &&
    constraint.name === `${table}_${suffix[constraint.type]}` &&
    columns.length > 0
  )
}

function inlineText({ type, definition }: Constraint): string {
  const text = toSource(definition)
  if (type === 'p') return 'primary key'
  if (type === 'f') return text.replace(/^foreign key \(\w+\) /, '').replace(/(references \w+)\(\w+\)/, '$1')
  return type === 'u' ? 'unique' : text
}

function constraintText(table: string, { type, name, columns, definition }: Constraint): string {
  const given = {
    p: `${table}_pkey`,
    f: `${table}_${columns?.join('_')}_fkey`,
    c: '',
    u: `${table}_${columns?.join('_')}_key`,
  }
  const text = toSource(definition).replace(/(references \w+)\(/, '$1 (')
  return name === given[type] ? text : `constraint ${name} ${text}`
}

/**
 * Turns an expression into what a person would write: PostgreSQL prints keywords in capitals, and the type of each
 * literal.
 */
function toSource(expression: string): string {
  const parts = expression.split(/('(?:[^']|'')*'|"[^"]*")/)
  const text = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replaceAll(/\b[A-Z][A-Z]+\b/g, (word) => word.toLowerCase()).replaceAll(/\s+/g, ' '),
  )
  return text
    .join('')
    .replaceAll(/('(?:[^']|'')*')::(?:text|jsonb?)(?:\[\])?/g, '$1')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(/= any \(array\[([^\]]*)\]\)/g, 'in ($1)')
    .replaceAll(/<> all \(array\[([^\]]*)\]\)/g, 'not in ($1)')
    .replace(/^check \(\((.*)\)\)$/, (whole, inner) => (isBalanced(inner) ? `check (${inner})` : whole))
    .replace(' using btree', '')
}

const unwrapped = (text: string): string => {
  const inner = /^\((.*)\)$/s.exec(text)?.[1]
  return inner !== undefined && isBalanced(inner) ? inner : text
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const char of text) {
    if (char === '(') depth++
    else if (char === ')' && --depth < 0) return false
  }
  return depth === 0
}

const WIDTH = 120

/** Breaks a long line before its clauses or between words, never inside a literal. */
function wrap(text: string, indent: string): string {
  if (text.length + indent.length <= WIDTH) return text
  const clauses = text.split(/ (?=(?:on \w+ \(|where |references |generated |check \())/)
  return clauses.map((clause) => wrapWords(clause, `${indent}  `)).join(`\n${indent}`)
}

function wrapWords(text: string, indent: string): string {
  const lines: string[] = []
  let line = ''
  // Column names stay aligned: a line never breaks at more than one space.
  for (const word of text.match(/(?:'(?:[^']|'')*'|"[^"]*"|[^\s'"]|\s{2,}(?=\S))+/g) ?? []) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length + indent.length > WIDTH && line !== '') {
      lines.push(line)
      line = `${indent}${word}`
    } else {
      line = longer
    }
  }
  return [...lines, line].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { folded, lost } = await foldMigrations(MIGRATIONS.directory)
  process.stdout.write(`Folded ${folded.length} migrations into migrations/${NAME}.\n`)
  if (lost.length > 0)
    process.stdout.write(`These comments belong to objects that no longer exist:\n\n${lost.join('\n\n')}\n`)
}
