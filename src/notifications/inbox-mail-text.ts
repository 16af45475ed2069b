import { givenName, type MailText, toMailText, withoutQuotes } from './mail-text.js'
import type { InboxReader, MailedEntry } from './mails.store.js'
import { type Reader, toReader } from './reader.js'
import { oneLine } from './smtp.js'
import type { MailWords } from './words.js'

interface Content {
  reader: InboxReader
  /** The oldest first; at least one. */
  entries: readonly MailedEntry[]
  organizationId: string
  /** The address of the server, without a slash at its end. */
  publicUrl: string
}

/** One mail tells so many pieces of news; the rest is in the inbox. */
const TOLD_MAX = 20
const QUOTED_CHARS_MAX = 2_000
const NAMED_CHARS_MAX = 60

/**
 * Writes a mail about news. An address that nothing has proven may be another person's: it gets the sentences and the links,
 * and nothing that people wrote.
 */
export function inboxMailText({ reader: row, entries, organizationId, publicUrl }: Content): MailText {
  const reader = toReader(row)
  const { words, amount } = reader
  const at = `${publicUrl}/o/${encodeURIComponent(organizationId)}`
  const told = entries.slice(0, TOLD_MAX)
  const paragraphs = told.flatMap((entry) => [
    ...paragraphsOf(entry, row.is_proven, words),
    `${at}/posts/${encodeURIComponent(entry.scheduled_post_id)}`,
  ])
  const more = entries.length - told.length
  const subject = words.newsOf(subjectOf(entries, reader), givenName(row.organization_name))
  return toMailText(reader, givenName(row.name), subject, [
    ...paragraphs,
    ...(more === 0 ? [] : [words.moreNews(amount(more))]),
    words.allNews(`${at}/inbox`),
    words.whyNews,
  ])
}

function subjectOf(entries: readonly MailedEntry[], { words, amount }: Reader): string {
  const [{ kind }] = entries as [MailedEntry]
  const many = amount(entries.length)
  return entries.some((entry) => entry.kind !== kind) ? words.severalNews(many) : words.news[kind].subject(many)
}

function paragraphsOf(entry: MailedEntry, isProven: boolean, words: MailWords): string[] {
  const { detail, text } = entry
  const { said, quoted = '', unquoted = '' } = words.news[entry.kind]
  const post = isProven && text !== '' ? words.quote(withoutQuotes(shortened(text, NAMED_CHARS_MAX))) : ''
  const sentence = capitalized(said(post, actorOf(entry, isProven, words)))
  const reasons = [...new Set(detail?.failures?.map(({ reason }) => reason))].join('\n')
  const written = isProven ? quote(detail?.notes ?? detail?.text ?? reasons) : ''
  return written === '' ? [sentence + unquoted] : [sentence + quoted, written]
}

function actorOf({ actor, actor_name: name, detail }: MailedEntry, isProven: boolean, words: MailWords): string {
  const given = isProven ? (detail?.outsider ?? name ?? '') : ''
  if (given !== '') return givenName(given)
  if (actor.startsWith('key:') || actor === 'publisher') return words.program
  return actor.startsWith('operator') ? words.operator : words.someone
}

const capitalized = (sentence: string): string => sentence[0]!.toUpperCase() + sentence.slice(1)

/** Indented, so that no line of it looks like the mail's own. */
const quote = (text: string): string =>
  shortened(text, QUOTED_CHARS_MAX, '\n')
    .split('\n')
    .map((line) => `  > ${line}`.trimEnd())
    .join('\n')
    .replace(/^ {2}>$/, '')

/** Each line without characters that turn or hide text, and all of it no longer than that. */
function shortened(text: string, max: number, between = ' '): string {
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => oneLine(line.replaceAll(/\p{Cf}+/gu, '')))
  const chars = [...(between === '\n' ? lines : lines.filter((line) => line !== '')).join(between).trim()]
  return chars.length > max ? `${chars.slice(0, max - 1).join('')}…` : chars.join('')
}
