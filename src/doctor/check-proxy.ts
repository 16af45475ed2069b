import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { reach } from '../graph/reachability.js'
import { bareHost } from '../lib/addresses.js'
import { type Examined, type Findings, findingsOf } from './finding.js'

const { ok, problem, warning } = findingsOf('proxy')

/** Checks that PUBLIC_URL leads here, and that callers keep their own addresses. */
export async function* checkProxy({ config }: Examined): Findings {
  const { publicUrl, trustProxy, host, port } = config.http
  if (publicUrl === undefined) {
    if (trustProxy.length === 0) return
    return yield warning(
      'TRUST_PROXY names proxies, but PUBLIC_URL is not set.',
      'Set PUBLIC_URL to the address of the proxy.',
    )
  }
  const answer = await reach(`${publicUrl}/healthz`).catch(() => undefined)
  if (answer === undefined) {
    yield warning(
      `PUBLIC_URL ${publicUrl} does not answer from here.`,
      'Start the service and the proxy, or check it from another machine.',
    )
  } else if (answer.status !== 200 || !answer.isGreenroom) {
    yield problem(
      `PUBLIC_URL ${publicUrl} answers ${answer.status}${answer.isGreenroom ? '' : ', but not from this service'}.`,
      'Let the proxy pass on the path without its prefix (deploy/).',
    )
  } else yield ok(`PUBLIC_URL ${publicUrl} leads here.`)
  if (trustProxy.length === 0 && !(await isOwnAddress(new URL(publicUrl), host, port))) {
    yield warning(
      'Callers appear with the address of the proxy in the log, the limits and the address checks of keys.',
      'Set TRUST_PROXY to its address, and let it set X-Forwarded-For.',
    )
  }
}

/** Returns whether callers reach the service at the URL without a proxy. */
async function isOwnAddress(url: URL, host: string, port: number): Promise<boolean> {
  if (url.protocol !== 'http:' || url.pathname !== '/' || Number(url.port || 80) !== port) return false
  const isOnAll = host === '0.0.0.0' || host === '::'
  const own = isOnAll
    ? Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))
    : await addressesOf(host)
  const addresses = await addressesOf(bareHost(url.hostname))
  return addresses.some((address) => own.includes(address) || (isOnAll && address.startsWith('127.')))
}

const addressesOf = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address)
