import { insertion } from '../database/columns.js'
import type { Queryable } from '../database/database.js'
import { findRow, hitsRow, listRows, listValues, readValue } from '../database/queries.js'
import type { Media } from '../interface/generated/types.js'
import { SMALL_ENDING } from '../interface/small-picture.js'

/** An uploaded file, as stored. */
export interface MediaRow {
  media_id: string
  /** Null if its sender gave none. */
  name: string | null
  content_type: Media['contentType']
  bytes: number
  /** In pixels. */
  width: number
  height: number
  /** Null for an image. */
  duration_ms: number | null
  created_at: Date
  /** Both null while it has no small picture. */
  small_bytes: number | null
  small_sha256: string | null
}

type MediaIds = [organizationId: string, mediaId: string]

const COLUMNS = 'media_id, name, content_type, bytes, width, height, duration_ms, created_at, small_bytes, small_sha256'

/** Inserts the row of a file, which has no small picture yet. */
export async function insertMedia(
  tx: Queryable,
  organizationId: string,
  row: Omit<MediaRow, 'small_bytes' | 'small_sha256'>,
): Promise<void> {
  const { columns, parameters, values } = insertion(row, 2)
  const text = `insert into media (organization_id, ${columns}) values ($1, ${parameters})`
  await tx.query(text, [organizationId, ...values])
}

/** Returns the total size of the organization's files and their small pictures, in bytes. */
export const sumMediaBytes = (database: Queryable, organizationId: string): Promise<number> =>
  readValue(
    database,
    'select coalesce(sum(bytes + coalesce(small_bytes, 0)), 0)::bigint from media where organization_id = $1',
    [organizationId],
  )

/** The names of a file of any organization. */
type FileRow = Pick<MediaRow, 'media_id' | 'content_type'> & { organization_id: string }

/** A file in MEDIA_DIR. */
export interface MediaFile {
  organizationId: string
  mediaId: string
  name: string
}

/** Lists the files of all organizations. */
export async function listMediaFiles(database: Queryable): Promise<MediaFile[]> {
  const rows = await listRows<FileRow>(
    database,
    'select organization_id, media_id, content_type from media order by organization_id, media_id',
  )
  return rows.map((row) => ({ organizationId: row.organization_id, mediaId: row.media_id, name: nameOf(row) }))
}

/** Lists the small pictures of all organizations. */
export async function listSmallPictures(database: Queryable): Promise<MediaFile[]> {
  const rows = await listRows<FileRow>(
    database,
    `select organization_id, media_id, content_type from media
      where small_bytes is not null order by organization_id, media_id`,
  )
  return rows.map((row) => ({ organizationId: row.organization_id, mediaId: row.media_id, name: smallNameOf(row) }))
}

/** Returns whether the organization has the file, whether or not it is on disk. */
export const isMediaKept = (database: Queryable, { organizationId, mediaId }: MediaFile): Promise<boolean> =>
  hitsRow(database, 'select from media where organization_id = $1 and media_id = $2', [organizationId, mediaId])

/** Returns whether any organization has a file. */
export const hasMedia = (database: Queryable): Promise<boolean> =>
  readValue(database, 'select exists (select from media)')

const EXTENSIONS: Record<Media['contentType'], string> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
}

export const nameOf = (row: Pick<MediaRow, 'media_id' | 'content_type'>): string =>
  `${row.media_id}.${EXTENSIONS[row.content_type]}`

export const smallNameOf: typeof nameOf = (row) => nameOf(row) + SMALL_ENDING

/** Returns undefined if there is none; an existing file cannot be deleted until the transaction ends. */
export const holdMedia = (tx: Queryable, ...ids: MediaIds): Promise<MediaRow | undefined> =>
  findRow(tx, `select ${COLUMNS} from media where organization_id = $1 and media_id = $2 for key share`, ids)

/** Returns undefined if there is none; an existing file cannot be changed or deleted until the transaction ends. */
export const lockMediaRow = (tx: Queryable, ...ids: MediaIds): Promise<MediaRow | undefined> =>
  findRow(tx, `select ${COLUMNS} from media where organization_id = $1 and media_id = $2 for update`, ids)

