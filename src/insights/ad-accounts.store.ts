import type { Database, Queryable } from '../database/database.js'
import { findRow, hitsRow, listRows } from '../database/queries.js'
import { TABLES } from '../database/tables.js'
import { recordEvent } from '../news/events.store.js'

type AdAccountIds = [organizationId: string, adAccountId: string]

export interface AdAccountRow {
  ad_account_id: string
  name: string
  currency: string
  timezone: string
  /** Null if the account is not connected to the platform. */
  access_token_sealed: string | null
}

const COLUMNS = 'ad_account_id, name, currency, timezone, access_token_sealed'

export const accessTokenContext = TABLES.ad_accounts.sealed.access_token_sealed.context

/** Ordered by name, then id. */
export const listAdAccountRows = (database: Queryable, organizationId: string): Promise<AdAccountRow[]> =>
  listRows(database, `select ${COLUMNS} from ad_accounts where organization_id = $1 order by name, ad_account_id`, [
    organizationId,
  ])

export const findAdAccount = (database: Queryable, ...ids: AdAccountIds): Promise<AdAccountRow | undefined> =>
  findRow(database, `select ${COLUMNS} from ad_accounts where organization_id = $1 and ad_account_id = $2`, ids)

/** Returns false if an account with this id exists. */
export const insertAdAccount = (
  database: Queryable,
  organizationId: string,
  { ad_account_id, name, currency, timezone, access_token_sealed }: AdAccountRow,
): Promise<boolean> =>
  hitsRow(
    database,
    `insert into ad_accounts (organization_id, ${COLUMNS}) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [organizationId, ad_account_id, name, currency, timezone, access_token_sealed],
  )

/** Changes the given fields only. */
export async function updateAdAccountFacts(
  tx: Queryable,
  organizationId: string,
  adAccountId: string,
  { name, currency, timezone }: Partial<Pick<AdAccountRow, 'name' | 'currency' | 'timezone'>>,
): Promise<void> {
  await tx.query(
    `update ad_accounts
        set name = coalesce($3, name), currency = coalesce($4, currency), timezone = coalesce($5, timezone)
      where organization_id = $1 and ad_account_id = $2`,
    [organizationId, adAccountId, name ?? null, currency ?? null, timezone ?? null],
  )
}

/** Returns undefined if the account does not exist. */
export const deleteAdAccountRow = (tx: Queryable, ...ids: AdAccountIds): Promise<AdAccountRow | undefined> =>
  findRow(tx, `delete from ad_accounts where organization_id = $1 and ad_account_id = $2 returning ${COLUMNS}`, ids)

/**
 * Connects the account to the platform, or disconnects it if the token is null. Returns undefined if the account does not
 * exist.
 */
export const setAdAccountToken = (
  database: Queryable,
  ...idsAndToken: [organizationId: string, adAccountId: string, accessTokenSealed: string | null]
): Promise<AdAccountRow | undefined> =>
  findRow(
    database,
    `update ad_accounts set access_token_sealed = $3, token_problem = null
      where organization_id = $1 and ad_account_id = $2 returning ${COLUMNS}`,
    idsAndToken,
  )

/**
 * Marks a token that the platform refused, with its reason, and sends the event once. If the account has another token by
 * now, that one is not marked.
 */
export async function setAccountTokenProblem(
  database: Database,
  organizationId: string,
  adAccountId: string,
  { problem, refusedTokenSealed, at }: { problem: string; refusedTokenSealed: string; at: Date },
): Promise<void> {
  await database.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `update ad_accounts set token_problem = $3
        where organization_id = $1 and ad_account_id = $2 and access_token_sealed = $4 and token_problem is null`,
      [organizationId, adAccountId, problem, refusedTokenSealed],
    )
    if (rowCount === 1) await recordEvent(tx, { organizationId, type: 'token.refused', at, data: { adAccountId } })
  })
}
