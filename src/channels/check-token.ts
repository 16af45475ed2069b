import { loginOf } from '../graph/login.js'
import type { Context } from '../http/context.js'
import type { ChannelType } from '../interface/generated/types.js'
import { networkOf } from '../networks/networks.js'
import { toChannelTarget } from '../networks/target.js'
import type { CheckedToken } from '../networks/tokens.js'
import { channelTokenContext, type TokenRecord } from './channels.store.js'

/** An access token that was given for a channel. */
export interface GivenToken {
  sealed: string
  record: TokenRecord
  /** Undefined if the platform was not asked. */
  checked: CheckedToken | undefined
}

/** Checks a token with the platform, unless `check` is false, and encrypts it. Throws what `Network.checkToken` throws. */
export async function readToken(
  context: Pick<Context, 'graph' | 'config' | 'sealer' | 'clock'>,
  { organizationId, type, channelId }: { organizationId: string; type: ChannelType; channelId: string },
  { accessToken, check }: { accessToken: string; check: boolean },
): Promise<GivenToken> {
  const target = toChannelTarget(context.graph, { channelId, type, pageId: null }, accessToken)
  const checked = check ? await networkOf(target).checkToken(target, context.config.graph.appSecret) : undefined
  const now = new Date(context.clock.now())
  return {
    sealed: context.sealer.seal(checked?.accessToken ?? accessToken, channelTokenContext(organizationId, channelId)),
    record: {
      pageId: checked?.pageId ?? null,
      setAt: now,
      // It may be about to expire, so it is refreshed at once, if the platform allows.
      refreshAt: loginOf(accessToken) === 'instagram' ? now : null,
      login: loginOf(accessToken),
      missing: checked?.missing ?? null,
    },
    checked,
  }
}
