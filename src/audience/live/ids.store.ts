import type { Queryable } from '../../database/database.js'
import { hitsRow, listRows, listValues } from '../../database/queries.js'
import type { ExternalId } from '../facts.js'

/** Returns an id as a key for maps. */
export const keyOf = ({ kind, id }: { kind: string; id: string }): string => `${kind}\0${id}`

/** Returns the kind of an id that names a conversation of a channel. */
export const metaKind = (channelId: string): `meta:${string}` => `meta:${channelId}`

/** An external id, and its person. */
export interface LinkedId extends ExternalId {
  cuid: string
}

/** Returns the people of linked ids, by `keyOf`. */
export async function findPeopleOf(
  tx: Queryable,
  organizationId: string,
  ids: readonly ExternalId[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await listRows<LinkedId>(
    tx,
    `select p.kind, p.id, p.cuid
       from unnest($2::text[], $3::text[]) as wanted (kind, id)
       join person_ids p on p.organization_id = $1 and p.kind = wanted.kind and p.id = wanted.id`,
    [organizationId, ids.map(({ kind }) => kind), ids.map(({ id }) => id)],
  )
  return new Map(rows.map((row) => [keyOf(row), row.cuid]))
}

/** Links ids without a person; for ids that have one, `false` in `moves` keeps it. */
export async function insertLinks(
  tx: Queryable,
  organizationId: string,
  links: readonly LinkedId[],
  { sourceId, at }: { sourceId: string | null; at: Date },
): Promise<void> {
  if (links.length === 0) return
  await tx.query(
    `insert into person_ids (organization_id, kind, id, cuid, source_id, at)
     select $1, kind, id, cuid, $5, $6 from unnest($2::text[], $3::text[], $4::text[]) as t (kind, id, cuid)
     on conflict (organization_id, kind, id) do update set cuid = excluded.cuid
      where person_ids.cuid <> excluded.cuid`,
    [
      organizationId,
      links.map(({ kind }) => kind),
      links.map(({ id }) => id),
      links.map(({ cuid }) => cuid),
      sourceId,
      at,
    ],
  )
}

/** Returns the cuids that have a conversation or an id: such a cuid is a person, and never an id of another. */
export const listTakenCuids = (tx: Queryable, organizationId: string, cuids: readonly string[]): Promise<string[]> =>
  cuids.length === 0
    ? Promise.resolve([])
    : listValues(
        tx,
        `select distinct wanted.cuid from unnest($2::text[]) as wanted (cuid)
          where exists (select from conversations c where c.organization_id = $1 and c.cuid = wanted.cuid)
             or exists (select from person_ids i where i.organization_id = $1 and i.cuid = wanted.cuid)`,
        [organizationId, cuids],
      )

/** Returns all ids of these people except their cuids. */
export const listIdsOf = (tx: Queryable, organizationId: string, cuids: readonly string[]): Promise<LinkedId[]> =>
  listRows(tx, 'select kind, id, cuid from person_ids where organization_id = $1 and cuid = any($2::text[])', [
    organizationId,
    cuids,
  ])

/** Returns the ids of a person's conversations, as messages name them. */
export const listConversationIdsOf = (tx: Queryable, organizationId: string, cuid: string): Promise<ExternalId[]> =>
  listRows(
    tx,
    `select 'meta:' || channel_id as kind, conversation_id as id from conversations
      where cuid = $2 and organization_id = $1`,
    [organizationId, cuid],
  )

/** Returns the organization's channels among those named; they cannot be deleted until the transaction ends. */
export const holdChannels = (
  tx: Queryable,
  organizationId: string,
  channelIds: readonly string[],
): Promise<string[]> =>
  channelIds.length === 0
    ? Promise.resolve([])
    : listValues(
        tx,
        `select channel_id from channels
          where organization_id = $1 and channel_id = any($2::text[]) and deleted_at is null
          order by channel_id for key share`,
        [organizationId, channelIds],
      )

/**
 * Returns the ids that are the page of one of the organization's Instagram accounts, including disconnected and deleted
 * ones. Such a page is subscribed for its account, and deliveries of the page itself are dropped.
 */
export const listPagesOfAccounts = (
  tx: Queryable,
  organizationId: string,
  channelIds: readonly string[],
): Promise<string[]> =>
  channelIds.length === 0
    ? Promise.resolve([])
    : listValues(
        tx,
        `select distinct 'FB_PAGE_' || page_id from channels
          where organization_id = $1 and 'FB_PAGE_' || page_id = any($2::text[])`,
        [organizationId, channelIds],
      )

/** Returns false if the person has no such id. */
export const deleteLink = (
  tx: Queryable,
  organizationId: string,
  { kind, id, cuid }: { kind: string; id: string; cuid: string },
): Promise<boolean> =>
  hitsRow(tx, 'delete from person_ids where organization_id = $1 and kind = $2 and id = $3 and cuid = $4', [
    organizationId,
    kind,
    id,
    cuid,
  ])
