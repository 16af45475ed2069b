import type { IncomingHttpHeaders } from 'node:http'
import { type Sealer, UnsealError } from '../../lib/seal.js'
import { newToken } from '../../lib/tokens.js'
import { readPasskeyCookie, setPasskeyCookie } from '../sessions/cookie.js'
import { CHALLENGE_MS } from './passkeys.js'

const SEAL_CONTEXT = 'challenge of a sign-in by passkey'

/**
 * A challenge before it is known who signs in: the browser keeps it sealed, so that a stranger makes the server
 * store nothing.
 */
export interface KeptChallenge {
  challenge: string
  expiresAt: number
}

/** A new challenge, and the headers that leave it with the browser. */
export function keepChallenge(sealer: Sealer, now: number): { challenge: string; headers: Record<string, string> } {
  const kept: KeptChallenge = { challenge: newToken(), expiresAt: now + CHALLENGE_MS }
  const sealed = sealer.seal(JSON.stringify(kept), SEAL_CONTEXT)
  return { challenge: kept.challenge, headers: setPasskeyCookie(sealed, CHALLENGE_MS / 1000) }
}

/** The challenge that this browser was given; undefined for none, and for one that is over. */
export function readChallenge(sealer: Sealer, headers: IncomingHttpHeaders, now: number): KeptChallenge | undefined {
  const sealed = readPasskeyCookie(headers)
  if (sealed === undefined) return undefined
  try {
    const kept = JSON.parse(sealer.open(sealed, SEAL_CONTEXT)) as KeptChallenge
    return now < kept.expiresAt ? kept : undefined
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}
