import type { InboxKind } from '../../interface/inbox.js'
import { type Amount, oneOrMore, type PersonMailKind, plural } from './wording.js'

// The texts of all mails. The other languages have the same in words.pt.ts, words.es.ts and words.de.ts. Names and times
// come as they are to be shown.

export interface NoticeWords {
  subject: (many: Amount) => string
  /** Says what has happened, before the list of when and from where. */
  happened: string
  /** Says what to do. */
  todo: string
}

export interface NewsWords {
  /** A whole subject for this kind alone. */
  subject: (many: Amount) => string
  /** Says what has happened: `post` is the quoted beginning of its text, or empty. */
  said: (post: string, by: string) => string
  /** Comes between that and what is quoted; absent if nothing ever is. */
  quoted?: string
  /** Comes in place of both. */
  unquoted?: string
}

const IF_NOT_YOU =
  'If this was not you: sign in, sign out everywhere and change your password (both are on the page of your account), and tell the administrator of the server.'

const named = (post: string): string => (post === '' ? '' : ` ${post}`)

const NOTICES: Record<PersonMailKind, NoticeWords> = {
  'sign-in': {
    subject: oneOrMore('A new sign-in to your account', '{n} new sign-ins to your account'),
    happened: 'Your account was signed in to with a browser or from a network that was not seen before:',
    todo: IF_NOT_YOU,
  },
  'password-set': {
    subject: oneOrMore('Your password was set', 'Your password was set {n} times'),
    happened: 'The password of your account was set:',
    todo: 'If this was not you: tell the administrator of the server at once, who ends your sessions and gives you a link to sign in; then set another password.',
  },
  'provider-linked': {
    subject: oneOrMore(
      'Your account was linked to the identity provider',
      'Your account was linked to the identity provider {n} times',
    ),
    happened: 'Your account was linked to the identity provider, which lets you sign in from now on:',
    todo: IF_NOT_YOU,
  },
  'factor-added': {
    subject: oneOrMore('A second factor was added to your account', '{n} second factors were added to your account'),
    happened: 'A second factor for signing in was added to your account:',
    todo: IF_NOT_YOU,
  },
  'factor-removed': {
    subject: oneOrMore(
      'A second factor was removed from your account',
      '{n} second factors were removed from your account',
    ),
    happened: 'A second factor for signing in was removed from your account:',
    todo: IF_NOT_YOU,
  },
  'factors-reset': {
    subject: oneOrMore(
      'The second factors of your account were reset',
      'The second factors of your account were reset {n} times',
    ),
    happened: 'All second factors of your account were removed by the administration of the server:',
    todo: 'If you did not ask for this: tell the administrator of the server at once. Otherwise set them up again on the page of your account.',
  },
  'token-made': {
    subject: oneOrMore('A program was let into your account', '{n} programs were let into your account'),
    happened: 'A personal token was made, with which a program calls for you:',
    todo: IF_NOT_YOU,
  },
  'password-link': {
    subject: () => 'Set a new password',
    happened: 'With the mail address of your account a link was asked for, because the password is forgotten:',
    todo: 'If this was you: this link lets you in once, within 30 minutes, and there you set a new password. If this was not you, you need not do anything: your password stays as it is.',
  },
  'operator-token-expiring': {
    subject: oneOrMore('An operator token ends soon', '{n} operator tokens end soon'),
    happened: 'From its end on an operator token is refused:',
    todo: 'Issue another one, move what uses it, and revoke this one: `greenroom operator-tokens issue`, or the settings of the server in the console.',
  },
}

const NEWS: Record<InboxKind, NewsWords> = {
  returned: {
    subject: oneOrMore('Your post came back', '{n} of your posts came back'),
    said: (post, by) => `Your post${named(post)} was returned by ${by}`,
    quoted: ', for this reason:',
    unquoted: '. The reason is in the console.',
  },
  approved: {
    subject: oneOrMore('Your post was approved', '{n} of your posts were approved'),
    said: (post, by) => `Your post${named(post)} was approved by ${by}. It is published at its time.`,
  },
  failed: {
    subject: oneOrMore('Your post was not published', '{n} of your posts were not published'),
    said: (post) => `Your post${named(post)} was not published on every channel`,
    quoted: ', for this reason:',
    unquoted: '. The reason is in the console.',
  },
  published: {
    subject: oneOrMore('Your post was published', '{n} of your posts were published'),
    said: (post) => `Your post${named(post)} was published.`,
  },
  mentioned: {
    subject: oneOrMore('You were mentioned in a discussion', 'You were mentioned {n} times in discussions'),
    said: (post, by) => `${by} mentioned you in the discussion of the post${named(post)}`,
    quoted: ':',
    unquoted: '. The message is in the console.',
  },
  replied: {
    subject: oneOrMore('There is a new message about a post', 'There are {n} new messages about posts'),
    said: (post, by) => `${by} wrote in the discussion of the post${named(post)}`,
    quoted: ':',
    unquoted: '. The message is in the console.',
  },
}

