import type { Queryable } from '../database/database.js'
import { findValue, listValues } from '../database/queries.js'

/** This release, and the previous one. */
const BUILDS_KEPT = 2

/** Stores the files of a build that is starting, and deletes those of builds before the previous one. */
export async function storeConsoleAssets(
  tx: Queryable,
  buildId: string,
  files: ReadonlyMap<string, Buffer>,
  now: Date,
): Promise<void> {
  const again = 'update console_assets set started_at = $2 where build_id = $1 returning name'
  const kept = new Set(await listValues<string>(tx, again, [buildId, now]))
  for (const [name, content] of files) {
    if (kept.has(name)) continue
    await tx.query(
      `insert into console_assets (build_id, name, content, started_at) values ($1, $2, $3, $4)
           on conflict (build_id, name) do update set started_at = excluded.started_at`,
      [buildId, name, content, now],
    )
  }
  await tx.query(
    `delete from console_assets
      where build_id not in (
            select build_id from console_assets group by build_id order by max(started_at) desc, build_id limit ${BUILDS_KEPT})`,
  )
}

export const listConsoleAssetNames = (database: Queryable): Promise<string[]> =>
  listValues(database, 'select distinct name from console_assets')

export const findConsoleAsset = (database: Queryable, name: string): Promise<Buffer | undefined> =>
  findValue(database, 'select content from console_assets where name = $1 order by started_at desc limit 1', [name])
