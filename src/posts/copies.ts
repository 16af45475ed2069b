import type { Queryable } from '../database/database.js'
import { invalid } from '../http/detail.js'
import type { CopiedFrom } from '../interface/generated/types.js'
import { listContainedTexts, listKnownPosts, listKnownTexts, listWritersOfSaved } from './copies.store.js'
import { findWriters, listInheritedWriters } from './history.store.js'
import type { PostChannelRow, ScheduledPostRow } from './scheduled-post-row.js'

/** The part of a history entry that says what was copied, and whose it was. Four eyes depend on it (findWriters). */
export interface Copied {
  copiedFrom?: CopiedFrom
  writers?: string[]
}

/**
 * Finds what a change copies into a post and who wrote it: the sources that the caller names, the saved texts that a text
 * contains, and the saved superpowers. Throws validation_failed for a source of another organization.
 */
export async function findCopied(
  tx: Queryable,
  named: CopiedFrom | undefined,
  after: ScheduledPostRow,
  before?: ScheduledPostRow,
): Promise<Copied> {
  const { organization_id: organizationId, scheduled_post_id: id } = after
  const { posts = [], savedTexts = [] } = named ?? {}
  await requireKnown('copiedFrom.posts', posts, (ids) => listKnownPosts(tx, organizationId, ids))
  await requireKnown('copiedFrom.savedTexts', savedTexts, (ids) => listKnownTexts(tx, organizationId, ids))
  const texts = listNew(after, before, ({ caption }) => caption)
  const saved = {
    savedTexts: [...savedTexts, ...(texts.length === 0 ? [] : await listContainedTexts(tx, organizationId, texts))],
    superpowers: listNew(after, before, ({ superpower }) => superpower?.creativeTemplateId),
  }
  const ofPosts = posts.length === 0 ? [] : [...(await findWriters(tx, organizationId, posts)).values()]
  const isSaved = saved.savedTexts.length + saved.superpowers.length > 0
  const found = new Set([
    ...ofPosts.flatMap((one) => [...one]),
    ...(isSaved ? await listWritersOfSaved(tx, organizationId, saved) : []),
  ])
  const known =
    found.size === 0 || before === undefined ? new Set() : await listInheritedWriters(tx, organizationId, id)
  const writers = [...found].filter((writer) => !known.has(writer)).sort()
  return {
    ...(posts.length + savedTexts.length === 0 ? {} : { copiedFrom: named! }),
    ...(writers.length === 0 ? {} : { writers }),
  }
}

/** Returns the texts that a change writes. */
export const listNewTexts = (after: Pick<ScheduledPostRow, 'channels'>, before?: Pick<ScheduledPostRow, 'channels'>) =>
  listNew(after, before, ({ caption }) => caption)

/** Returns the values of a channel field that were not on the same channel before. */
function listNew(
  after: Pick<ScheduledPostRow, 'channels'>,
  before: Pick<ScheduledPostRow, 'channels'> | undefined,
  partOf: (channel: PostChannelRow) => string | null | undefined,
): string[] {
  const were = new Map(before?.channels.map((channel) => [channel.channel_id, partOf(channel)]))
  const values = after.channels.flatMap((channel) => {
    const value = partOf(channel)
    return value == null || value === were.get(channel.channel_id) ? [] : [value]
  })
  return [...new Set(values)]
}

async function requireKnown(
  field: string,
  ids: readonly string[],
  listKnown: (ids: readonly string[]) => Promise<string[]>,
): Promise<void> {
  if (ids.length === 0) return
  const known = new Set(await listKnown(ids))
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined)
    throw invalid(field, 'copiedFrom.unknown', `must name existing items: ${unknown} does not exist`)
}
