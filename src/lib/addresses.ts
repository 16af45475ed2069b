import { BlockList, isIP } from 'node:net'

/** Whether it is an IP address, or one with the length of its prefix. */
export function isSubnet(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0 || address.includes('%')) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
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
    // The zone of a link-local address is this machine's own affair.
    const [plain = ''] = address.split('%')
    const version = isIP(plain)
    // An IPv4 address that came over an IPv6 socket, `::ffff:192.0.2.1`, is found in IPv4 subnets as well.
    const isIn = version !== 0 && list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
    if (isIn) known = address
    return isIn
  }
}

/** What is one caller's most likely: an IPv4 address, the first 64 bits of an IPv6 one. */
export function groupAddress(address: string): string {
  const [plain = ''] = address.split('%')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  if (isIP(plain) !== 6) return plain.slice(0, ADDRESS_CHARS_MAX)
  const [head = '', tail] = plain.split('::')
  const groupsOf = (text: string): string[] => text.split(':').filter((group) => group !== '')
  const first = groupsOf(head)
  if (tail !== undefined) {
    const last = groupsOf(tail)
    // An IPv4 address at the end stands for two groups.
    const given = first.length + last.length + (tail.includes('.') ? 1 : 0)
    first.push(...Array<string>(8 - given).fill('0'), ...last)
  }
  return `${first
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** What one network has at little cost: the /24 of an IPv4 address, the /48 of an IPv6 one. */
export function blockOf(address: string): string {
  const group = groupAddress(address)
  if (isIP(group) === 4) return `${group.slice(0, group.lastIndexOf('.'))}.0/24`
  return group.endsWith('::/64') ? `${group.split(':').slice(0, 3).join(':')}::/48` : group
}

/** What a proxy names need not be an address. */
const ADDRESS_CHARS_MAX = 64

/** Whether the host of a URL is the machine itself: browsers do without TLS there. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\.[\d.]+$/.test(hostname)
