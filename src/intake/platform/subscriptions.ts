import { channelTokenContext, setChannelPage } from '../../channels/channels.store.js'
import { type ConnectedChannel, findConnectedChannel, openTarget } from '../../channels/open-target.js'
import { GraphError } from '../../graph/graph-error.js'
import type { Context } from '../../http/context.js'
import { networkOf } from '../../networks/networks.js'
import { listSubscribedFields, subscribe } from '../../networks/subscriptions.js'
import type { ChannelTarget } from '../../networks/target.js'
import { doubling } from '../../work/backoff.js'
import { type Claimed, claimDue, endClaim } from '../../work/claims.store.js'
import { reconcileSubscriptions, SUBSCRIPTIONS } from './platform.store.js'

export type PlatformContext = Pick<Context, 'database' | 'clock' | 'graph' | 'sealer' | 'log' | 'metrics' | 'config'>

interface Subscription extends Claimed {
  organization_id: string
  channel_id: string
  source_id: string
  attempts: number
}

/** The platform drops the subscription of an address that failed for an hour, so it is checked more often than that. */
const LOOK_AGAIN_MS = 5 * 60_000
const LEASE_MS = 60_000
const AT_ONCE = 20
const BACK_OFF = doubling(60_000, 60 * 60_000)

/** Checks the subscriptions that are due, and makes missing ones. */
export async function reconcileChannels(context: PlatformContext): Promise<void> {
  const { database, clock } = context
  await reconcileSubscriptions(database, new Date(clock.now()))
  for (;;) {
    const now = new Date(clock.now())
    const due = await claimDue<Subscription>(database, SUBSCRIPTIONS, { now, leaseMs: LEASE_MS, limit: AT_ONCE })
    for (const row of due) await reconcile(context, row)
    if (due.length < AT_ONCE) return
  }
}

async function reconcile(context: PlatformContext, row: Subscription): Promise<void> {
  const { database, clock } = context
  const problem = await subscribeChannel(context, row)
  const now = clock.now()
  const waitMs = problem === undefined ? LOOK_AGAIN_MS : BACK_OFF.after(row.attempts)
  await endClaim(
    database,
    SUBSCRIPTIONS,
    row,
    'state = $1, problem = $2, checked_at = $3, next_attempt_at = $4, attempts = $5',
    [
      problem === undefined ? 'SUBSCRIBED' : 'REFUSED',
      problem ?? null,
      new Date(now),
      new Date(now + waitMs),
      problem === undefined ? 0 : row.attempts + 1,
    ],
  )
}

/** Returns the platform's reason if the channel could not be subscribed. */
async function subscribeChannel(
  context: PlatformContext,
  { organization_id: organizationId, channel_id: channelId }: Subscription,
): Promise<string | undefined> {
  const { database } = context
  const channel = await findConnectedChannel(database, organizationId, channelId)
  if (channel === undefined) return 'The channel has no access token.'
  try {
    const target = await withPage(context, channel, openTarget(context, channel))
    const wanted = networkOf(target).fieldsToSubscribe(target)
    const fields = await listSubscribedFields(target)
    if (wanted.every((field) => fields.includes(field))) return undefined
    await subscribe(target, [...new Set([...fields, ...wanted])])
    return undefined
  } catch (error) {
    if (error instanceof GraphError) return error.userText
    throw error
  }
}

/**
 * Finds the page of an Instagram account that was connected without asking the platform, and stores it, with the page's own
 * token instead of a person's.
 */
async function withPage(
  context: PlatformContext,
  channel: ConnectedChannel,
  target: ChannelTarget,
): Promise<ChannelTarget> {
  const { organization_id, channel_id, page_id, access_token_sealed: sealedBefore } = channel
  if (page_id !== null) return target
  const page = await networkOf(target).findPage(target)
  if (page === undefined) return target
  const place = channelTokenContext(organization_id, channel_id)
  const sealed = page.accessToken === undefined ? sealedBefore : context.sealer.seal(page.accessToken, place)
  const change = { pageId: page.id, sealed, sealedBefore }
  if (!(await setChannelPage(context.database, [organization_id, channel_id], change))) return target
  return openTarget(context, { ...channel, page_id: page.id, access_token_sealed: sealed })
}
