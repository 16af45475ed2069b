import { isIP } from 'node:net'
import type { MailWords } from '../../interface/generated/words/types.js'
import type { Language } from '../../interface/languages.js'
import { limit } from '../../lib/limits.js'
import { namesOfBrowser } from '../../lib/user-agent.js'
import type { EndingKey } from '../reminders.store.js'
import type { InboxReader, MailedEntry, MailKind, PersonMailItem, PersonMailKind } from './mails.store.js'
import { type Reader, toReader } from './reader.js'
import { oneLine } from './smtp.js'

interface MailContent {
  kind: MailKind
  count: number
  reader: Reader
  /** Empty for an invitation, because the recipient has no name yet. */
  name: string
  organizationName: string
  organizationId: string
  /** The base URL of the server, without a trailing slash. */
  publicUrl: string
  /** The path of the link to accept an invitation, or to review posts. */
  path: string | undefined
  /** All keys that expire within 14 days, for the kind key_expiring. */
  endingKeys: readonly EndingKey[]
}

/** An email in plain text, without its recipient. */
export interface MailText {
  language: Language
  subject: string
  text: string
}

/**
 * Shows a user-chosen name in an email that strangers may get: on one short line, without quotation marks and without
 * characters that reverse or hide text.
 */
function givenName(text: string): string {
  const chars = [...withoutQuotes(oneLine(text.replaceAll(/\p{Cf}+/gu, '')))]
  const max = limit('mailNameChars')
  return chars.length > max ? `${chars.slice(0, max - 1).join('')}…` : chars.join('')
}

