import type { EndingKey } from '../access/reminders.store.js'
import { limit } from '../lib/limits.js'
import type { MailKind, Recipient } from './mails.store.js'
import { toInstant } from './person-mail-text.js'
import { oneLine } from './smtp.js'

interface MailContent {
  kind: MailKind
  count: number
  recipient: Recipient
  organizationId: string
  /** The address of the server, without a slash at its end. */
  publicUrl: string
  /** The path of the link to accept an invitation, or to review posts. */
  path: string | undefined
  /** For key_expiring: all that end within 14 days. */
  endingKeys: readonly EndingKey[]
}

const FOOTER =
  'You get this mail because of your role there. In the console you can switch such mails off for yourself.'

/**
 * Shows a name that people have given in a mail that strangers may get: in one short line, without quotation marks of its
 * own and without characters that turn or hide text.
 */
export function givenName(text: string): string {
  const chars = [...oneLine(text.replaceAll(/\p{Cf}+/gu, '')).replaceAll(/["“”„«»]/g, "'")]
  const max = limit('mailNameChars')
  return chars.length > max ? `${chars.slice(0, max - 1).join('')}…` : chars.join('')
}

/** Writes a mail in plain text. */
export function mailText({ kind, count, recipient, organizationId, publicUrl, path, endingKeys }: MailContent): {
  subject: string
  text: string
} {
  const organization = givenName(recipient.organization_name)
  const isOne = count === 1
  // The organization's pages in the console.
  const at = `${publicUrl}/o/${encodeURIComponent(organizationId)}`
  const write = (subject: string, ...paragraphs: string[]) => ({
    subject,
    text: `${[helloTo(recipient), ...paragraphs].join('\n\n')}\n`,
  })
  switch (kind) {
    case 'invitation':
      return write(
        `You are invited to an organization called "${organization}"`,
        `you are invited to work in Greenroom with an organization that calls itself "${organization}": the one who invites you has given it this name. This link lets you in; it works once, and for 7 days:`,
        `${publicUrl}${path}`,
        'If you did not expect this, you need not do anything.',
      )
    case 'review_link':
      return write(
        `${organization} asks for your approval`,
        `an organization that calls itself "${organization}" asks you to look at posts before they are published. This link opens them; you approve or return each of them, and need no account:`,
        `${publicUrl}${path}`,
        'Keep this mail to yourself: anyone who has the link can decide in your name. If you did not expect it, you need not do anything.',
      )
    case 'approval':
      return write(
        isOne ? `A post of ${organization} waits for approval` : `${count} posts of ${organization} wait for approval`,
        isOne ? 'a post was submitted for approval:' : `${count} posts were submitted for approval:`,
        `${at}/approvals`,
        FOOTER,
      )
    case 'post_failed':
      return write(
        isOne ? `A post of ${organization} was not published` : `${count} posts of ${organization} were not published`,
        `${isOne ? 'a post' : `${count} posts`} could not be published on every channel. The console says why, and lets you try again:`,
        `${at}/calendar?status=FAILED`,
        FOOTER,
      )
    case 'token_refused':
      return write(
        `${organization} must be connected to its platform again`,
        `the platform refuses the access token of ${isOne ? 'a channel or ad account' : `${count} channels or ad accounts`}: nothing is published or read there until you connect it again.`,
        `${at}/settings/channels`,
        FOOTER,
      )
    case 'key_expiring': {
      const [isOneKey, ends] = [endingKeys.length === 1, endingKeys.map(toEndLine).join('\n')]
      return write(
        isOneKey ? `A key of ${organization} ends soon` : `${endingKeys.length} keys of ${organization} end soon`,
        `${isOneKey ? 'this key ends' : 'these keys end'} within 14 days, and programs that call with ${isOneKey ? 'it' : 'them'} are refused from then on. Issue another one, move the programs, and revoke the old one:`,
        ends,
        `${at}/settings/keys`,
        FOOTER,
      )
    }
  }
}

const helloTo = ({ name }: Pick<Recipient, 'name'>): string => (name === '' ? 'Hello,' : `Hello ${givenName(name)},`)

const KEY_NAME_CHARS_MAX = 80

function toEndLine({ key_id: id, name, ends_at: endsAt }: EndingKey): string {
  const shown = oneLine(name).slice(0, KEY_NAME_CHARS_MAX)
  return `  ${shown === '' ? id : `${shown} (${id})`}: ${toInstant(endsAt)}`
}
