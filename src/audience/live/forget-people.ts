import type { Queryable } from '../../database/database.js'
import { newId } from '../../lib/ids.js'
import { deleteConversationsOfPerson, dropChangeLogs } from '../deletion.store.js'
import { findErasure, insertErasure } from '../erased-people.store.js'
import type { ExternalId } from '../facts.js'
import { findConversationsById } from './conversations.store.js'
import { eraseBodiesLater } from './erase-bodies.js'
import { deleteOfIds, findMeantIds } from './forget.store.js'
import { ANY_CHANNEL, insertForgotten } from './forgotten-ids.store.js'
import { listConversationIdsOf, listIdsOf } from './ids.store.js'

/** A person has a few conversations; an import may have given one cuid to many. */
const CONVERSATIONS_MAX = 10_000

/** A completed erasure; `ids` identify the people in kept deliveries. */
export interface Forgotten {
  erasureIds: string[]
  ids: ExternalId[]
}

/**
 * Erases the people with these ids: conversations, links, fields and purchases. Hashes of all their ids stay, including ids
 * that nobody has yet. The audience must be locked.
 */
export async function forgetPeople(
  tx: Queryable,
  organizationId: string,
  ids: readonly ExternalId[],
  now: Date,
): Promise<Forgotten> {
  const meant = await findMeantIds(tx, organizationId, ids)
  const own = ids.filter(({ kind }) => kind === 'userId').map(({ id }) => id)
  // Conversations from an import have no link.
  const users = ids.filter(({ kind }) => kind === ANY_CHANNEL).map(({ id }) => id)
  const talking = await findConversationsById(tx, organizationId, users)
  const cuids = [...new Set([...[...meant, ...talking].map(({ cuid }) => cuid), ...own])].sort()
  const erasureIds: string[] = []
  const all: ExternalId[] = [...ids]
  for (const cuid of cuids) {
    const forgotten = await forgetPerson(tx, organizationId, cuid, now)
    erasureIds.push(forgotten.erasureId)
    all.push(...forgotten.ids)
  }
  await deleteOfIds(tx, organizationId, ids)
  await eraseBodiesLater(tx, organizationId, { ids: ids.map(({ id }) => id) })
  await insertForgotten(tx, organizationId, ids, { erasureId: erasureIds[0] ?? newId('erasure'), at: now })
  return { erasureIds, ids: all }
}

/** Erases all ids of one person, and the first of their conversations. The audience must be locked. */
async function forgetPerson(
  tx: Queryable,
  organizationId: string,
  cuid: string,
  now: Date,
): Promise<{ erasureId: string; ids: ExternalId[] }> {
  const known = await findErasure(tx, organizationId, cuid)
  const erasureId = known ?? newId('erasure')
  if (known === undefined) await insertErasure(tx, organizationId, { cuid, erasureId, at: now })
  const ids = await forgetIdsOf(tx, organizationId, cuid, { erasureId, at: now })
  const { channelIds } = await deleteConversationsOfPerson(tx, organizationId, cuid, CONVERSATIONS_MAX)
  if (channelIds.length > 0) await dropChangeLogs(tx, organizationId, channelIds)
  return { erasureId, ids }
}

/** Deletes everything stored about a person except conversations, and keeps the hashes of their ids. */
export async function forgetIdsOf(
  tx: Queryable,
  organizationId: string,
  cuid: string,
  erasure: { erasureId: string; at: Date },
): Promise<ExternalId[]> {
  const ids: ExternalId[] = [
    { kind: 'userId', id: cuid },
    ...(await listIdsOf(tx, organizationId, [cuid])),
    // An import links no conversation: a message in it must not bring the person back.
    ...(await listConversationIdsOf(tx, organizationId, cuid)),
  ]
  await deleteOfIds(tx, organizationId, ids)
  await eraseBodiesLater(tx, organizationId, { ids: ids.map(({ id }) => id) })
  await insertForgotten(tx, organizationId, ids, erasure)
  return ids
}
