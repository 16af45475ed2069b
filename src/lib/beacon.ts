import { createHash } from 'node:crypto'

// A public randomness beacon of drand: a group of organizations signs the number of each round together, and no single
// one can know or choose the signature. https://docs.drand.love describes the scheme.

export interface BeaconChain {
  /** The hash of the chain's parameters, which identifies the chain everywhere. */
  hash: string
  /** The public key of the group, in hex: a point of G2 of BLS12-381. Signatures are points of G1. */
  publicKey: string
  genesisMs: number
  periodMs: number
}

/** The chain of the League of Entropy with a round every three seconds (scheme bls-unchained-g1-rfc9380). */
export const QUICKNET: BeaconChain = {
  hash: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
  publicKey:
    '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  genesisMs: 1_692_803_367_000,
  periodMs: 3_000,
}

/** Returns the first round published at or after this time. Round 1 is published at the genesis. */
export const firstRoundFrom = ({ genesisMs, periodMs }: BeaconChain, atMs: number): number =>
  Math.max(1, Math.ceil((atMs - genesisMs) / periodMs) + 1)

/** Returns when a round is published. */
export const publishedAtMs = ({ genesisMs, periodMs }: BeaconChain, round: number): number =>
  genesisMs + (round - 1) * periodMs

/** Returns the random value of a round: the hash of its signature. */
export const randomnessOf = (signature: string): string =>
  createHash('sha256').update(Buffer.from(signature, 'hex')).digest('hex')

const SIGNED_AS = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'

/** Returns the signed message of a round: the hash of its number as eight bytes. */
function messageOf(round: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(round))
  return createHash('sha256').update(bytes).digest()
}

/** Returns whether the group of the chain signed this round. Takes a twentieth of a second, and is rarely called. */
export async function isSigned({ publicKey }: BeaconChain, round: number, signature: string): Promise<boolean> {
  const { bls12_381 } = await import('@noble/curves/bls12-381.js')
  const { shortSignatures } = bls12_381
  const message = shortSignatures.hash(messageOf(round), SIGNED_AS)
  try {
    return shortSignatures.verify(Buffer.from(signature, 'hex'), message, Buffer.from(publicKey, 'hex'))
  } catch {
    // Not a point on the curve.
    return false
  }
}
