import Joi from 'joi'
import { type AuditTarget, recordAudit, SERVER } from '../../audit/audit.store.js'
import type { Queryable } from '../../database/database.js'
import { ApiError } from '../../errors.js'
import { named, namedObject } from '../../http/named.js'
import type { Actor } from '../../http/principal.js'
import type { EndedGrants, GrantedKey, Grants, RemoveMemberQuery } from '../../interface/generated/types.js'
import { revokeKeyRow } from '../keys/keys.store.js'
import { revokeOperatorTokenRow } from '../tokens/operator-tokens.store.js'
import {
  countGrants,
  deleteEntryLinksOf,
  deleteInvitationsOf,
  endReviewLinksOf,
  type GrantedKeyRow,
  listKeysIssuedBy,
  listLiveTokens,
  listTokensIssuedBy,
  type Maker,
} from './grants.store.js'
import { findPerson, type PersonRow } from './people.store.js'

// A person who loses a right also loses what they made with it; otherwise they could use it to get back in.

const count = Joi.number().integer().required()

export const grantsBody = namedObject('Grants', {
  invitations: count.description("Open invitations that the person made, and those for the person's email address."),
  reviewLinks: count,
  signInLinks: count.description('Sign-in links and owner links; 0 for a member of an organization.'),
  operatorTokens: Joi.array()
    .items(named('GrantedOperatorToken', Joi.object({ name: Joi.string().required() })))
    .required()
    .description('Live operator tokens; empty for a member of an organization.'),
  keys: Joi.array()
    .items(
      namedObject('GrantedKey', {
        id: Joi.string().required(),
        organizationId: Joi.string().required(),
        name: Joi.string().required().allow(''),
        createdAt: Joi.string().isoDate().required(),
        lastUsedAt: Joi.string().isoDate().description('To the minute. Absent if the key was never used.'),
      }),
    )
    .required()
    .description('Live keys that the person issued. They keep working unless `revokeKeys` names them.'),
})

const names = Joi.array().items(Joi.string()).required()

export const endedGrantsBody = namedObject('EndedGrants', {
  invitations: count,
  reviewLinks: count,
  signInLinks: count,
  operatorTokens: names.description('Names of operator tokens.'),
  keys: names.description('Ids of keys.'),
})

/** The query of a removal or a deletion. */
export const revokeKeysQuery = Joi.object({
  revokeKeys: Joi.string()
    .allow('')
    .description('Live keys that the person issued and that this call also revokes: comma-separated ids, or `all`.'),
})

export const readRevokeKeys = ({ revokeKeys = '' }: RemoveMemberQuery): string[] | 'all' =>
  revokeKeys === 'all' ? 'all' : revokeKeys.split(',').filter((id) => id !== '')

export const leftBody = namedObject('RemovedMember', {
  id: Joi.string().required(),
  ended: endedGrantsBody.required(),
})

/** Lists what would end if the person left the organization, or the server if `organizationId` is null. */
export async function readGrants(
  database: Queryable,
  person: PersonRow,
  organizationId: string | null,
  now: Date,
): Promise<Grants> {
  const { person_id: personId, mail } = person
  const tokens = organizationId === null ? await listTokensIssuedBy(database, personId) : []
  const maker = { personId, tokens, organizationId }
  // An owner needs no membership to act in an organization.
  const stays = organizationId !== null && person.owner && person.active
  const counts = await countGrants(database, maker, { mail, stays, now })
  return {
    invitations: counts.invitations,
    reviewLinks: counts.review_links,
    signInLinks: counts.sign_in_links,
    operatorTokens: (await listLiveTokens(database, tokens, now)).map((name) => ({ name })),
    keys: (await listKeysIssuedBy(database, maker, now)).map(toGrantedKey),
  }
}

const toGrantedKey = (row: GrantedKeyRow): GrantedKey => ({
  id: row.key_id,
  organizationId: row.organization_id,
  name: row.name,
  createdAt: row.created_at.toISOString(),
  ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at.toISOString() }),
})

