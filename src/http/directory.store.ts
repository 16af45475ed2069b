import type { Queryable } from '../database/database.js'

/** Grows with every committed change of organizations, keys, workspaces, channels or connections. */
export async function readDirectoryRevision(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ revision: number }>('select revision from directory_revision')
  return rows[0]!.revision
}