export const words = {
  hello: (name: string): string => (name === '' ? 'Hello,' : `Hello ${name},`),
  quote: (text: string): string => `"${text}"`,
  unexpected: 'If you did not expect this, you need not do anything.',
  byRole: 'You get this mail because of your role there. In the console you can switch such mails off for yourself.',
  invitation: {
    subject: (organization: string): string => `You are invited to an organization called "${organization}"`,
    text: (organization: string): string =>
      `You are invited to work in Greenroom with an organization that calls itself "${organization}": the one who invites you has given it this name. This link lets you in; it works once, and for 7 days:`,
  },
  reviewLink: {
    subject: (organization: string): string => `${organization} asks for your approval`,
    text: (organization: string): string =>
      `An organization that calls itself "${organization}" asks you to look at posts before they are published. This link opens them; you approve or return each of them, and need no account:`,
    keep: 'Keep this mail to yourself: anyone who has the link can decide in your name.',
  },
  approval: {
    subject: (many: Amount, organization: string): string =>
      plural(
        many,
        `A post of ${organization} waits for approval`,
        `${many.text} posts of ${organization} wait for approval`,
      ),
    text: oneOrMore('A post was submitted for approval:', '{n} posts were submitted for approval:'),
  },
  postFailed: {
    subject: (many: Amount, organization: string): string =>
      plural(
        many,
        `A post of ${organization} was not published`,
        `${many.text} posts of ${organization} were not published`,
      ),
    text: (many: Amount): string =>
      `${plural(many, 'A post', `${many.text} posts`)} could not be published on every channel. The console says why, and lets you try again:`,
  },
  tokenRefused: {
    subject: (organization: string): string => `${organization} must be connected to its platform again`,
    text: (many: Amount): string =>
      `The platform refuses the access token of ${plural(many, 'a channel or ad account', `${many.text} channels or ad accounts`)}: nothing is published or read there until you connect it again.`,
  },
  keyExpiring: {
    subject: (many: Amount, organization: string): string =>
      plural(many, `A key of ${organization} ends soon`, `${many.text} keys of ${organization} end soon`),
    text: oneOrMore(
      'This key ends within 14 days, and programs that call with it are refused from then on. Issue another one, move the programs, and revoke the old one:',
      'These keys end within 14 days, and programs that call with them are refused from then on. Issue other ones, move the programs, and revoke the old ones:',
    ),
  },
  notices: NOTICES,
  from: (address: string): string => `from ${address}`,
  unknownAddress: 'an unknown address',
  browser: (browser: string | undefined, system: string | undefined): string =>
    `with ${browser ?? 'an unknown browser'}${system === undefined ? '' : ` on ${system}`}`,
  tokenEnds: (token: string, time: string): string => `${token}, which ends on ${time}`,
  before: (many: Amount): string => `and ${many.text} before these`,
  gathered: (time: string): string =>
    `There were several of these mails. What follows comes in one, not before ${time}.`,
  server: (url: string): string => `The server is at ${url}`,
  news: NEWS,
  newsOf: (subject: string, organization: string): string => `${subject} (${organization})`,
  severalNews: (many: Amount): string => `News about your posts: ${many.text}`,
  moreNews: (many: Amount): string => `There is more news in your inbox: ${many.text}.`,
  allNews: (url: string): string => `All news is in your inbox: ${url}`,
  whyNews:
    'You get this mail because you wrote these posts or were named in their discussions. In the settings of the console, under You, you choose the news that is mailed to you.',
  someone: 'another person',
  program: 'a program',
  operator: 'the operator of the server',
}

export type MailWords = typeof words
