import type { EndingKey } from '../access/reminders.store.js'
import type { Language } from '../interface/languages.js'
import { limit } from '../lib/limits.js'
import type { MailKind } from './mails.store.js'
import type { Reader } from './reader.js'
import { oneLine } from './smtp.js'

interface MailContent {
  kind: MailKind
  count: number
  reader: Reader
  /** Empty for an invitation, whose receiver has no name yet. */
  name: string
  organizationName: string
  organizationId: string
  /** The address of the server, without a slash at its end. */
  publicUrl: string
  /** The path of the link to accept an invitation, or to review posts. */
  path: string | undefined
  /** For key_expiring: all that end within 14 days. */
  endingKeys: readonly EndingKey[]
}

/** A mail in plain text, without its recipient. */
export interface MailText {
  language: Language
  subject: string
  text: string
}

/**
 * Shows a name that people have given in a mail that strangers may get: in one short line, without quotation marks of its
 * own and without characters that turn or hide text.
 */
export function givenName(text: string): string {
  const chars = [...withoutQuotes(oneLine(text.replaceAll(/\p{Cf}+/gu, '')))]
  const max = limit('mailNameChars')
  return chars.length > max ? `${chars.slice(0, max - 1).join('')}…` : chars.join('')
}

/** No text of a person ends a quotation in any of our languages. */
export const withoutQuotes = (text: string): string => text.replaceAll(/["“”„«»]/g, "'")

/** Joins the paragraphs of a mail under its salutation. */
export const toMailText = (
  { language, words }: Reader,
  name: string,
  subject: string,
  paragraphs: readonly string[],
): MailText => ({
  language,
  subject,
  text: `${[words.hello(name), ...paragraphs].join('\n\n')}\n`,
})

/** Writes a mail of an organization. */
export function mailText(content: MailContent): MailText {
  const { kind, count, reader, name, organizationId, publicUrl, path, endingKeys } = content
  const { words } = reader
  const organization = givenName(content.organizationName)
  const many = reader.amount(count)
  // The organization's pages in the console.
  const at = `${publicUrl}/o/${encodeURIComponent(organizationId)}`
  const write = (subject: string, ...paragraphs: string[]): MailText =>
    toMailText(reader, givenName(name), subject, paragraphs)
  switch (kind) {
    case 'invitation': {
      const { subject, text } = words.invitation
      return write(subject(organization), text(organization), `${publicUrl}${path}`, words.unexpected)
    }
    case 'review_link': {
      const { subject, text, keep } = words.reviewLink
      return write(subject(organization), text(organization), `${publicUrl}${path}`, `${keep} ${words.unexpected}`)
    }
    case 'approval': {
      const { subject, text } = words.approval
      return write(subject(many, organization), text(many), `${at}/approvals`, words.byRole)
    }
    case 'post_failed': {
      const { subject, text } = words.postFailed
      return write(subject(many, organization), text(many), `${at}/calendar?status=FAILED`, words.byRole)
    }
    case 'token_refused': {
      const { subject, text } = words.tokenRefused
      return write(subject(organization), text(many), `${at}/settings/channels`, words.byRole)
    }
    case 'key_expiring': {
      const { subject, text } = words.keyExpiring
      const keys = reader.amount(endingKeys.length)
      const ends = endingKeys.map((key) => toEndLine(key, reader)).join('\n')
      return write(subject(keys, organization), text(keys), ends, `${at}/settings/keys`, words.byRole)
    }
  }
}

const KEY_NAME_CHARS_MAX = 80

function toEndLine({ key_id: id, name, ends_at: endsAt }: EndingKey, { instant }: Reader): string {
  const shown = oneLine(name).slice(0, KEY_NAME_CHARS_MAX)
  return `  ${shown === '' ? id : `${shown} (${id})`}: ${instant(endsAt)}`
}
