import type { PersonNotice } from '../access/people/notify-person.js'
import type { PersonMailItem } from './person-mails.store.js'
import { oneLine } from './smtp.js'

export type PersonMailKind = PersonNotice | 'operator-token-expiring' | 'password-link'

interface Content {
  kind: PersonMailKind
  name: string
  /** How many there are to tell of; `items` holds the latest of them. */
  count: number
  items: readonly PersonMailItem[]
  /** Set where the next mail of the kind does not come before. */
  quietUntil: Date | null
  /** The address of the server, without a slash at its end. */
  publicUrl: string
  /** The path of the link of a password-link; no other kind has one. */
  path?: string | undefined
}

const IF_NOT_YOU =
  'If this was not you: sign in, sign out everywhere and change your password (both are on the page of your account), and tell the administrator of the server.'
const IF_LOCKED_OUT =
  'If this was not you: tell the administrator of the server at once, who ends your sessions and gives you a link to sign in; then set another password.'

/** The subject for one, the subject for several, what has happened, and what to do. */
const NOTICES: Record<
  PersonMailKind,
  readonly [one: string, many: (count: number) => string, what: string, todo: string]
> = {
  'sign-in': [
    'A new sign-in to your account',
    (count) => `${count} new sign-ins to your account`,
    'your account was signed in to with a browser or from a network that was not seen before:',
    IF_NOT_YOU,
  ],
  'password-set': [
    'Your password was set',
    (count) => `Your password was set ${count} times`,
    'the password of your account was set:',
    IF_LOCKED_OUT,
  ],
  'provider-linked': [
    'Your account was linked to the identity provider',
    (count) => `Your account was linked to the identity provider ${count} times`,
    'your account was linked to the identity provider, which lets you sign in from now on:',
    IF_NOT_YOU,
  ],
  'factor-added': [
    'A second factor was added to your account',
    (count) => `${count} second factors were added to your account`,
    'a second factor for signing in was added to your account:',
    IF_NOT_YOU,
  ],
  'factor-removed': [
    'A second factor was removed from your account',
    (count) => `${count} second factors were removed from your account`,
    'a second factor for signing in was removed from your account:',
    IF_NOT_YOU,
  ],
  'factors-reset': [
    'The second factors of your account were reset',
    (count) => `The second factors of your account were reset ${count} times`,
    'all second factors of your account were removed by the administration of the server:',
    'If you did not ask for this: tell the administrator of the server at once. Else set them up again on the page of your account.',
  ],
  'password-link': [
    'Set a new password',
    () => 'Set a new password',
    'with the mail address of your account a link was asked for, because the password is forgotten:',
    'If this was you: this link lets you in once, within 30 minutes, and there you set a new password. If this was not you, you need not do anything: your password stays as it is.',
  ],
  'operator-token-expiring': [
    'An operator token ends soon',
    (count) => `${count} operator tokens end soon`,
    'from its end on an operator token is refused:',
    'Issue another one, move what uses it, and revoke this one: `greenroom operator-tokens issue`, or the settings of the server in the console.',
  ],
}

/** Writes a mail to a person in plain text. Only a password-link holds a link that lets in. */
export function personMailText({ kind, name, count, items, quietUntil, publicUrl, path }: Content): {
  subject: string
  text: string
} {
  const [one, many, what, todo] = NOTICES[kind]
  const left = count - items.length
  const lines = items.toReversed().map((item) => `  ${lineOf(item)}`)
  if (left > 0) lines.push(`  and ${left} before these`)
  const paragraphs = [
    name === '' ? 'Hello,' : `Hello ${oneLine(name)},`,
    what,
    lines.join('\n'),
    todo,
    ...(path === undefined ? [] : [`${publicUrl}${path}`]),
    ...(quietUntil === null
      ? []
      : [`There were several of these mails. What follows comes in one, not before ${toTime(quietUntil)} UTC.`]),
    `The server is at ${publicUrl}`,
  ]
  return { subject: count === 1 ? one : many(count), text: `${paragraphs.join('\n\n')}\n` }
}

function lineOf({ at, address, browser, name, endsAt }: PersonMailItem): string {
  if (name !== undefined && endsAt !== undefined) return `${name}, which ends at ${toInstant(new Date(endsAt))}`
  return [
    toInstant(new Date(at)),
    ...(address === undefined ? [] : [`from ${address}`]),
    ...(browser === undefined ? [] : [`with ${browser}`]),
  ].join(', ')
}

const toTime = (at: Date): string => at.toISOString().slice(11, 16)
export const toInstant = (at: Date): string => `${at.toISOString().slice(0, 10)} ${toTime(at)} UTC`
