import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { limit } from '../../lib/limits.js'

const inflate = promisify(gunzip)
const INFLATED_MAX = limit('deliveryInflatedBytes')

/** Some SDKs compress a body and label it as a form: the bytes say it. */
const isGzip = (bytes: Buffer): boolean => bytes.length > 2 && bytes[0] === 0x1f && bytes[1] === 0x8b

/** The bytes of a delivery, inflated; undefined for what cannot be inflated within the bound. */
export async function inflateBytes(bytes: Buffer, bytesMax = INFLATED_MAX): Promise<Buffer | undefined> {
  if (!isGzip(bytes)) return bytes
  return await inflate(bytes, { maxOutputLength: bytesMax }).catch(() => undefined)
}
