import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { SERVER } from '../audit/audit.store.js'
import type { Queryable } from '../database/database.js'
import { describeBrowser } from '../lib/user-agent.js'
import { recordEvent } from './events.store.js'

/**
 * The kinds of notices that a person gets by mail, each with a text of its own (news/mails/mail-text.ts).
 */
export const PERSON_NOTICES = [
  'sign-in',
  'password-set',
  'provider-linked',
  'factor-added',
  'factor-removed',
  'factors-reset',
  'token-made',
] as const
export type PersonNotice = (typeof PERSON_NOTICES)[number]

/**
 * Tells a person by mail what has happened to the account, in the transaction in which it happens. `caller` and
 * `headers` are those of the request; they are left out where it is not the person's own, as when an operator
 * resets the factors. Without a mail server nothing is stored.
 */
export async function notifyPerson(
  tx: Queryable,
  notice: {
    kind: PersonNotice
    personId: string
    at: Date
    caller?: { readonly ip: string }
    headers?: IncomingHttpHeaders
  },
): Promise<void> {
  const { kind, personId, at, caller, headers } = notice
  await recordEvent(tx, {
    organizationId: SERVER,
    type: 'person.notice',
    at,
    data: { personId, ...toNotice({ kind, caller, headers }) },
  })
}

/** The kind of a notice, and from where and with which browser what it tells of was done. */
export const toNotice = ({
  kind,
  caller,
  headers,
}: {
  kind: PersonNotice | 'password-link'
  caller: { readonly ip: string } | undefined
  headers: IncomingHttpHeaders | undefined
}): Record<string, string> => ({
  kind,
  ...(caller === undefined ? {} : { address: isIP(caller.ip) === 0 ? 'an unknown address' : caller.ip }),
  ...(headers === undefined ? {} : { browser: describeBrowser(headers['user-agent']) }),
})
