import { GraphError } from '../graph/graph-error.js'
import type { Context } from '../http/context.js'
import { UnsealError } from '../lib/seal.js'
import { type RefreshedToken, refreshToken } from '../networks/instagram/connect.js'
import { channelTokenContext, setTokenProblem } from './channels.store.js'
import { openTarget } from './open-target.js'
import {
  claimRefresh,
  listDueRefreshes,
  putOffRefresh,
  type RefreshableRow,
  replaceToken,
} from './refresh-tokens.store.js'

const DAY_MS = 86_400_000
/** The platform does not refresh tokens younger than a day; the extra hour allows for clocks that differ. */
const AGE_MS_MIN = DAY_MS + 3_600_000
/** How long until a refresh is retried after a temporary failure, or if its process dies. */
const AGAIN_MS = 3_600_000
/** The code of an invalid or expired token. */
const TOKEN_INVALID = 190

type RefreshContext = Pick<Context, 'database' | 'clock' | 'graph' | 'sealer' | 'log'>

/**
 * Refreshes the tokens of Instagram login that are due: half-way to their expiry, so that none is lost if the platform or
 * this service is unavailable for weeks. A refused token marks its channel, so that someone connects it again before its
 * next post.
 */
export async function refreshTokens(context: RefreshContext, signal?: AbortSignal): Promise<void> {
  const { database, clock } = context
  for (const due of await listDueRefreshes(database, new Date(clock.now()))) {
    if (signal?.aborted) return
    const row = await claimRefresh(database, due, new Date(clock.now() + AGAIN_MS))
    if (row !== undefined) await refreshOne(context, row)
  }
}

async function refreshOne(context: RefreshContext, row: RefreshableRow): Promise<void> {
  const { database, clock, log, sealer } = context
  const { organization_id: organizationId, channel_id: channelId } = row
  const ids = { organization: organizationId, channel: channelId }
  let refreshed: RefreshedToken
  try {
    const { graph, access } = openTarget(context, row)
    refreshed = await refreshToken(graph, access)
  } catch (error) {
    if (error instanceof UnsealError)
      return log.error({ ...ids, err: error }, 'cannot open the access token of a channel')
    if (!(error instanceof GraphError)) throw error
    return await afterFailure(context, row, error)
  }
  const now = clock.now()
  const halfMs = Math.max(DAY_MS, (refreshed.expiresIn * 1000) / 2)
  const isReplaced = await replaceToken(database, row, {
    sealed: sealer.seal(refreshed.accessToken, channelTokenContext(organizationId, channelId)),
    setAt: new Date(now),
    refreshAt: new Date(now + halfMs),
  })
  if (isReplaced) log.info({ ...ids, days: Math.floor(refreshed.expiresIn / 86_400) }, 'access token refreshed')
}

async function afterFailure(
  { database, clock, log }: RefreshContext,
  row: RefreshableRow,
  error: GraphError,
): Promise<void> {
  const { organization_id: organizationId, channel_id: channelId, token_set_at: setAt } = row
  const isPassing = error.outcome === 'unknown' || error.kind === 'rate-limited'
  // The claim has already postponed it.
  if (isPassing) return
  const now = clock.now()
  const oldEnoughMs = (setAt?.getTime() ?? 0) + AGE_MS_MIN
  if (now < oldEnoughMs) return await putOffRefresh(database, row, new Date(oldEnoughMs))
  log.warn({ organization: organizationId, channel: channelId, reason: error.message }, 'access token not refreshed')
  if (error.code !== TOKEN_INVALID) return await putOffRefresh(database, row, new Date(now + DAY_MS))
  await setTokenProblem(database, organizationId, channelId, {
    problem: error.userText,
    refusedTokenSealed: row.access_token_sealed,
    at: new Date(now),
  })
}
