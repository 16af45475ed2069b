import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { bareHost } from './addresses.js'

/** Addresses that the library calls public: one that every machine of Azure trusts, IPv4 in IPv6, and translations. */
const ALSO_PRIVATE: readonly (readonly [address: string, prefix: number])[] = [
  ['168.63.129.16', 32],
  ['::', 96],
  ['2001::', 23],
]
/** The part of IPv6 that is assigned to the public Internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

const list = new BlockList()
for (const [address, prefix] of ALSO_PRIVATE) list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Returns whether an IP address is not on the public Internet, or leads to one that is not. The server calls such an address
 * only if a setting allows it. An IPv4 address in IPv6, `::ffff:10.0.0.1`, counts as itself.
 */
export function isPrivateAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  if (list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')) return true
  const parsed = ipaddr.process(plain)
  if (parsed.range() !== 'unicast') return true
  return parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST)
}

/** Returns the IP address that the host of a URL is; undefined for a name. */
export function addressOf(hostname: string): string | undefined {
  const plain = bareHost(hostname)
  return isIP(plain) === 0 ? undefined : plain
}

export class PrivateAddressError extends Error {
  constructor(hostname: string) {
    super(`${hostname} is at a private address`)
    this.name = 'PrivateAddressError'
  }
}

/** Resolves all addresses of a name; only tests supply their own. */
export type Resolve = (hostname: string, callback: (error: Error | null, addresses: LookupAddress[]) => void) => void

const DNS_MS = 2_000

/**
 * Resolves names by DNS directly rather than through the system: a system lookup holds one of few threads, which files need
 * too, for as long as a name server does not answer. `servers` replace those of the system.
 */
export function createResolve(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: DNS_MS, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return async (hostname, callback) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ]
    const failed = four.status === 'rejected' ? four.reason : undefined
    callback(found.length === 0 ? (failed as Error) : null, found)
  }
}

const resolveByDns = createResolve()

/**
 * Returns a socket's lookup function, so that the checked addresses are the ones it connects to. It throws
 * PrivateAddressError for a name with any private address.
 */
export function publicLookup(resolve: Resolve = resolveByDns): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      if (error !== null) return callback(error, '')
      if (addresses.length === 0 || addresses.some(({ address }) => isPrivateAddress(address))) {
        return callback(new PrivateAddressError(hostname), '')
      }
      if (options.all === true) return callback(null, addresses)
      return callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}
