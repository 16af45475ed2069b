import type { GraphAccess } from '../graph/graph-call.js'
import { getAdAccount, inspectToken, listPermissions, orTokenError, tokenRefused } from '../graph/tokens.js'
import type { Context } from '../http/context.js'

/** Either permission is enough to read insights. */
const PERMISSIONS = ['ads_read', 'ads_management']

/**
 * Checks with the platform whether the token may read the ad account. Returns its expiry, if the platform shows it. Throws
 * access_token_refused (400), which says what is missing, or platform_* (502, 503, 504) if the platform gives no response.
 */
export async function checkAccountToken(
  { graph, config }: Pick<Context, 'graph' | 'config'>,
  adAccountId: string,
  accessToken: string,
): Promise<Date | undefined> {
  const access: GraphAccess = { accessToken, limitKey: adAccountId, useCase: 'ads' }
  await orTokenError(getAdAccount(graph, access, adAccountId))
  const facts = await orTokenError(inspectToken(graph, access, config.graph.appSecret))
  const granted = facts?.scopes ?? (await orTokenError(listPermissions(graph, access)))
  if (granted !== undefined && !PERMISSIONS.some((name) => granted.includes(name))) {
    throw tokenRefused('The access token lacks ads_read: grant it and provide a new token.')
  }
  return facts?.expiresAt
}
