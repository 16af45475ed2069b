import {
  type ByAndAt,
  findActorsBehind,
  findApprovalGrant,
  findFourEyes,
  findReviewersChange,
  findTokenGrant,
} from '../access/approval.store.js'
import { listIdsOfPerson } from '../access/people/people.store.js'
import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import { type Actor, type Principal, textOfActor } from '../http/principal.js'
import { findWriters } from './history.store.js'

/** A right that the writer of a post has given, or a rule that they have ended, does not help the post for so long. */
const HOUR_MS = 3_600_000

/**
 * Throws own_post where the organization asks for four eyes and the one who approves wrote the post or was the last to
 * change it. The holder of a link approves for the person who made it, so that no one sends a link to themselves. Only where
 * the link was sent do they approve for themselves: its maker has never seen it (decision 67).
 *
 * Throws approval_too_new where the writer has arranged the approval within the hour: they switched four eyes off, or gave
 * the right to approve to themselves or, under four eyes, to the one who approves, or changed the reviewers.
 * All is read in the transaction that approves.
 */
export async function checkFourEyes(
  tx: Queryable,
  { organizationId, actor, link }: Principal,
  scheduledPostId: string,
  now: Date,
): Promise<void> {
  const writers: ReadonlySet<string> = await findWriters(tx, organizationId, scheduledPostId)
  if (link?.isSent) {
    const named = await findReviewersChange(tx, organizationId)
    if (await isDoing(tx, named, writers, now)) throw tooNew(named)
    return
  }
  const approver: Actor = link === undefined ? actor : { type: 'user', id: link.madeBy }
  const selves = await textsOf(tx, approver)
  const isWriter = selves.some((self) => writers.has(self))
  const { fourEyes, ended } = await findFourEyes(tx, organizationId)
  if (fourEyes && isWriter) throw new ApiError('own_post')
  const isOffByWriter = !fourEyes && (await isDoing(tx, ended, writers, now))
  if (isOffByWriter && isWriter) throw tooNew(ended)
  const grant = await findGrant(tx, organizationId, approver)
  const isOwnGrant = isWriter && (await isDoing(tx, grant, new Set(selves), now))
  const counts = isOwnGrant || fourEyes || isOffByWriter
  if (counts && (await isDoing(tx, grant, writers, now))) throw tooNew(grant)
}

/** The approver as histories name them: one who was merged from several accounts wrote with each of them. */
export async function textsOf(tx: Queryable, approver: Actor): Promise<string[]> {
  if (approver.type !== 'user') return [textOfActor(approver)]
  return (await listIdsOfPerson(tx, approver.id)).map((id) => textOfActor({ type: 'user', id }))
}

async function findGrant(tx: Queryable, organizationId: string, approver: Actor): Promise<ByAndAt> {
  const found =
    approver.type === 'user'
      ? await findApprovalGrant(tx, organizationId, approver.id)
      : approver.type === 'operator' && approver.id !== undefined
        ? await findTokenGrant(tx, approver.id)
        : undefined
  return found ?? { by: null, at: null }
}

/** Tells whether it was done within the hour by one of these, or with an operator token that one of them has issued. */
async function isDoing(tx: Queryable, { by, at }: ByAndAt, actors: ReadonlySet<string>, now: Date): Promise<boolean> {
  if (by === null || at === null || now.getTime() - at.getTime() >= HOUR_MS) return false
  return (await findActorsBehind(tx, by)).some((actor) => actors.has(actor))
}

const tooNew = ({ at }: ByAndAt): ApiError =>
  new ApiError('approval_too_new', {
    message: `Who wrote the post has given this right to approve, named this reviewer, or switched four eyes off, less than an hour ago: another person must approve it, or wait until ${new Date(at!.getTime() + HOUR_MS).toISOString()}.`,
  })