/** Stores the facts of a file's small picture. */
export async function setSmallPicture(
  tx: Queryable,
  organizationId: string,
  { media_id, small_bytes, small_sha256 }: Pick<MediaRow, 'media_id' | 'small_bytes' | 'small_sha256'>,
): Promise<void> {
  await tx.query('update media set small_bytes = $3, small_sha256 = $4 where organization_id = $1 and media_id = $2', [
    organizationId,
    media_id,
    small_bytes,
    small_sha256,
  ])
}

interface MediaFilter {
  mediaType?: Media['mediaType'] | undefined
  /** Searched for in the name, ignoring case. */
  search?: string | undefined
  after: readonly [createdAt: string, mediaId: string] | undefined
  rows: number
}

/** Lists files after the given one, newest first. */
export const listMediaRows = (
  database: Queryable,
  organizationId: string,
  { mediaType, search, after, rows: limit }: MediaFilter,
): Promise<MediaRow[]> =>
  listRows(
    database,
    `select ${COLUMNS} from media
      where organization_id = $1 and ($2::timestamptz is null or (created_at, media_id) < ($2, $3::text))
        and ($5::text is null or starts_with(content_type, $5))
        and ($6::text is null or strpos(lower(name), lower($6)) > 0)
      order by created_at desc, media_id desc limit $4`,
    [
      organizationId,
      after?.[0] ?? null,
      after?.[1] ?? null,
      limit,
      mediaType === undefined ? null : `${mediaType.toLowerCase()}/`,
      search ?? null,
    ],
  )

/** Lists the organization's files with these ids, in any order. */
export const listMediaByIds = (
  database: Queryable,
  organizationId: string,
  mediaIds: readonly string[],
): Promise<MediaRow[]> =>
  listRows(database, `select ${COLUMNS} from media where organization_id = $1 and media_id = any($2::text[])`, [
    organizationId,
    mediaIds,
  ])

/** Returns undefined if there is none. */
export const deleteMediaRow = (tx: Queryable, ...ids: MediaIds): Promise<MediaRow | undefined> =>
  findRow(tx, `delete from media where organization_id = $1 and media_id = $2 returning ${COLUMNS}`, ids)

/** Lists the ids of uploads from before an instant, in order, after the id `after`. */
export const listOldMedia = (
  database: Queryable,
  organizationId: string,
  { before, after, rows: limit }: { before: Date; after: string; rows: number },
): Promise<string[]> =>
  listValues(
    database,
    `select media_id from media where organization_id = $1 and media_id > $2 and created_at < $3
      order by media_id limit $4`,
    [organizationId, after, before, limit],
  )

/** Locks uploads until the transaction ends: a post about to refer to one waits, and then finds it gone. */
export async function lockMedia(tx: Queryable, organizationId: string, mediaIds: readonly string[]): Promise<void> {
  await tx.query(
    'select from media where organization_id = $1 and media_id = any($2::text[]) order by media_id for update',
    [organizationId, mediaIds],
  )
}

/** Deletes the rows of uploads, and records that their files must be deleted. */
export async function removeMediaRows(
  tx: Queryable,
  organizationId: string,
  mediaIds: readonly string[],
): Promise<MediaRow[]> {
  const rows = await listRows<MediaRow>(
    tx,
    `delete from media where organization_id = $1 and media_id = any($2::text[]) returning ${COLUMNS}`,
    [organizationId, mediaIds],
  )
  await tx.query(
    `insert into media_removals (organization_id, media_id, content_type)
     select $1, media_id, content_type from unnest($2::text[], $3::text[]) as gone (media_id, content_type)
         on conflict do nothing`,
    [organizationId, rows.map(({ media_id }) => media_id), rows.map(({ content_type }) => content_type)],
  )
  return rows
}

/** Lists files of any organization that must still be deleted. */
export const listMediaRemovals = (database: Queryable, limit: number): Promise<FileRow[]> =>
  listRows(
    database,
    'select organization_id, media_id, content_type from media_removals order by organization_id, media_id limit $1',
    [limit],
  )

/** Records that a file is deleted. */
export async function deleteMediaRemoval(database: Queryable, ...ids: MediaIds): Promise<void> {
  await database.query('delete from media_removals where organization_id = $1 and media_id = $2', ids)
}
