import { createHash } from 'node:crypto'
import type { Queryable } from '../../database/database.js'
import { hitsRow, listValues } from '../../database/queries.js'
import { leaveOutErased } from '../erased-people.store.js'
import type { ExternalId } from '../facts.js'
import { keyOf } from './ids.store.js'

type ErasureIds = [organizationId: string, erasureId: string]

/** Returns the hash that is kept of an id. It differs between organizations, and cannot be turned back into the id. */
const toIdHash = (organizationId: string, { kind, id }: ExternalId): string =>
  createHash('sha256').update(`${organizationId}\0${kind}\0${id}`).digest('base64url')

/** The kind that means any channel: Meta asks for the deletion of a user by an id that does not name the channel. */
export const ANY_CHANNEL = 'meta:*'
const asAnyChannel = (outside: ExternalId): ExternalId =>
  outside.kind.startsWith('meta:') ? { kind: ANY_CHANNEL, id: outside.id } : outside

/** The kind under which a conversation named without its channel is looked up. */
export const SOME_CHANNEL = 'meta:?'

/** Returns the keys of those ids that belong to erased people, including those erased by their cuid. */
export async function findForgotten(
  tx: Queryable,
  organizationId: string,
  ids: readonly ExternalId[],
): Promise<ReadonlySet<string>> {
  const cuids = ids.filter(({ kind }) => kind === 'userId').map(({ id }) => ({ cuid: id }))
  const kept = new Set((await leaveOutErased(tx, organizationId, cuids)).map(({ cuid }) => cuid))
  const forgotten = new Set(cuids.flatMap(({ cuid }) => (kept.has(cuid) ? [] : [keyOf({ kind: 'userId', id: cuid })])))
  // Most organizations have erased nobody, so nothing is hashed.
  if (!(await hitsRow(tx, 'select from forgotten_ids where organization_id = $1 limit 1', [organizationId]))) {
    return forgotten
  }
  const byHash = new Map<string, string[]>()
  for (const outside of ids) {
    // Ids of several channels share one hash.
    for (const meant of [outside, asAnyChannel(outside)]) {
      const hash = toIdHash(organizationId, meant)
      const keys = byHash.get(hash)
      if (keys === undefined) byHash.set(hash, [keyOf(outside)])
      else keys.push(keyOf(outside))
    }
  }
  const found = await listValues<string>(
    tx,
    'select id_hash from forgotten_ids where organization_id = $1 and id_hash = any($2::text[])',
    [organizationId, [...byHash.keys()]],
  )
  for (const hash of found) for (const key of byHash.get(hash)!) forgotten.add(key)
  return forgotten
}

/** Keeps the hashes of ids, so that no late delivery brings their person back. */
export async function insertForgotten(
  tx: Queryable,
  organizationId: string,
  ids: readonly ExternalId[],
  { erasureId, at }: { erasureId: string; at: Date },
): Promise<void> {
  const ofSomeChannel = ids.flatMap(({ kind, id }) =>
    kind.startsWith('meta:') ? [{ kind: SOME_CHANNEL, id } as const] : [],
  )
  const hashes = [...ids, ...ofSomeChannel].map((outside) => toIdHash(organizationId, outside))
  await tx.query(
    `insert into forgotten_ids (organization_id, id_hash, erasure_id, at)
     select $1, unnest($2::text[]), $3, $4 on conflict do nothing`,
    [organizationId, [...new Set(hashes)], erasureId, at],
  )
}

/** Lets deliveries bring a person back. */
export async function deleteForgotten(tx: Queryable, ...ids: ErasureIds): Promise<void> {
  await tx.query('delete from forgotten_ids where organization_id = $1 and erasure_id = $2', ids)
}
