import { ApiError } from '../../errors.js'
import type { PasswordCaller } from '../../http/context.js'
import { blockOf } from '../../lib/addresses.js'
import { limit } from '../../lib/limits.js'

const AT_ONCE = limit('passwordsAtOnce')
const WAITING_MAX = limit('passwordsWaiting')
const OF_BLOCK_MAX = limit('passwordsOfBlock')
const OF_ACCOUNT_MAX = limit('passwordsOfAccount')
const RETRY_SECONDS = 2

/**
 * Runs `passwordsAtOnce` computations at a time. Known devices and strangers wait in separate lines that take turns:
 * while a known device waits, strangers get at most every other turn. Throws sign_in_busy if the line is full, or if
 * the account or a stranger's address block already has its share of places.
 */
export function createPasswordQueue(): <T>(caller: PasswordCaller | undefined, work: () => Promise<T>) => Promise<T> {
  const known: (() => void)[] = []
  const strangers: (() => void)[] = []
  const places = new Map<string, number>()
  let running = 0
  let lastWasKnown = false

  async function waitForTurn(line: (() => void)[]): Promise<void> {
    if (running < AT_ONCE) running += 1
    // endTurn hands its turn over, so `running` stays the same.
    else await new Promise<void>((resolve) => line.push(resolve))
  }

  function endTurn(): void {
    lastWasKnown = known.length > 0 && (!lastWasKnown || strangers.length === 0)
    const next = (lastWasKnown ? known : strangers).shift()
    if (next === undefined) running -= 1
    else next()
  }

  function count(keys: string[], by: number): void {
    for (const key of keys) {
      const after = (places.get(key) ?? 0) + by
      if (after === 0) places.delete(key)
      else places.set(key, after)
    }
  }

  return async (caller, work) => {
    const isKnown = caller?.isKnown === true
    const line = isKnown ? known : strangers
    const ofAccount = caller && `${isKnown ? 'known' : 'stranger'} ${caller.account}`
    // A known device does not count against its address block: a stranger may share it.
    const ofBlock = caller && !isKnown ? blockOf(caller.address) : undefined
    const isFull =
      (running === AT_ONCE && line.length === WAITING_MAX) ||
      (ofAccount !== undefined && (places.get(ofAccount) ?? 0) >= OF_ACCOUNT_MAX) ||
      (ofBlock !== undefined && (places.get(ofBlock) ?? 0) >= OF_BLOCK_MAX)
    if (isFull) throw new ApiError('sign_in_busy', { retryAfterSeconds: RETRY_SECONDS })
    const keys = [ofAccount, ofBlock].filter((key) => key !== undefined)
    count(keys, 1)
    try {
      await waitForTurn(line)
      try {
        return await work()
      } finally {
        endTurn()
      }
    } finally {
      count(keys, -1)
    }
  }
}
