import type { InboxKind } from '../interface/inbox.js'
import type { InboxReader, MailedEntry } from './inbox-mails.store.js'
import { givenName } from './mail-text.js'
import { oneLine } from './smtp.js'

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

/** The subject for one and for several. */
const SUBJECTS: Record<InboxKind, readonly [one: string, many: (count: number) => string]> = {
  returned: ['Your post came back', (count) => `${count} of your posts came back`],
  approved: ['Your post was approved', (count) => `${count} of your posts were approved`],
  failed: ['Your post was not published', (count) => `${count} of your posts were not published`],
  published: ['Your post was published', (count) => `${count} of your posts were published`],
  mentioned: ['You were mentioned in a discussion', (count) => `You were mentioned ${count} times in discussions`],
  replied: ['There is a new message about a post', (count) => `There are ${count} new messages about posts`],
}

/** The sentence of a piece of news; what follows a colon is quoted below it. */
const SENTENCES: Record<InboxKind, (post: string, by: string) => string> = {
  returned: (post, by) => `${post} was returned by ${by}, for this reason:`,
  approved: (post, by) => `${post} was approved by ${by}. It is published at its time.`,
  failed: (post) => `${post} was not published on every channel, for this reason:`,
  published: (post) => `${post} was published.`,
  mentioned: (post, by) => `${by} mentioned you in the discussion of ${post}:`,
  replied: (post, by) => `${by} wrote in the discussion of ${post}:`,
}

/**
 * Writes a mail about news in plain text. An address that nothing has proven may be another person's: it gets the sentences
 * and the links, and nothing that people wrote.
 */
export function inboxMailText({ reader, entries, organizationId, publicUrl }: Content): {
  subject: string
  text: string
} {
  const at = `${publicUrl}/o/${encodeURIComponent(organizationId)}`
  const told = entries.slice(0, TOLD_MAX)
  const paragraphs = told.flatMap((entry) => [
    ...paragraphsOf(entry, reader.is_proven),
    `${at}/posts/${encodeURIComponent(entry.scheduled_post_id)}`,
  ])
  const more = entries.length - told.length
  const hello = reader.name === '' ? 'Hello,' : `Hello ${givenName(reader.name)},`
  return {
    subject: `${subjectOf(entries)} (${givenName(reader.organization_name)})`,
    text: `${[
      hello,
      ...paragraphs,
      ...(more === 0 ? [] : [`There is more news in your inbox: ${more}.`]),
      `All news is in your inbox: ${at}/inbox`,
      'You get this mail because you wrote these posts or were named in their discussions. In the settings of the console, under You, you choose the news that is mailed to you.',
    ].join('\n\n')}\n`,
  }
}

function subjectOf(entries: readonly MailedEntry[]): string {
  const [{ kind }] = entries as [MailedEntry]
  if (entries.some((entry) => entry.kind !== kind)) return `News about your posts: ${entries.length}`
  const [one, many] = SUBJECTS[kind]
  return entries.length === 1 ? one : many(entries.length)
}

function paragraphsOf(entry: MailedEntry, isProven: boolean): string[] {
  const { kind, detail, text } = entry
  const name = isProven && text !== '' ? `"${shortened(text, NAMED_CHARS_MAX).replaceAll('"', "'")}"` : ''
  const isOwn = kind !== 'mentioned' && kind !== 'replied'
  const post = [isOwn ? 'Your post' : 'the post', ...(name === '' ? [] : [name])].join(' ')
  const sentence = capitalized(SENTENCES[kind](post, actorOf(entry, isProven)))
  const reasons = [...new Set(detail?.failures?.map(({ reason }) => reason))].join('\n')
  const quoted = isProven ? quote(detail?.notes ?? detail?.text ?? reasons) : ''
  if (quoted !== '') return [sentence, quoted]
  return [sentence.replace(/(, for this reason)?:$/, '. The reason is in the console.')]
}

function actorOf({ actor, actor_name: name, detail }: MailedEntry, isProven: boolean): string {
  const given = isProven ? (detail?.outsider ?? name ?? '') : ''
  if (given !== '') return givenName(given)
  if (actor.startsWith('key:')) return 'a program'
  return actor.startsWith('operator') ? 'the operator of the server' : 'another person'
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
