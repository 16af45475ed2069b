import { BlockList, isIP } from 'node:net'

/** Returns whether the text is an IP address, with or without a prefix length. */
export function isSubnet(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}

/** Returns whether a subnet contains all addresses of another one. */
export function isSubnetWithin(subnet: string, outer: string): boolean {
  const [address = '', prefix] = subnet.split('/')
  const [outerAddress = '', outerPrefix] = outer.split('/')
  const version = isIP(address)
  if (version === 0 || version !== isIP(outerAddress)) return false
  const bits = version === 4 ? 32 : 128
  return Number(prefix ?? bits) >= Number(outerPrefix ?? bits) && createAddressList([outer])(address)
}

/** Returns the host of a URL as programs expect it: an IPv6 address without brackets. */
export const bareHost = (hostname: string): string =>
  hostname.startsWith('[') && hostname.endsWith(']') ? hostname.slice(1, -1) : hostname

/**
 * Returns one spelling of an address: without the port and brackets that some proxies write, without the zone of a
 * link-local address, which only means something on its own machine, and as IPv4 if it is mapped into IPv6. Any other text
 * stays as it is.
 */
export function plainAddress(text: string): string {
  if (!text.includes(':')) return text
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? []
  const [plain = ''] = (bracketed ?? withPort ?? text).split('%')
  const version = isIP(plain)
  if (version === 0) return text
  return version === 6 ? (mappedAddress(plain) ?? plain) : plain
}

/** Returns the IPv4 address that an IPv6 address maps, `::ffff:192.0.2.1` or `::ffff:c000:201`; undefined for any other. */
function mappedAddress(address: string): string | undefined {
  const groups = groupsOf(address)
  if (groups[5] !== 0xffff || groups.slice(0, 5).some((group) => group !== 0)) return undefined
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Returns the eight groups of an IPv6 address. */
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

/** Returns a function that says whether an address is in one of the subnets; undefined is in none. */
export function createAddressList(subnets: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', prefix] = subnet.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  /** The last address found in the list: a lookup takes 4 µs, and callers have one address or a few. */
  let known: string | undefined
  return (address) => {
    if (address === undefined) return false
    if (address === known) return true
    const plain = plainAddress(address)
    const version = isIP(plain)
    // A subnet may itself be written with mapped addresses.
    const isIn =
      version === 4
        ? list.check(plain, 'ipv4') || list.check(`::ffff:${plain}`, 'ipv6')
        : version === 6 && list.check(plain, 'ipv6')
    if (isIn) known = address
    return isIn
  }
}

/**
 * Returns the part of an address that most likely belongs to one caller: an IPv4 address, or the first 64 bits of an IPv6
 * one.
 */
export function groupAddress(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain.slice(0, ADDRESS_CHARS_MAX)
  const network = groupsOf(plain).slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}

/** Returns whether the address is one of this machine's own that no other machine can reach. */
export function isLoopbackAddress(address: string | undefined): boolean {
  const plain = plainAddress(address ?? '')
  const version = isIP(plain)
  return version === 4 ? plain.startsWith('127.') : version === 6 && groupsOf(plain).join() === '0,0,0,0,0,0,0,1'
}

const NO_NETWORK = 'unknown'

/**
 * Returns the block that one network has at little cost: the /24 of an IPv4 address, or the /48 of an IPv6 one. All other
 * texts share one block.
 */
export function networkOf(address: string): string {
  const group = groupAddress(address)
  if (isIP(group) === 4) return `${group.slice(0, group.lastIndexOf('.'))}.0/24`
  return group.endsWith('::/64') ? `${group.split(':').slice(0, 3).join(':')}::/48` : NO_NETWORK
}

/** The same, except that a string that is not an address gets its own block. */
export function blockOf(address: string): string {
  const network = networkOf(address)
  return network === NO_NETWORK ? groupAddress(address) : network
}

/** A proxy may send something that is not an address, so its length is bounded. */
const ADDRESS_CHARS_MAX = 64

/** Returns whether the host of a URL is the machine itself, for which browsers do not require TLS. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)

/** Returns the address at which this machine reaches a service: the loopback address if it listens on every interface. */
export function reachableUrl(host: string, port: number | string): string {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const reached = everywhere[host] ?? host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
