import { isIP } from 'node:net'
import { namesOfBrowser } from '../lib/user-agent.js'
import { type MailText, toMailText } from './mail-text.js'
import type { PersonMailItem } from './mails.store.js'
import type { Reader } from './reader.js'
import { oneLine } from './smtp.js'
import type { PersonMailKind } from './wording.js'

interface Content {
  kind: PersonMailKind
  reader: Reader
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

/** Writes a mail to a person. Only a password-link holds a link that lets in. */
export function personMailText({ kind, reader, name, count, items, quietUntil, publicUrl, path }: Content): MailText {
  const { words, amount, time } = reader
  const { subject, happened, todo } = words.notices[kind]
  const left = count - items.length
  const lines = items.toReversed().map((item) => `  ${lineOf(item, reader)}`)
  if (left > 0) lines.push(`  ${words.before(amount(left))}`)
  return toMailText(reader, oneLine(name), subject(amount(count)), [
    happened,
    lines.join('\n'),
    todo,
    ...(path === undefined ? [] : [`${publicUrl}${path}`]),
    ...(quietUntil === null ? [] : [words.gathered(time(quietUntil))]),
    words.server(publicUrl),
  ])
}

function lineOf({ at, address, browser, name, endsAt }: PersonMailItem, { words, instant }: Reader): string {
  if (name !== undefined && endsAt !== undefined) return words.tokenEnds(name, instant(new Date(endsAt)))
  return [
    instant(new Date(at)),
    ...(address === undefined ? [] : [words.from(isIP(address) === 0 ? words.unknownAddress : address)]),
    ...(browser === undefined ? [] : [words.browser(...namesOfBrowser(browser))]),
  ].join(', ')
}
