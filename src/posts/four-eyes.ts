import {
  type ByAndAt,
  findActorsBehind,
  findFourEyes,
  findReviewersChange,
  findTokenGrant,
  listApprovalGrants,
} from '../access/approval.store.js'
import { listIdsOfPerson } from '../access/people/people.store.js'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { type Actor, type Principal, textOfActor } from '../http/principal.js'
import { findWriters } from './history.store.js'
import { listChannelsOfPosts } from './post-channels.store.js'

/** For this long, a right that the post's writer granted or a rule that they ended does not help the post. */
const HOUR_MS = 3_600_000

/**
 * Throws own_post if the organization requires four eyes and the approver wrote the post or last changed it. The holder of
 * a link approves on behalf of the person who made it, so that sending oneself a link does not help. Only a link that was
 * sent by email lets them approve on their own behalf, because its maker has never seen it (docs/decisions/review-links.md).
 *
 * Throws approval_too_new if the writer arranged the approval within the hour: they switched four eyes off, granted
 * themselves the right to approve, granted it to the approver while four eyes applied, or changed the reviewers. Everything
 * is read in the transaction that approves.
 */
export async function checkFourEyes(
  tx: Queryable,
  principal: Principal,
  scheduledPostId: string,
  now: Date,
): Promise<void> {
  if (principal.link?.isSent) return await checkReviewers(tx, principal.organizationId, scheduledPostId, now)
  const [refusal] = await findRefusals(tx, principal, [scheduledPostId], now)
  if (refusal !== undefined) throw refusal
}

/** A link that was sent does not approve posts of a person who changed the list of reviewers within the hour. */
async function checkReviewers(
  tx: Queryable,
  organizationId: string,
  scheduledPostId: string,
  now: Date,
): Promise<void> {
  const writers: ReadonlySet<string> = (await findWriters(tx, organizationId, [scheduledPostId])).get(scheduledPostId)!
  const named = await findReviewersChange(tx, organizationId)
  const namers = await listDoers(tx, organizationId, named, now)
  if (namers.some((namer) => writers.has(namer))) throw tooNew(named)
}

/** Returns for each post the error that checkFourEyes would throw, or undefined if the caller may approve it. */
export async function findRefusals(
  tx: Queryable,
  principal: Principal,
  scheduledPostIds: readonly string[],
  now: Date,
): Promise<(ApiError | undefined)[]> {
  const { organizationId } = principal
  const writers = await findWriters(tx, organizationId, scheduledPostIds)
  const rules = await readRules(tx, principal, now)
  // Channels matter only for people with roles by channel.
  const channels =
    rules.byChannel.size > 0 ? await listChannelsOfPosts(tx, organizationId, scheduledPostIds) : undefined
  return scheduledPostIds.map((id) => refusalOf(rules, writers.get(id)!, channels?.get(id) ?? []))
}

/** Everything that counts besides the writers of a post. */
interface Rules {
  fourEyes: boolean
  /** The approver, with all of their accounts. */
  selves: readonly string[]
  /** When four eyes ended, and who ended them within the hour. */
  ended: ByAndAt
  enders: readonly string[]
  /** The approver's right in the organization and, by channel id, the rights that replace it. */
  grant: Grant
  byChannel: ReadonlyMap<string, Grant>
}

/** A right to approve, with the people who granted it within the last hour. */
interface Grant {
  given: ByAndAt
  givers: readonly string[]
}

async function readRules(tx: Queryable, { organizationId, actor, link }: Principal, now: Date): Promise<Rules> {
  const approver: Actor = link === undefined ? actor : { type: 'user', id: link.madeBy }
  const selves = await textsOf(tx, approver)
  const { fourEyes, ended } = await findFourEyes(tx, organizationId)
  const enders = fourEyes ? [] : await listDoers(tx, organizationId, ended, now)
  const grants = new Map<string | null, Grant>([[null, { given: { by: null, at: null }, givers: [] }]])
  // Most rights were granted together.
  const known = new Map<string, Grant>()
  for (const { channel_id, ...given } of await listGrants(tx, organizationId, approver)) {
    const text = `${given.by} ${given.at?.getTime()}`
    const grant = known.get(text) ?? { given, givers: await listDoers(tx, organizationId, given, now) }
    known.set(text, grant)
    grants.set(channel_id, grant)
  }
  const byChannel = new Map([...grants].flatMap(([id, grant]) => (id === null ? [] : [[id, grant] as const])))
  return { fourEyes, selves, ended, enders, grant: grants.get(null)!, byChannel }
}

function refusalOf(
  { fourEyes, selves, ended, enders, grant: ofOrganization, byChannel }: Rules,
  writers: ReadonlySet<string>,
  channelIds: readonly string[],
) {
  const isWriter = selves.some((self) => writers.has(self))
  if (fourEyes && isWriter) return new ApiError('own_post')
  const isOffByWriter = enders.some((ender) => writers.has(ender))
  if (isOffByWriter && isWriter) return tooNew(ended)
  // A post without channels is approved by the right in the organization.
  const grants = new Set(
    channelIds.length === 0 ? [ofOrganization] : channelIds.map((id) => byChannel.get(id) ?? ofOrganization),
  )
  const tooSoon = [...grants].find(({ givers }) => {
    const isOwnGrant = isWriter && givers.some((giver) => selves.includes(giver))
    const counts = isOwnGrant || fourEyes || isOffByWriter
    return counts && givers.some((giver) => writers.has(giver))
  })
  return tooSoon && tooNew(tooSoon.given)
}

/** Returns the approver as histories name them: a person whose accounts were merged wrote with each of them. */
export async function textsOf(tx: Queryable, approver: Actor): Promise<string[]> {
  if (approver.type !== 'user') return [textOfActor(approver)]
  return (await listIdsOfPerson(tx, approver.id)).map((id) => textOfActor({ type: 'user', id }))
}

/** Lists the grants of the approver's rights; those by channel have a channel id. */
async function listGrants(
  tx: Queryable,
  organizationId: string,
  approver: Actor,
): Promise<(ByAndAt & { channel_id: string | null })[]> {
  if (approver.type === 'user') return await listApprovalGrants(tx, organizationId, approver.id)
  if (approver.type !== 'operator' || approver.id === undefined) return []
  const given = await findTokenGrant(tx, approver.id)
  return given === undefined ? [] : [{ ...given, channel_id: null }]
}

/** Returns who did it and who issued their operator token or key; nobody if it was more than an hour ago. */
async function listDoers(tx: Queryable, organizationId: string, { by, at }: ByAndAt, now: Date): Promise<string[]> {
  if (by === null || at === null || now.getTime() - at.getTime() >= HOUR_MS) return []
  return await findActorsBehind(tx, organizationId, by)
}

const tooNew = ({ at }: ByAndAt): ApiError =>
  new ApiError('approval_too_new', {
    message: `A writer of the post granted this right to approve, named this reviewer, or switched four eyes off less than an hour ago: let another person approve it, or wait until ${new Date(at!.getTime() + HOUR_MS).toISOString()}.`,
  })
