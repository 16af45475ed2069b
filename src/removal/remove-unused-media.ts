import { type Deleted, deleteOfEach, type RowBudget } from '../database/batches.js'
import type { Queryable } from '../database/database.js'
import { letOthersWork } from '../lib/turns.js'
import { deleteFiles } from '../media/media.js'
import {
  deleteMediaRemoval,
  listMediaRemovals,
  listOldMedia,
  lockMedia,
  removeMediaRows,
} from '../media/media.store.js'
import { listNamedUploads, listUploadsNamedSince } from '../posts/content-removal.store.js'
import { listUploadsOfSuperpowers } from '../superpowers/superpowers.store.js'
import { eachOrganization, type RetentionContext, recordRemoval, type Task } from './task.js'

const POSTS_AT_ONCE = 200
const MEDIA_AT_ONCE = 50
/** The most that the clocks of two nodes may differ. */
const CLOCKS_MS = 10 * 60_000

/** Removes uploads before an instant that nothing in their organization uses. */
export const removeUnusedMedia: Task = async (context, before, budget) => {
  // A crash in an earlier round may have left files.
  await removeFiles(context)
  return await deleteOfEach(eachOrganization(context.database), (organizationId) =>
    removeOfOrganization(context, { organizationId, before, budget }),
  )
}

async function removeOfOrganization(
  context: RetentionContext,
  { organizationId, before, budget }: { organizationId: string; before: Date; budget: RowBudget },
): Promise<Deleted> {
  const { clock, database } = context
  const oldest = await listOldMedia(database, organizationId, { before, after: '', rows: 1 })
  if (oldest.length === 0) return { deleted: 0, done: true }
  const since = new Date(clock.now() - CLOCKS_MS)
  const named = await readNamed(database, organizationId)
  let deleted = 0
  for (let after = ''; ; ) {
    if (budget.rows <= 0) return { deleted, done: false }
    const startedAt = performance.now()
    const page = await listOldMedia(database, organizationId, { before, after, rows: MEDIA_AT_ONCE })
    const unused = page.filter((id) => !named.has(id))
    if (unused.length > 0) {
      const gone = await removeBatch(context, { organizationId, mediaIds: unused, since })
      await removeFiles(context)
      deleted += gone
      budget.rows -= gone
    }
    if (page.length < MEDIA_AT_ONCE) return { deleted, done: true }
    after = page.at(-1)!
    await letOthersWork(performance.now() - startedAt)
  }
}

/** Reads the ids of all uploads that the organization's posts and superpowers use, page by page. */
async function readNamed(database: Queryable, organizationId: string): Promise<Set<string>> {
  const named = new Set(await listUploadsOfSuperpowers(database, organizationId))
  for (let after: string | undefined = ''; after !== undefined; ) {
    const startedAt = performance.now()
    const page: Awaited<ReturnType<typeof listNamedUploads>> = await listNamedUploads(database, organizationId, {
      after,
      rows: POSTS_AT_ONCE,
    })
    for (const id of page.mediaIds) named.add(id)
    after = page.last
    await letOthersWork(performance.now() - startedAt)
  }
  return named
}

/** Removes the rows in one transaction, except uploads that came into use since `since`. Returns how many. */
async function removeBatch(
  { clock, database }: RetentionContext,
  { organizationId, mediaIds, since }: { organizationId: string; mediaIds: string[]; since: Date },
): Promise<number> {
  return await database.transaction(async (tx) => {
    await lockMedia(tx, organizationId, mediaIds)
    const namedSince = new Set([
      ...(await listUploadsNamedSince(tx, organizationId, since)),
      ...(await listUploadsOfSuperpowers(tx, organizationId)),
    ])
    const unused = mediaIds.filter((id) => !namedSince.has(id))
    if (unused.length === 0) return 0
    const rows = await removeMediaRows(tx, organizationId, unused)
    const media = rows.map(({ media_id: id, content_type: contentType, bytes }) => ({ id, contentType, bytes }))
    const changes = { media }
    await recordRemoval(tx, organizationId, new Date(clock.now()), { operation: 'removeUnusedMedia', changes })
    return rows.length
  })
}

/** Deletes the files of removed rows. */
async function removeFiles({ config, database }: RetentionContext): Promise<void> {
  const place = { directory: config.media!.dir }
  for (let some = await listMediaRemovals(database, MEDIA_AT_ONCE); some.length > 0; ) {
    for (const row of some) {
      await deleteFiles(place, row.organization_id, row)
      await deleteMediaRemoval(database, row.organization_id, row.media_id)
    }
    some = await listMediaRemovals(database, MEDIA_AT_ONCE)
  }
}
