import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '../src/interface/generated/types.js'

/** Flags of the authenticator data: user present, user verified, credential data attached. */
const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

interface Credential {
  id: string
  rpId: string
  userHandle: string
  privateKey: KeyObject
  counter: number
}

/** Values that replace the right ones to make a wrong answer. */
interface Wrong {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  counter?: number
  verified?: boolean
  userHandle?: string | undefined
  signature?: string
}

/**
 * A software authenticator with discoverable ES256 credentials that counts its signatures. It signs whatever it is asked
 * to.
 */
export class Authenticator {
  readonly credentials: Credential[] = []

  constructor(readonly origin: string) {}

  /** Answers as navigator.credentials.create does. */
  create(options: PasskeyCreationOptions, wrong: Wrong = {}): PasskeyAttestation {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = randomBytes(32)
    const credential = {
      id: id.toString('base64url'),
      rpId: options.rp.id,
      userHandle: options.user.id,
      privateKey,
      counter: 0,
    }
    this.credentials.push(credential)
    const { x, y } = publicKey.export({ format: 'jwk' })
    // COSE: kty EC2, alg ES256, crv P-256, x, y.
    const key = cborMap([
      [cborInteger(1), cborInteger(2)],
      [cborInteger(3), cborInteger(-7)],
      [cborInteger(-1), cborInteger(1)],
      [cborInteger(-2), cborBytes(Buffer.from(x!, 'base64url'))],
      [cborInteger(-3), cborBytes(Buffer.from(y!, 'base64url'))],
    ])
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const data = Buffer.concat([
      authenticatorData(wrong.rpId ?? options.rp.id, PRESENT | (wrong.verified === false ? 0 : VERIFIED) | ATTESTED, 0),
      ...[Buffer.alloc(16), length, id, key],
    ])
    const attestationObject = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(data)],
    ])
    const clientDataJSON = this.clientData('webauthn.create', options.challenge, wrong)
    return {
      ...{ id: credential.id, rawId: credential.id, type: 'public-key' },
      response: {
        clientDataJSON: clientDataJSON.toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      },
    }
  }

  /** Answers as navigator.credentials.get does. */
  get(
    options: PasskeyRequestOptions,
    wrong: Wrong = {},
    credential: Credential = this.credentials[0]!,
  ): PasskeyAssertion {
    credential.counter = wrong.counter ?? credential.counter + 1
    const flags = PRESENT | (wrong.verified === false ? 0 : VERIFIED)
    const data = authenticatorData(wrong.rpId ?? options.rpId, flags, credential.counter)
    const clientDataJSON = this.clientData('webauthn.get', options.challenge, wrong)
    const signature = createSign('sha256')
      .update(Buffer.concat([data, createHash('sha256').update(clientDataJSON).digest()]))
      .sign(credential.privateKey, 'base64url')
    const userHandle = 'userHandle' in wrong ? wrong.userHandle : credential.userHandle
    return {
      ...{ id: credential.id, rawId: credential.id, type: 'public-key' },
      response: {
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: wrong.signature ?? signature,
        ...(userHandle === undefined ? {} : { userHandle }),
      },
    }
  }

  private clientData(type: string, challenge: string, wrong: Wrong): Buffer {
    const { origin } = { ...this, ...wrong }
    return Buffer.from(JSON.stringify({ type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, origin }))
  }
}

function authenticatorData(rpId: string, flags: number, counter: number): Buffer {
  const tail = Buffer.alloc(5)
  tail.writeUInt8(flags)
  tail.writeUInt32BE(counter, 1)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), tail])
}

// The part of CBOR (RFC 8949) that attestations use.

function cborHead(type: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(type << 5) | value])
  if (value < 0x100) return Buffer.from([(type << 5) | 24, value])
  return Buffer.from([(type << 5) | 25, value >> 8, value & 0xff])
}

const cborInteger = (value: number): Buffer => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes])
const cborText = (text: string): Buffer => Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)])
const cborMap = (entries: [Buffer, Buffer][]): Buffer => Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
