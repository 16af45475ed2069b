import { createHash } from 'node:crypto'

/**
 * SQL that distinguishes the history of a revision from any other that this process may find at the same address. A
 * restored or promoted server started at a different time, and a restored or emptied table has a different file. The
 * trigger refuse_revision_going_back covers the rest.
 */
export const EPOCH =
  "extract(epoch from pg_postmaster_start_time()) || pg_relation_filepath('access_revisions') || pg_relation_filepath('audiences')"

let last = { text: '', epoch: '' }

/**
 * Returns a short form that fits into an ETag and reveals nothing about the server. The last one is kept, because it hardly
 * ever changes.
 */
export function toEpoch(text: string): string {
  if (text !== last.text) last = { text, epoch: createHash('sha256').update(text).digest('base64url').slice(0, 11) }
  return last.epoch
}
