import { channelTokenContext } from '../channels/channels.store.js'
import type { PublishTarget } from '../graph/publishing.js'
import type { Context } from '../http/context.js'
import type { ChannelType } from '../interface/channels.js'
import { UnsealError } from '../lib/seal.js'

interface Connected {
  organization_id: string
  channel_id: string
  type: ChannelType
  access_token_sealed: string | null
  token_problem: string | null
}

/**
 * The channel on its platform. Undefined where it is not connected, where the platform refused its access token, and where
 * the token does not open: then the key is wrong, and nothing is known against the token.
 */
export function openTarget(
  { graph, sealer, log }: Pick<Context, 'graph' | 'sealer' | 'log'>,
  { organization_id, channel_id, type, access_token_sealed, token_problem }: Connected,
): PublishTarget | undefined {
  if (access_token_sealed === null || token_problem !== null) return undefined
  try {
    const accessToken = sealer.open(access_token_sealed, channelTokenContext(organization_id, channel_id))
    const platformId = channel_id.slice(type.length + 1)
    const useCase = type === 'FB_PAGE' ? 'pages' : 'instagram'
    return { graph, platformId, access: { accessToken, limitKey: platformId, useCase } }
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    log.error({ err: error, channel: channel_id }, 'the access token of a channel does not open: its superpowers wait')
    return undefined
  }
}
