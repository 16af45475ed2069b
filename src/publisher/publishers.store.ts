import type { Database, Queryable } from '../database/database.js'

export interface PublisherRow {
  publisher_id: string
  /** Grows while it lives. */
  beats: number
}

export async function insertPublisher(database: Queryable, publisherId: string): Promise<void> {
  await database.query('insert into publishers (publisher_id) values ($1)', [publisherId])
}

/** False when it was found dead: its posts may be another's by now. */
export async function beatPublisher(database: Queryable, publisherId: string): Promise<boolean> {
  const { rowCount } = await database.query('update publishers set beats = beats + 1 where publisher_id = $1', [
    publisherId,
  ])
  return rowCount === 1
}

export async function listPublishers(database: Queryable): Promise<PublisherRow[]> {
  const { rows } = await database.query<PublisherRow>('select publisher_id, beats from publishers')
  return rows
}

/** Ends a publisher, and its leases with it. False when it has beaten meanwhile, or another process has ended it. */
export async function endSilentPublisher(
  database: Database,
  { publisher_id: publisherId, beats }: PublisherRow,
): Promise<boolean> {
  return await database.transaction(async (tx) => {
    const { rowCount } = await tx.query('delete from publishers where publisher_id = $1 and beats = $2', [
      publisherId,
      beats,
    ])
    if (rowCount === 0) return false
    await endLeasesOf(tx, publisherId)
    return true
  })
}

/** The same of a publisher that stops, whatever its beats. */
export async function endPublisher(database: Database, publisherId: string): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query('delete from publishers where publisher_id = $1', [publisherId])
    await endLeasesOf(tx, publisherId)
  })
}

/** The same of every publisher: for the one process that has the database to itself. */
export async function endAllPublishers(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query('delete from publishers')
    await endLeasesOf(tx)
  })
}

/**
 * Ends every lease of a publisher, or of all of them: any other may claim the posts at once. What a holder writes that is not
 * dead after all is still fenced by its claim.
 */
async function endLeasesOf(tx: Queryable, publisherId?: string): Promise<void> {
  await tx.query(
    `update scheduled_posts p set leased_until = null
       from (select organization_id, scheduled_post_id from scheduled_posts
              where status = 'PUBLISHING' and leased_by is not null
                and ($1::text is null or starts_with(leased_by, $1 || '/'))
              order by organization_id, scheduled_post_id
                for update) held
      where p.organization_id = held.organization_id and p.scheduled_post_id = held.scheduled_post_id`,
    [publisherId ?? null],
  )
}
