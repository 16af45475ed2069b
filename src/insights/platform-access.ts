import type { Queryable } from '../database/database.js'
import { ApiError } from '../errors.js'
import type { GraphAccess } from '../graph/graph-call.js'
import { GraphError } from '../graph/graph-error.js'
import type { Context } from '../http/context.js'
import {
  type AdAccountRow,
  accessTokenContext,
  findAdAccount,
  listAdAccountRows,
  setAccountTokenProblem,
} from './ad-accounts.store.js'

/** An ad account that is connected to the platform, with its decrypted token. */
export interface ConnectedAdAccount {
  adAccountId: string
  /** An IANA name. It defines the account's days, as on the platform. */
  timezone: string
  access: GraphAccess
  tokenSealed: string
}

/** Throws ad_account_unknown, also for another organization's account, or ad_platform_not_connected. */
export async function requireConnectedAdAccount(
  database: Queryable,
  sealer: Context['sealer'],
  organizationId: string,
  adAccountId: string,
): Promise<ConnectedAdAccount> {
  const row = await findAdAccount(database, organizationId, adAccountId)
  if (row === undefined) throw new ApiError('ad_account_unknown')
  const account = openAccount(sealer, organizationId, row)
  if (account === undefined) {
    throw new ApiError('ad_platform_not_connected', {
      message: 'The ad account is not connected to the ad platform: ask the operator to connect it.',
    })
  }
  return account
}

/** Returns every connected account of the organization; throws ad_platform_not_connected if there is none. */
export async function requireConnectedAdAccounts(
  database: Queryable,
  sealer: Context['sealer'],
  organizationId: string,
): Promise<ConnectedAdAccount[]> {
  const rows = await listAdAccountRows(database, organizationId)
  const accounts = rows.flatMap((row) => openAccount(sealer, organizationId, row) ?? [])
  if (accounts.length === 0) throw new ApiError('ad_platform_not_connected')
  return accounts
}

/** Marks the account's token if the platform refused it. */
export async function noteRefusal(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  organizationId: string,
  { adAccountId, tokenSealed }: ConnectedAdAccount,
  error: unknown,
): Promise<void> {
  const refusal = error instanceof ApiError ? error.cause : error
  if (!(refusal instanceof GraphError) || refusal.kind !== 'credentials') return
  await setAccountTokenProblem(database, organizationId, adAccountId, {
    problem: refusal.userText,
    refusedTokenSealed: tokenSealed,
    at: new Date(clock.now()),
  })
}

function openAccount(
  sealer: Context['sealer'],
  organizationId: string,
  row: AdAccountRow,
): ConnectedAdAccount | undefined {
  if (row.access_token_sealed === null) return undefined
  const accessToken = sealer.open(row.access_token_sealed, accessTokenContext(organizationId, row.ad_account_id))
  return {
    adAccountId: row.ad_account_id,
    timezone: row.timezone,
    tokenSealed: row.access_token_sealed,
    access: { accessToken, limitKey: row.ad_account_id, useCase: 'ads' },
  }
}