/** Replaces quotation marks, so that no user-written text ends a quotation in any of our languages. */
const withoutQuotes = (text: string): string => text.replaceAll(/["“”„«»]/g, "'")

/** Joins the salutation and the paragraphs of an email. */
const toMailText = (
  { language, words }: Reader,
  name: string,
  subject: string,
  paragraphs: readonly string[],
): MailText => ({
  language,
  subject,
  text: `${[words.hello({ name: name || undefined }), ...paragraphs].join('\n\n')}\n`,
})

/** Writes an email about an organization. */
export function mailText(content: MailContent): MailText {
  const { kind, count: many, reader, name, organizationId, publicUrl, path, endingKeys } = content
  const { words } = reader
  const organization = givenName(content.organizationName)
  // The organization's pages in the console.
  const at = `${publicUrl}/o/${encodeURIComponent(organizationId)}`
  const write = (subject: string, ...paragraphs: string[]): MailText =>
    toMailText(reader, givenName(name), subject, paragraphs)
  switch (kind) {
    case 'invitation': {
      const { subject, text } = words.invitation
      return write(subject({ organization }), text({ organization }), `${publicUrl}${path}`, words.unexpected)
    }
    case 'review_link': {
      const { subject, text, keep } = words.reviewLink
      return write(
        subject({ organization }),
        text({ organization }),
        `${publicUrl}${path}`,
        `${keep} ${words.unexpected}`,
      )
    }
    case 'approval': {
      const { subject, text } = words.approval
      return write(subject({ many, organization }), text({ many }), `${at}/approvals`, words.byRole)
    }
    case 'post_failed': {
      const { subject, text } = words.postFailed
      return write(subject({ many, organization }), text({ many }), `${at}/calendar?status=FAILED`, words.byRole)
    }
    case 'token_refused': {
      const { subject, text } = words.tokenRefused
      return write(subject({ organization }), text({ many }), `${at}/settings/channels`, words.byRole)
    }
    case 'key_expiring': {
      const { subject, text } = words.keyExpiring
      const keys = endingKeys.length
      const ends = endingKeys.map((key) => toEndLine(key, reader)).join('\n')
      return write(
        subject({ many: keys, organization }),
        text({ many: keys }),
        ends,
        `${at}/settings/keys`,
        words.byRole,
      )
    }
  }
}

const KEY_NAME_CHARS_MAX = 80

function toEndLine({ key_id: id, name, ends_at: endsAt }: EndingKey, { instant }: Reader): string {
  const shown = oneLine(name).slice(0, KEY_NAME_CHARS_MAX)
  return `  ${shown === '' ? id : `${shown} (${id})`}: ${instant(endsAt)}`
}

interface NewsContent {
  reader: InboxReader
  /** Oldest first; at least one. */
  entries: readonly MailedEntry[]
  organizationId: string
  /** The base URL of the server, without a trailing slash. */
  publicUrl: string
}

/** The most entries that one email lists; the rest are in the inbox. */
const LISTED_MAX = 20
const QUOTED_CHARS_MAX = 2_000
const NAMED_CHARS_MAX = 60

/**
 * Writes an email about inbox entries. An unproven address may belong to someone else, so it gets only the fixed
 * sentences and the links, and nothing that people wrote.
 */
export function inboxMailText({ reader: row, entries, organizationId, publicUrl }: NewsContent): MailText {
  const reader = toReader(row)
  const { words } = reader
  const at = `${publicUrl}/o/${encodeURIComponent(organizationId)}`
  const listed = entries.slice(0, LISTED_MAX)
  const paragraphs = listed.flatMap((entry) => [
    ...paragraphsOf(entry, row.is_proven, words),
    `${at}/posts/${encodeURIComponent(entry.scheduled_post_id)}`,
  ])
  const more = entries.length - listed.length
  const subject = words.newsOf({ subject: subjectOf(entries, words), organization: givenName(row.organization_name) })
  return toMailText(reader, givenName(row.name), subject, [
    ...paragraphs,
    ...(more === 0 ? [] : [words.moreNews({ many: more })]),
    words.allNews({ url: `${at}/inbox` }),
    words.whyNews,
  ])
}

function subjectOf(entries: readonly MailedEntry[], words: MailWords): string {
  const [{ kind }] = entries as [MailedEntry]
  const many = entries.length
  return entries.some((entry) => entry.kind !== kind) ? words.severalNews({ many }) : words.news[kind].subject({ many })
}

function paragraphsOf(entry: MailedEntry, isProven: boolean, words: MailWords): string[] {
  const { detail, text } = entry
  const news = words.news[entry.kind]
  const { quoted, unquoted } = 'quoted' in news ? news : { quoted: '', unquoted: '' }
  const post =
    isProven && text !== '' ? words.quote({ text: withoutQuotes(shortened(text, NAMED_CHARS_MAX)) }) : undefined
  const sentence = capitalized(news.said({ post, by: actorOf(entry, isProven, words) }))
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

/** Indents a quotation, so that none of its lines looks like the email's own text. */
const quote = (text: string): string =>
  shortened(text, QUOTED_CHARS_MAX, '\n')
    .split('\n')
    .map((line) => `  > ${line}`.trimEnd())
    .join('\n')
    .replace(/^ {2}>$/, '')

/** Removes characters that reverse or hide text from each line and limits the length. */
function shortened(text: string, max: number, between = ' '): string {
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => oneLine(line.replaceAll(/\p{Cf}+/gu, '')))
  const chars = [...(between === '\n' ? lines : lines.filter((line) => line !== '')).join(between).trim()]
  return chars.length > max ? `${chars.slice(0, max - 1).join('')}…` : chars.join('')
}

interface NoticeContent {
  kind: PersonMailKind
  reader: Reader
  name: string
  /** The number of occurrences; `items` has the latest of them. */
  count: number
  items: readonly PersonMailItem[]
  /** Set if the next email of this kind is not sent before. */
  quietUntil: Date | null
  /** The base URL of the server, without a trailing slash. */
  publicUrl: string
  /** The path of the link, only for a password-link. */
  path?: string | undefined
}

/** Writes an email to a person about their account. Only a password-link contains a link that signs in. */
export function personMailText(content: NoticeContent): MailText {
  const { kind, reader, name, count, items, quietUntil, publicUrl, path } = content
  const { words, time } = reader
  const { subject, happened, todo } = words.notices[kind]
  const left = count - items.length
  const lines = items.toReversed().map((item) => `  ${lineOf(item, reader)}`)
  if (left > 0) lines.push(`  ${words.before({ many: left })}`)
  return toMailText(reader, oneLine(name), typeof subject === 'string' ? subject : subject({ many: count }), [
    happened,
    lines.join('\n'),
    todo,
    ...(path === undefined ? [] : [`${publicUrl}${path}`]),
    ...(quietUntil === null ? [] : [words.gathered({ time: time(quietUntil) })]),
    words.server({ url: publicUrl }),
  ])
}

function lineOf({ at, address, browser, name, endsAt }: PersonMailItem, { words, instant }: Reader): string {
  if (name !== undefined && endsAt !== undefined) {
    return words.tokenEnds({ token: name, time: instant(new Date(endsAt)) })
  }
  const [browserName, system] = browser === undefined ? [] : namesOfBrowser(browser)
  return [
    instant(new Date(at)),
    ...(address === undefined ? [] : [words.from({ address: isIP(address) === 0 ? words.unknownAddress : address })]),
    ...(browser === undefined ? [] : [words.browser({ browser: browserName, system })]),
  ].join(', ')
}
