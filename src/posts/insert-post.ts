import type { CheckChannels } from '../access/channel-rights.js'
import type { Config } from '../config/index.js'
import type { Queryable } from '../database/database.js'
import type { Principal } from '../http/principal.js'
import type { NewPostByPerson } from '../interface/generated/types.js'
import { newId } from '../lib/ids.js'
import { holdMediaByUrl } from '../media/media.js'
import { applyPatch } from './apply-patch.js'
import { findCopied } from './copies.js'
import { FIRST_VERSION } from './etag.js'
import { STATUS_RULES } from './lifecycle.js'
import {
  checkBytes,
  checkScheduledFor,
  copyNamedSuperpowers,
  requireNamedChannels,
  requirePublishable,
} from './post-rules.js'
import { NO_APPROVAL, NO_PROOF, type ScheduledPostRow } from './scheduled-post-row.js'
import { insertScheduledPostRow } from './scheduled-posts.store.js'

export interface Making {
  config: Config
  principal: Principal
  /** The check of posts:write (holdChannelRoles). */
  checkChannels: CheckChannels
  now: Date
  /** The operationId, if it is not createScheduledPost. */
  operation?: string
}

/** Creates the post that a body describes, in a transaction. Throws if a rule is broken. */
export async function insertPost(
  tx: Queryable,
  { config, principal: { organizationId, actor }, checkChannels, now, operation }: Making,
  body: NewPostByPerson,
): Promise<ScheduledPostRow> {
  const channels = await requireNamedChannels(tx, organizationId, body.channels)
  const fields = await copyNamedSuperpowers(tx, organizationId, body)
  checkScheduledFor(fields, now.getTime())
  const empty: ScheduledPostRow = {
    ...{ organization_id: organizationId, scheduled_post_id: newId('post'), status: body.status ?? 'DRAFT' },
    ...{
      media: null,
      media_type: null,
      alt_text: null,
      ai_generated: false,
      scheduled_for: null,
      task_id: null,
      notes: null,
      review_notes: null,
      channels: [],
    },
    ...{ version: FIRST_VERSION, created_at: now, updated_at: now, ...NO_APPROVAL, ...NO_PROOF },
  }
  const post = applyPatch(empty, fields, channels)
  checkChannels(post.channels)
  checkBytes(post)
  await holdMediaByUrl(tx, config, organizationId, post.media)
  if (STATUS_RULES[post.status].mustBePublishable) await requirePublishable(tx, config, post, now.getTime())
  const detail = await findCopied(tx, body.copiedFrom, post)
  await insertScheduledPostRow(tx, post, actor, {
    ...(operation === undefined ? {} : { operation }),
    ...(Object.keys(detail).length === 0 ? {} : { detail: { ...detail } }),
  })
  return post
}
