import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { deriveKey } from './seal.js'

const SCOPE_BYTES = 8
const BLOCK_BYTES = 16

/** Encodes the numbers of one sequence so that they reveal neither their order nor how many there are. */
export interface OpaqueNumbers {
  /** Returns the same text whenever the number is the same. */
  hide(number: number): string
  /** Returns undefined for a string that was not made for this scope. */
  reveal(text: string): number | undefined
}

/**
 * Encodes each number, together with a digest of the scope, as one AES block. AES is a permutation, so nothing needs to be
 * stored. A text from another scope, or an invented one, is recognized because its digest differs. `purpose` separates this
 * use of `key` from others.
 */
export function createOpaqueNumbers(key: Buffer, purpose: string, scope: string): OpaqueNumbers {
  const blockKey = deriveKey(key, purpose)
  const digest = createHash('sha256').update(scope).digest().subarray(0, SCOPE_BYTES)
  return {
    hide(number) {
      const block = Buffer.concat([digest, Buffer.alloc(BLOCK_BYTES - SCOPE_BYTES)])
      block.writeBigUInt64BE(BigInt(number), SCOPE_BYTES)
      return createCipheriv('aes-256-ecb', blockKey, null).setAutoPadding(false).update(block).toString('base64url')
    },
    reveal(text) {
      const block = Buffer.from(text.slice(0, 2 * BLOCK_BYTES), 'base64url')
      // Decoding is lenient, so only a string that we could have produced is accepted.
      if (block.length !== BLOCK_BYTES || block.toString('base64url') !== text) return undefined
      const plain = createDecipheriv('aes-256-ecb', blockKey, null).setAutoPadding(false).update(block)
      if (!plain.subarray(0, SCOPE_BYTES).equals(digest)) return undefined
      return Number(plain.readBigUInt64BE(SCOPE_BYTES))
    },
  }
}
