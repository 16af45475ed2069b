import type { Queryable } from './database.js'
import { readValue } from './queries.js'
import { type Sealed, TABLE_ENTRIES } from './tables.js'

/** The organization of a value, and its id there. */
export type SealedPlace = readonly [organizationId: string, id: string]

export interface SealedValue {
  place: SealedPlace
  sealed: string
}

/** A column of encrypted secrets (lib/seal.ts), as a change of the master key sees it. */
export type SealedColumn = ReturnType<typeof sealedColumn>

const PAGE_VALUES = 500

/** Yields the values of a column that do not name this key, in the order of their places, in batches. */
export async function* pagesOfOthers(
  column: SealedColumn,
  database: Queryable,
  keyId: string,
): AsyncGenerator<SealedValue[]> {
  for (let after: SealedPlace | undefined = NO_PLACE; after !== undefined; ) {
    const values: SealedValue[] = await column.listOthers(database, keyId, after, PAGE_VALUES)
    yield values
    after = values.at(-1)?.place
  }
}

/** Comes before the first place. */
export const NO_PLACE: SealedPlace = ['', '']

/** Every column that is encrypted under the master key. */
export const SEALED_COLUMNS: readonly SealedColumn[] = TABLE_ENTRIES.flatMap(([table, { sealed = {} }]) =>
  Object.entries(sealed).map(([column, how]) => sealedColumn(table, column, how)),
)

function sealedColumn(table: string, column: string, { holds, id, context, scope }: Sealed) {
  const organization = scope === undefined ? 'organization_id' : `text '${scope}'`
  // Compared by bytes, so that the order is the same on every server.
  const place = `(${organization} collate "C", ${id} collate "C")`
  const others = `from ${table} where split_part(${column}, '.', 3) <> $1 and ${place} > ($2, $3)`
  return {
    /** A plural for people. */
    holds,
    /** A secret can be decrypted only in the place for which it was encrypted. */
    contextOf: (place: SealedPlace): string => context(...place),
    /** Lists the next values after a place that do not name this key, in the order of their places. */
    async listOthers(database: Queryable, keyId: string, after: SealedPlace, limit: number): Promise<SealedValue[]> {
      const { rows } = await database.query<{ organization_id: string; id: string; sealed: string }>(
        `select ${organization} as organization_id, ${id} as id, ${column} as sealed ${others} order by ${place} limit $4`,
        [keyId, ...after, limit],
      )
      return rows.map((row) => ({ place: [row.organization_id, row.id], sealed: row.sealed }))
    },
    countOthers: (database: Queryable, keyId: string, after: SealedPlace): Promise<number> =>
      readValue(database, `select count(*) ${others}`, [keyId, ...after]),
    /** Replaces each value that is unchanged. Returns the organizations of the replaced ones. */
    async replace(tx: Queryable, values: readonly (SealedValue & { resealed: string })[]): Promise<string[]> {
      const { rows } = await tx.query<{ organization_id: string }>(
        `update ${table} t set ${column} = v.resealed
           from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as v (organization_id, id, sealed, resealed)
          where ${scope === undefined ? 't.organization_id' : organization} = v.organization_id
            and t.${id} = v.id and t.${column} = v.sealed
      returning v.organization_id`,
        [
          values.map((value) => value.place[0]),
          values.map((value) => value.place[1]),
          values.map((value) => value.sealed),
          values.map((value) => value.resealed),
        ],
      )
      return rows.map(({ organization_id }) => organization_id)
    },
  }
}
