import type { Config } from '../../config/index.js'
import type { Context } from '../../http/context.js'
import { type BeaconChain, isSigned, QUICKNET, randomnessOf } from '../../lib/beacon.js'
import { limit } from '../../lib/limits.js'
import { repeatLast } from '../../work/backoff.js'
import { type AwaitedBeacon, listAwaitedBeacons, noteBeaconProblem, storeBeaconValue } from './draw.store.js'

export type BeaconContext = Pick<Context, 'database' | 'clock' | 'config' | 'log'>

const RAFFLES_AT_ONCE = 10
const ANSWER_MS = 10_000
const ANSWER_BYTES_MAX = limit('beaconAnswerBytes')
const BACK_OFF = repeatLast(5_000, 15_000, 60_000, 300_000)
const IS_SIGNATURE = /^[\da-f]{96}$/

export const chainOf = ({ automation }: Config): BeaconChain => automation.beacon?.chain ?? QUICKNET

/** Fetches the beacon values that draws wait for, and returns how many arrived. Never runs in a transaction. */
export async function fetchBeacons(context: BeaconContext, stopping?: AbortSignal): Promise<number> {
  const { database, clock } = context
  const awaited = await listAwaitedBeacons(database, new Date(clock.now()), RAFFLES_AT_ONCE)
  // Many raffles end at the same time, and wait for the same round.
  const rounds = new Map<number, Promise<Answer>>()
  for (const { beacon_round: round } of awaited) {
    if (!rounds.has(round)) rounds.set(round, askFor(context, round, stopping))
  }
  let fetched = 0
  for (const raffle of awaited) if (await keep(context, raffle, await rounds.get(raffle.beacon_round)!)) fetched += 1
  return fetched
}

type Answer = { signature: string } | { problem: string }

/** Stores a value before anything is drawn with it, or why there is none. */
async function keep({ database, clock, log }: BeaconContext, raffle: AwaitedBeacon, answer: Answer): Promise<boolean> {
  const now = new Date(clock.now())
  if ('signature' in answer) return await storeBeaconValue(database, raffle, answer.signature, now)
  const at = new Date(now.getTime() + BACK_OFF.after(raffle.attempts))
  await noteBeaconProblem(database, raffle, answer.problem, at)
  const { scheduled_post_id: post, channel_id: channel, beacon_round: round } = raffle
  log.warn({ post, channel, round, problem: answer.problem }, 'a raffle is waiting for its beacon')
  return false
}

async function askFor({ config }: BeaconContext, round: number, stopping?: AbortSignal): Promise<Answer> {
  const { beacon } = config.automation
  if (beacon === null) return { problem: 'No beacon is configured: set RAFFLE_BEACON_URL.' }
  let text: string | null
  try {
    const signals = [AbortSignal.timeout(ANSWER_MS), ...(stopping === undefined ? [] : [stopping])]
    const response = await fetch(`${beacon.url}/${beacon.chain.hash}/public/${round}`, {
      ...{ redirect: 'error', signal: AbortSignal.any(signals), headers: { accept: 'application/json' } },
    })
    text = await readText(response)
    if (!response.ok) return { problem: `The beacon answered ${response.status}.` }
  } catch {
    return { problem: 'The beacon cannot be reached.' }
  }
  return (
    (await parseValue(beacon.chain, round, text)) ?? {
      problem: 'The beacon did not return a value signed by its chain.',
    }
  )
}

/** Returns null for a string that is too long; nothing beyond the limit is read. */
async function readText({ body }: Response): Promise<string | null> {
  if (body === null) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the body.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Returns undefined unless the chain has signed exactly this round. */
async function parseValue(chain: BeaconChain, round: number, text: string | null): Promise<Answer | undefined> {
  let given: unknown
  try {
    given = JSON.parse(text ?? '')
  } catch {
    return
  }
  const value = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>
  const { signature, randomness } = value
  if (value.round !== round || typeof signature !== 'string' || !IS_SIGNATURE.test(signature)) return
  if (randomnessOf(signature) !== randomness || !(await isSigned(chain, round, signature))) return
  return { signature }
}
