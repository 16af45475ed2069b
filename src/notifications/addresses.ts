import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Networks that are not the public Internet, or that lead to such a one: a webhook is not sent there unless a setting allows. */
const PRIVATE: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // `::`, `::1` and IPv4 in IPv6; then translations of IPv4, tunnels, documentation, local and multicast.
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
]

const list = new BlockList()
for (const [address, prefix] of PRIVATE) list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Whether an IP address is not of the public Internet. An IPv4 address in IPv6, `::ffff:10.0.0.1`, counts as itself. */
export function isPrivateAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}

/** The IP address that the host of a URL is; undefined for a name. */
export function addressOf(hostname: string): string | undefined {
  const plain = hostname.replace(/^\[|\]$/g, '')
  return isIP(plain) === 0 ? undefined : plain
}

export class PrivateAddressError extends Error {
  constructor(hostname: string) {
    super(`${hostname} is at a private address`)
    this.name = 'PrivateAddressError'
  }
}

/** Asks for all addresses of a name; only tests give their own. */
export type Resolve = (hostname: string, callback: (error: Error | null, addresses: LookupAddress[]) => void) => void

const DNS_MS = 2_000

/**
 * Asks DNS itself, not the system: its look-ups hold one of few threads each, which files need too, for as long as a name server
 * is silent. `servers`: in place of those of the system.
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
 * What a socket looks its host up with: the addresses that are checked are those that it connects to. A name with one private
 * address is refused whole, with a PrivateAddressError.
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