export interface Ending {
  /** The actor that changed the person's rights. */
  actor: Actor
  at: Date
  /** Null for a change on the whole server. */
  organizationId: string | null
  /** True if the person leaves: invitations and links for them end too. */
  leaves: boolean
  revokeKeys?: readonly string[] | 'all'
}

/**
 * Ends what the person made and may no longer make, and revokes the named keys. Runs in the transaction that changed
 * the person's rights, and writes each step to the audit trail. Throws key_not_found for a key that is not one of the
 * person's live keys.
 */
export async function endLostGrants(tx: Queryable, personId: string, ending: Ending): Promise<EndedGrants> {
  const { at, organizationId, leaves, revokeKeys = [] } = ending
  const person = await findPerson(tx, personId)
  if (person === undefined) throw new ApiError('account_not_found')
  const isOwner = person.owner && person.active
  const isOfServer = organizationId === null
  // Revoked first, so that whatever a token is creating at this moment is found below.
  const operatorTokens = isOfServer && !isOwner ? await revokeTokens(tx, personId, ending) : []
  const issued = isOfServer ? await listTokensIssuedBy(tx, personId) : []
  const maker: Maker = { personId, tokens: isOwner ? [] : issued, organizationId }
  const keys = await chooseKeys(tx, { ...maker, tokens: issued }, revokeKeys, at)
  const links = await endReviewLinksOf(tx, maker, at)
  const invitations = await deleteInvitationsOf(tx, maker, { mail: leaves ? person.mail : null, now: at })
  const signInLinks = isOfServer ? await deleteEntryLinksOf(tx, maker, { stays: isOwner, own: leaves, now: at }) : 0
  for (const key of keys) {
    await revokeKeyRow(tx, key.organization_id, key.key_id, at)
    await note(tx, ending, key.organization_id, 'revokeKey', { type: 'key', id: key.key_id })
  }
  const openInvitations = invitations.filter(({ open }) => open)
  for (const { organization_id, invitation_id: id } of openInvitations) {
    await note(tx, ending, organization_id, 'revokeInvitation', { type: 'invitation', id })
  }
  for (const { organization_id, link_id: id, name } of links) {
    await note(tx, ending, organization_id, 'revokeReviewLink', { type: 'reviewLink', id }, { name })
  }
  return {
    invitations: openInvitations.length,
    reviewLinks: links.length,
    signInLinks,
    operatorTokens,
    keys: keys.map(({ key_id }) => key_id),
  }
}

/** Revokes the operator tokens that the person issued, and those issued with them, until none is live. */
async function revokeTokens(tx: Queryable, personId: string, ending: Ending): Promise<string[]> {
  const revoked: string[] = []
  for (;;) {
    const live = await listLiveTokens(tx, await listTokensIssuedBy(tx, personId), ending.at)
    if (live.length === 0) return revoked.toSorted()
    for (const name of live) {
      await revokeOperatorTokenRow(tx, name, ending.at)
      await note(tx, ending, SERVER, 'revokeOperatorToken', { type: 'operatorToken', id: name })
      revoked.push(name)
    }
  }
}

async function chooseKeys(
  tx: Queryable,
  maker: Maker,
  wanted: readonly string[] | 'all',
  now: Date,
): Promise<GrantedKeyRow[]> {
  if (wanted.length === 0) return []
  const live = await listKeysIssuedBy(tx, maker, now)
  if (wanted === 'all') return live
  if (wanted.some((id) => !live.some(({ key_id }) => key_id === id))) throw new ApiError('key_not_found')
  return live.filter(({ key_id }) => wanted.includes(key_id))
}

const note = (
  tx: Queryable,
  { actor, at }: Ending,
  organizationId: string,
  operation: string,
  target: { type: AuditTarget; id: string },
  changes?: Record<string, unknown>,
): Promise<void> =>
  recordAudit(tx, { principal: { organizationId, actor }, at, operation, target, ...(changes && { changes }) })
