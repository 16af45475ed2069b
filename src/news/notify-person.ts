import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { SERVER } from '../audit/audit.store.js'
import type { Queryable } from '../database/database.js'
import { describeBrowser } from '../lib/user-agent.js'
import { recordEvent } from './events.store.js'

/** The kinds of notices that a person gets by email, each with its own text (news/mails/mail-text.ts). */
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
 * Notifies a person by email of a change to their account, in the transaction of the change. `caller` and `headers`
 * are those of the request; they are left out if the request is not the person's own, for example if an operator
 * resets the factors. Nothing is stored without a mail server.
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

/** Returns the data of a notice: its kind, and the address and browser that the action came from. */
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
