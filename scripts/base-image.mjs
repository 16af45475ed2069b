// `node scripts/base-image.mjs check | pin` keeps the base image of the Dockerfile named by its digest, so that two
// builds of one commit begin from the same bytes. `check` fails where no digest stands, or where the registry says that
// the tag means another image by now. `pin` writes the present digest. A registry that does not answer is said, and is
// no failure of `check`.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { baseImage, readText } from './shipped.mjs'

/** BASE_IMAGE_REGISTRY names a mirror. */
const REGISTRY = process.env.BASE_IMAGE_REGISTRY || 'https://registry-1.docker.io'
const TIMEOUT_MS = 20_000
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]
const say = (line) => process.stdout.write(`${line}\n`)

const ask = (url, headers) => fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })

/** Gives the digest of the index that the tag names, for all platforms, computed from its bytes. */
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

/** A registry says in its refusal where to get a token, which costs nothing for a public image. */
async function tokenFor(challenge) {
  const { realm, ...query } = Object.fromEntries(
    [...challenge.matchAll(/\b(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
  )
  if (realm === undefined) throw new Error('the registry refuses and names no place for a token')
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
    if (present === image.digest) say(`The Dockerfile begins from what ${image.repository}:${image.tag} means today.`)
    else say(`${image.repository}:${image.tag} is another image by now, ${present}. Run: npm run base-image -- pin`)
    return present === image.digest ? 0 : 1
  } catch (error) {
    say(
      `The base image is pinned; whether its tag has moved on is not known, because the registry did not answer: ${reason(error)}`,
    )
    return 0
  }
}

async function pin(image) {
  try {
    const digest = await presentDigest(image)
    const dockerfile = readText('Dockerfile').replace(/^ARG NODE=.*$/m, `ARG NODE=${image.tag}@${digest}`)
    writeFileSync(new URL('../Dockerfile', import.meta.url), dockerfile)
    say(`The Dockerfile begins from ${image.repository}:${image.tag}@${digest}.`)
    return 0
  } catch (error) {
    say(`The Dockerfile is as it was, because the registry gave no digest: ${reason(error)}`)
    return 1
  }
}

const steps = { check, pin }
const step = steps[process.argv[2]]
if (step === undefined) say('base-image.mjs check | pin')
process.exitCode = step === undefined ? 1 : await step(baseImage())
