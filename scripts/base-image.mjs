// `node scripts/base-image.mjs check | pin` keeps the digest of the Dockerfile's base image, so that two builds of one
// commit start from the same bytes. `check` fails if the Dockerfile has no digest, or if the tag now refers to another
// image. `pin` writes the tag's current digest. If the registry does not answer, `check` prints a warning and succeeds.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { baseImage, readText } from './shipped.mjs'

/** BASE_IMAGE_REGISTRY can be set to a mirror. */
const REGISTRY = process.env.BASE_IMAGE_REGISTRY || 'https://registry-1.docker.io'
const TIMEOUT_MS = 20_000
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
const say = (line) => process.stdout.write(`${line}\n`)

const ask = (url, headers) => fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })

/** Returns the digest of the index that the tag refers to, for all platforms, computed from its bytes. */
async function presentDigest({ repository, tag }) {
  const url = `${REGISTRY}/v2/library/${repository}/manifests/${tag}`
  const accept = INDEX_TYPES.join(', ')
  let answer = await ask(url, { accept })
  if (answer.status === 401) {
    const token = await tokenFor(answer.headers.get('www-authenticate') ?? '')
    answer = await ask(url, { accept, authorization: `Bearer ${token}` })
  }
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  const type = answer.headers.get('content-type')?.split(';')[0]
  if (!INDEX_TYPES.includes(type)) throw new Error(`${url} answered ${type}, which is not an index of platforms`)
  const digest = `sha256:${createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex')}`
  const named = answer.headers.get('docker-content-digest')
  if (named !== null && named !== digest)
    throw new Error(`${url} names the digest ${named}, but its bytes have ${digest}`)
  return digest
}

/** Gets a token from the address in the registry's refusal. A public image needs no credentials for it. */
async function tokenFor(challenge) {
  const { realm, ...query } = Object.fromEntries(
    [...challenge.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  )
  if (realm === undefined) throw new Error('the registry refuses the request and does not say where to get a token')
  const answer = await ask(`${realm}?${new URLSearchParams(query)}`, {})
  if (!answer.ok) throw new Error(`${realm} answered ${answer.status}`)
  const { token, access_token } = await answer.json()
  return token ?? access_token
}

const reason = (error) => (error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message)

async function check(image) {
  if (image.digest === undefined) {
    say(`The Dockerfile names ${image.repository}:${image.tag} without a digest. Run: npm run base-image -- pin`)
    return 1
  }
  try {
    const present = await presentDigest(image)
    if (present === image.digest) say(`The Dockerfile's digest is that of ${image.repository}:${image.tag} today.`)
    else say(`${image.repository}:${image.tag} is now another image, ${present}. Run: npm run base-image -- pin`)
    return present === image.digest ? 0 : 1
  } catch (error) {
    say(`The base image is pinned. Its tag could not be checked, because the registry did not answer: ${reason(error)}`)
    return 0
  }
}

async function pin(image) {
  try {
    const digest = await presentDigest(image)
    const dockerfile = readText('Dockerfile').replace(/^ARG NODE=.*$/m, `ARG NODE=${image.tag}@${digest}`)
    writeFileSync(new URL('../Dockerfile', import.meta.url), dockerfile)
    say(`The Dockerfile now uses ${image.repository}:${image.tag}@${digest}.`)
    return 0
  } catch (error) {
    say(`The Dockerfile is unchanged, because the registry sent no digest: ${reason(error)}`)
    return 1
  }
}

const steps = { check, pin }
const step = steps[process.argv[2]]
if (step === undefined) say('base-image.mjs check | pin')
process.exitCode = step === undefined ? 1 : await step(baseImage())
