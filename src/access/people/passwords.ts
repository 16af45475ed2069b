import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import type { Passwords } from '../../http/context.js'
import { newSalt } from '../../lib/tokens.js'
import { createPasswordQueue } from './password-queue.js'

const HASH_BYTES = 32
/** scrypt needs 128 · N · r bytes, 32 MiB here, and a little more. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024

/** The scrypt parameters log2(N), r and p, which take 224 ms of one core. */
const COST: Cost = { ln: 15, r: 8, p: 3 }

interface Cost {
  ln: number
  r: number
  p: number
}

/** Hashes passwords with scrypt into PHC strings, `passwordsAtOnce` at a time. Tests pass a lower `cost`. */
export function createPasswords(cost: Cost = COST): Passwords {
  const takeTurn = createPasswordQueue()
  const noHash = toPhc(cost, newSalt(), Buffer.alloc(HASH_BYTES))

  return {
    hash: (password, caller, like) =>
      takeTurn(caller, async () => {
        const salt = like == null ? newSalt() : parsePhc(like).salt
        return toPhc(cost, salt, await derive(password, salt, cost))
      }),
    findMatches: (password, findHashes, caller) =>
      takeTurn(caller, async () => {
        const hashes = await findHashes()
        const derived = new Map<string, Buffer>()
        const matches: boolean[] = []
        // Without any hash the same work is done, so that the time does not reveal it.
        for (const hash of hashes.some((one) => typeof one === 'string') ? hashes : [...hashes, noHash]) {
          if (typeof hash !== 'string') {
            matches.push(false)
            continue
          }
          const { salt, wanted, ...costs } = parsePhc(hash)
          const like = hash.slice(0, hash.lastIndexOf('$'))
          const found = derived.get(like) ?? (await derive(password, salt, costs))
          derived.set(like, found)
          matches.push(timingSafeEqual(found, wanted) && hash !== noHash)
        }
        return matches
      }),
    async matches(password, findHash, caller) {
      const [isMatch = false] = await this.findMatches(password, async () => [await findHash()], caller)
      return isMatch
    },
  }
}

function derive(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** ln, r, p, maxmem: MEMORY_BYTES_MAX }
  return new Promise((resolve, reject) => {
    // Normalized, because keyboards compose the same characters differently.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

const toPhc = ({ ln, r, p }: Cost, salt: Buffer, hash: Buffer): string =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(hash)}`

/** PHC strings have no padding. */
const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replace(/={1,2}$/, '')

function parsePhc(text: string): Cost & { salt: Buffer; wanted: Buffer } {
  const [, ln, r, p, salt, hash] = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(text) ?? []
  if (hash === undefined) throw new Error('a password hash has an unknown form')
  return {
    ln: Number(ln),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt!, 'base64'),
    wanted: Buffer.from(hash, 'base64'),
  }
}
