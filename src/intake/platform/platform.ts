import { refreshTokens } from '../../channels/refresh-tokens.js'
import type { Wait } from '../../lib/wait.js'
import { startLoop } from '../../work/loop.js'
import { readWantedProfiles } from './profiles.js'
import { type PlatformContext, reconcileChannels } from './subscriptions.js'

/** Another process may have connected a channel or created a source: a check that finds nothing only reads. */
const SUBSCRIPTIONS_MS = 2_000
const PROFILES_MS = 5_000
const TOKENS_MS = 60_000

/** Keeps channels subscribed and their tokens valid, and reads the profiles of new conversations. */
export function startPlatformReader(
  context: PlatformContext,
  options: { wait?: Wait } = {},
): { stop(): Promise<void> } {
  const { log } = context
  const loops = [
    startLoop(() => reconcileChannels(context), {
      ...{ name: 'subscribing channels', log, everyMs: SUBSCRIPTIONS_MS },
      ...options,
    }),
    startLoop(() => readWantedProfiles(context), {
      ...{ name: 'reading profiles', log, everyMs: PROFILES_MS },
      ...options,
    }),
    startLoop((_reason, signal) => refreshTokens(context, signal), {
      ...{ name: 'refreshing access tokens', log, everyMs: TOKENS_MS },
      ...options,
    }),
  ]
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
