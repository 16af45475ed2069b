import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { onTestFinished } from 'vitest'
import type { BeaconChain } from '../src/lib/beacon.js'

const { shortSignatures: scheme } = bls12_381
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const SECRET = new Uint8Array(32).fill(7)
const PUBLIC_KEY = toHex(scheme.getPublicKey(SECRET).toBytes())

/** Earlier signatures by round and key, because each takes 50 ms to make. */
const signatures = new Map<string, string>()

function sign(round: number, key = SECRET): string {
  const name = `${round} ${key[0]}`
  const known = signatures.get(name)
  if (known !== undefined) return known
  const number = Buffer.alloc(8)
  number.writeBigUInt64BE(BigInt(round))
  const digest = createHash('sha256').update(number).digest()
  const message = scheme.hash(digest, 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_')
  const signature = toHex(scheme.Signature.toBytes(scheme.sign(message, key)))
  signatures.set(name, signature)
  return signature
}

/** The kinds of responses that a test's beacon can give. */
export type BeaconAnswer = 'right' | 'of another round' | 'signed by another' | 'made up' | 'endless' | 'broken'

/**
 * A beacon over a real socket that signs its rounds as drand does, with its own key. It has no clock: every round is
 * available.
 */
export async function startBeacon() {
  const chain: BeaconChain = {
    hash: createHash('sha256').update('the chain of the tests').digest('hex'),
    publicKey: PUBLIC_KEY,
    genesisMs: Date.parse('2026-01-01T00:00:01Z'),
    periodMs: 3_000,
  }
  const toValue = (round: number, signature: string) => ({
    ...{ round, signature, randomness: createHash('sha256').update(Buffer.from(signature, 'hex')).digest('hex') },
  })
  const beacon = { chain, url: '', asked: [] as string[], answer: 'right' as BeaconAnswer, toValue, sign }
  const bodies: Record<BeaconAnswer, (round: number) => string> = {
    right: (round) => JSON.stringify(toValue(round, sign(round))),
    'of another round': (round) => JSON.stringify({ ...toValue(round, sign(round + 1)) }),
    'signed by another': (round) => JSON.stringify(toValue(round, sign(round, new Uint8Array(32).fill(8)))),
    'made up': (round) => JSON.stringify({ ...toValue(round, sign(round)), randomness: '00'.repeat(32) }),
    endless: () => ' '.repeat(1_000_000),
    broken: () => 'Bad gateway',
  }
  const server = createServer(({ url = '' }, response) => {
    beacon.asked.push(url)
    const round = Number(/\/public\/(\d{1,15})$/.exec(url)?.[1])
    response.writeHead(beacon.answer === 'broken' ? 502 : 200, { 'content-type': 'application/json' })
    response.end(bodies[beacon.answer](round))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()))
  beacon.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return beacon
}
