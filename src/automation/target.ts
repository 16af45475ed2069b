import { type ConnectedChannel, openTarget } from '../channels/open-target.js'
import type { Context } from '../http/context.js'
import { UnsealError } from '../lib/seal.js'
import type { ChannelTarget } from '../networks/target.js'

type Connected = Omit<ConnectedChannel, 'access_token_sealed'> & {
  access_token_sealed: string | null
  token_problem: string | null
}

/**
 * Returns the channel on its platform. Undefined if it is not connected, if the platform refused its access token, or if the
 * token cannot be decrypted: the key is then wrong, which proves nothing against the token.
 */
export function findTarget(
  context: Pick<Context, 'graph' | 'sealer' | 'log'>,
  channel: Connected,
): ChannelTarget | undefined {
  const { access_token_sealed, token_problem } = channel
  if (access_token_sealed === null || token_problem !== null) return undefined
  try {
    return openTarget(context, { ...channel, access_token_sealed })
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    const facts = { err: error, channel: channel.channel_id }
    context.log.error(facts, 'the access token of a channel cannot be decrypted: its superpowers wait')
    return undefined
  }
}
