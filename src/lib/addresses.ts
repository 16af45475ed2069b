import { BlockList, isIP } from 'node:net'

/** True for an IP address and for one with the length of its prefix. */
export function isSubnet(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** True if a subnet contains all addresses of another one. */
export function isSubnetWithin(subnet: string, outer: string): boolean {
  const [address = '', prefix] = subnet.split('/')
  const [outerAddress = '', outerPrefix] = outer.split('/')
  const version = isIP(address)
  if (version === 0 || version !== isIP(outerAddress)) return false
  const bits = version === 4 ? 32 : 128
  return Number(prefix ?? bits) >= Number(outerPrefix ?? bits) && createAddressList([outer])(address)
}

/** The host of a URL as programs take it: an IPv6 address without its brackets. */
export const bareHost = (hostname: string): string =>
  hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname

/**
 * The address alone, as each of its spellings: without the port and brackets that some proxies write, without the zone
 * of a link-local one, which is this machine's own affair, and an IPv4 address that is mapped into IPv6 as IPv4. A text
 * that is no address stays as it is.
 */
export function plainAddress(text: string): string {
  if (!text.includes(':')) return text
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  const [plain = ''] = (bracketed ?? withPort ?? text).split('%')
  const version = isIP(plain)
  if (version === 0) return text
  return version === 6 ? (mappedAddress(plain) ?? plain) : plain
}

/** The IPv4 address that an IPv6 one maps, `::ffff:192.0.2.1` or `::ffff:c000:201`; undefined for any other. */
function mappedAddress(address: string): string | undefined {
  const groups = groupsOf(address)
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return undefined
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const hex = address.replace(/(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/, (_, ...bytes) => {
    const [a, b, c, d] = bytes.map(Number) as [number, number, number, number]
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail] = hex.split('::')
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const first = parse(head)
  if (tail === undefined) return first
  const last = parse(tail)
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}

/** Makes what tells whether an address is in one of the subnets; undefined is in none. */
export function createAddressList(subnets: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', prefix] = subnet.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  /** The last one that is in the list: a look-up takes 4 µs, and a caller has one address or a few. */
  let known: string | undefined
  return (address) => {
    if (address === undefined) return false
    if (address === known) return true
    const plain = plainAddress(address)
    const version = isIP(plain)
    // A subnet may itself be written as one of mapped addresses.
    const isIn =
      version === 4
        ? list.check(plain, 'ipv4') || list.check(`::ffff:${plain}`, 'ipv6')
        : version === 6 && list.check(plain, 'ipv6')
    if (isIn) known = address
    return isIn
  }
}

/** Gives the part of an address that most likely is one caller: an IPv4 address, the first 64 bits of an IPv6 one. */
export function groupAddress(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain.slice(0, ADDRESS_CHARS_MAX)
  const network = groupsOf(plain).slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}

/** Tells if the address is one of this machine's own that no other machine reaches. */
export function isLoopbackAddress(address: string | undefined): boolean {
  const plain = plainAddress(address ?? '')
  const version = isIP(plain)
  return version === 4 ? plain.startsWith('127.') : version === 6 && groupsOf(plain).join() === '0,0,0,0,0,0,0,1'
}

const NO_NETWORK = 'unknown'

/** The block that one network has at little cost: the /24 of an IPv4 address, the /48 of an IPv6 one; all else is in one. */
export function networkOf(address: string): string {
  const group = groupAddress(address)
  if (isIP(group) === 4) return `${group.slice(0, group.lastIndexOf('.'))}.0/24`
  return group.endsWith('::/64') ? `${group.split(':').slice(0, 3).join(':')}::/48` : NO_NETWORK
}

/** The same, but that a text that is no address is in a block of its own. */
export function blockOf(address: string): string {
  const network = networkOf(address)
  return network === NO_NETWORK ? groupAddress(address) : network
}

/** A proxy may name something that is no address, so that its length is bounded. */
const ADDRESS_CHARS_MAX = 64

/** True if the host of a URL is the machine itself, where browsers do without TLS. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)

/** The address at which this machine reaches a service: the loopback one if it listens on every interface. */
export function reachableUrl(host: string, port: number | string): string {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const reached = everywhere[host] ?? host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
