import { ApiError } from '../../errors.js'
import { readCsvRecords, readLines } from '../../http/read-lines.js'
import { isRejectReason, type Numbered } from '../../interface/csv-records.js'
import type { TextLines } from '../../interface/text-lines.js'
import { toRecord } from '../../lib/json.js'
import { toShellWord } from '../../lib/shell-word.js'
import { REQUIRED_FIELDS } from '../fields.js'
import { findWrongColumns, fromCell, isField, quote } from './conversation-line.js'

/** Our names of columns by the file's names. */
export type ColumnMap = Readonly<Record<string, string>>
const LEFT_OUT = ''
/** Columns of our own exports that are not fields of a conversation. */
const OF_FILE: ColumnMap = { currency: LEFT_OUT, rank: LEFT_OUT }

/** Yields the values of newline-delimited JSON, one per line; blank lines are skipped. */
export async function* readJsonLines(
  chunks: AsyncIterable<Uint8Array>,
  text: TextLines,
): AsyncGenerator<Numbered<unknown>> {
  for await (const line of readLines(chunks, text)) {
    if ('reason' in line) {
      yield line
    } else if (line.value.trim() !== '' && !isRejectReason(line.value)) {
      // Concatenated files have several byte order marks, which count as blanks.
      yield parseJson(line.line, line.value.trim())
    }
  }
}

/** Yields the records of newline-delimited JSON. `map` as for a CSV. */
export async function* readNdjson(
  chunks: AsyncIterable<Uint8Array>,
  text: TextLines,
  map: ColumnMap = {},
): AsyncGenerator<Numbered<unknown>> {
  const names = { ...OF_FILE, ...map }
  for await (const record of readJsonLines(chunks, text)) yield withOurNames(record, names)
}

function parseJson(line: number, text: string): Numbered<unknown> {
  try {
    return { line, value: JSON.parse(text) }
  } catch {
    return { line, reason: `${quote(text)} is not valid JSON: write one whole object per line` }
  }
}

function withOurNames(record: Numbered<unknown>, map: ColumnMap): Numbered<unknown> {
  const theirs = 'reason' in record ? undefined : toRecord(record.value)
  if (theirs === undefined || !Object.keys(theirs).some((name) => Object.hasOwn(map, name))) return record
  const entries = Object.entries(theirs)
    .map(([name, value]) => [Object.hasOwn(map, name) ? map[name]! : name, value] as const)
    .filter(([name]) => name !== LEFT_OUT)
  const value = Object.fromEntries(entries)
  const repeated = entries.find(([name, own]) => value[name] !== own)
  if (repeated === undefined) return { line: record.line, value }
  return { line: record.line, reason: `${quote(repeated[0])} appears twice` }
}

/**
 * Yields the records of a CSV whose first line names the fields. `map` has our names by the file's; the name '' omits the
 * column. Throws body_malformed if that line is missing or wrong, so that nothing is imported from the wrong file.
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  text: TextLines,
  marksVips: boolean,
  map: ColumnMap = {},
): AsyncGenerator<Numbered<unknown>> {
  let columns: string[] | undefined
  let places: [name: string, place: number][] = []
  for await (const record of readCsvRecords(chunks, text)) {
    if (columns === undefined) {
      if ('reason' in record) throw wrongHeader(record.reason)
      const theirs = record.value
      const named = new Set(theirs)
      const lacking = Object.keys(map).find((name) => !named.has(name))
      if (lacking !== undefined)
        throw wrongHeader(`the mapping names a column ${quote(lacking)}, which the file does not have`)
      const ours: ColumnMap = { ...OF_FILE, ...map }
      columns = theirs.map((name) => (Object.hasOwn(ours, name) ? ours[name]! : name))
      places = [...columns.entries()].filter(([, name]) => name !== LEFT_OUT).map(([place, name]) => [name, place])
      const wrong = findWrongColumns(
        places.map(([name]) => name),
        marksVips,
      )
      if (wrong !== undefined) {
        throw wrongHeader(wrong, looksLikeData(theirs) ? NAMES_FIRST : exampleOfMap(theirs, columns))
      }
    } else if ('reason' in record) {
      yield record
    } else {
      const { line, lastLine, value: cells } = record
      const value = Object.fromEntries(places.map(([name, place]) => [name, fromCell(name, cells[place]!)]))
      yield lastLine === undefined ? { line, value } : { line, lastLine, value }
    }
  }
  if (columns === undefined) throw wrongHeader('the file is empty')
}

const NAMES_FIRST = ` The first line looks like a row of data: put the names of the columns above it, such as ${REQUIRED_FIELDS.map(({ name }) => name).join(',')}.`
/** A number, a date or an id such as c-1; or a string with an email address, a URL or two consecutive digits. */
const DATUM = /^(?:[a-z]{0,4}[-_.:#]?[\d\s.,:/+-]*\d)$|@|:\/\/|\d\d/i

/** A --map for a row of data would take it for the names, and lose it. */
function looksLikeData(cells: readonly string[]): boolean {
  const data = cells.filter((cell) => cell.trim() === '' || DATUM.test(cell.trim()))
  return !cells.some(isField) && data.length * 2 >= cells.length
}

const SHOWN_MAX = 4
const SHOWN_CHARS_MAX = 60

/** Shows how to map the columns of this file, if they have other names; '' if there are none. */
function exampleOfMap(theirs: readonly string[], columns: readonly string[]): string {
  const others = theirs.filter((_name, place) => columns[place] !== LEFT_OUT && !isField(columns[place]!))
  if (others.length === 0 || others.some((name) => name.length > SHOWN_CHARS_MAX)) return ''
  const lacking = REQUIRED_FIELDS.map(({ name }) => name).filter((name) => !columns.includes(name))
  const shown = others.slice(0, SHOWN_MAX)
  const maps = shown.map((name, index) => [name, lacking[index] ?? LEFT_OUT] as const)
  const options = maps.map(([name, ours]) => `--map ${toShellWord(`${name}=${ours}`)}`).join(' ')
  const body = JSON.stringify(Object.fromEntries(maps))
  return ` The file has the columns ${theirs
    .slice(0, SHOWN_MAX * 2)
    .map(quote)
    .join(', ')}. Say which field each of them is, or leave it out, such as: ${options} (over HTTP: columns=${body}).`
}

function wrongHeader(reason: string, example = ''): ApiError {
  return new ApiError('body_malformed', {
    message: `The CSV cannot be read: its first line must name the fields, separated by commas, semicolons or tabs. Nothing was imported: ${reason}.${example}`,
  })
}
