import { channelTokenContext, findChannelToken } from '../../channels/channels.store.js'
import { GraphError } from '../../graph/graph-error.js'
import { listSubscribedFields, subscribe } from '../../graph/subscriptions.js'
import type { Context } from '../../http/context.js'
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

/** The fields that intake reads, by the type of a channel. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  FB_PAGE: ['feed', 'messages', 'messaging_postbacks', 'message_echoes'],
  INSTAGRAM_ACCOUNT: ['comments', 'messages', 'messaging_postbacks'],
}
/** The platform drops the subscription of an address that failed for an hour: it is looked at more often. */
const LOOK_AGAIN_MS = 5 * 60_000
const LEASE_MS = 60_000
const AT_ONCE = 20
const BACK_OFF = doubling(60_000, 60 * 60_000)

/** Looks at the subscriptions that are due, and makes those that are missing. */
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

/** Gives the platform's reason why the channel could not be subscribed. */
async function subscribeChannel(
  { database, graph, sealer }: PlatformContext,
  { organization_id: organizationId, channel_id: channelId }: Subscription,
): Promise<string | undefined> {
  const token = await findChannelToken(database, organizationId, channelId)
  if (token?.access_token_sealed == null) return 'The channel has no access token.'
  const [type, id] = splitChannelId(channelId)
  const access = {
    accessToken: sealer.open(token.access_token_sealed, channelTokenContext(organizationId, channelId)),
    limitKey: id,
    useCase: type === 'FB_PAGE' ? 'pages' : 'instagram',
  } as const
  const wanted = FIELDS[type] ?? []
  try {
    const fields = await listSubscribedFields(graph, access, id)
    if (wanted.every((field) => fields.includes(field))) return undefined
    await subscribe(graph, access, id, [...new Set([...fields, ...wanted])])
    return undefined
  } catch (error) {
    if (error instanceof GraphError) return error.userText
    throw error
  }
}

/** A channel's id is its type and its id on the platform. */
export function splitChannelId(channelId: string): [type: string, platformId: string] {
  const at = channelId.lastIndexOf('_')
  return [channelId.slice(0, at), channelId.slice(at + 1)]
}
