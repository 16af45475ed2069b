import { isIP } from 'node:net'
import { groupAddress } from './addresses.js'

/** The block that an address is in: /24 of IPv4, /48 of IPv6. What is no address is in one block with all of its kind. */
export function networkOf(address: string): string {
  const group = groupAddress(address)
  if (isIP(group) === 4) return `${group.split('.').slice(0, 3).join('.')}.0/24`
  return group.endsWith('::/64') ? `${group.split(':').slice(0, 3).join(':')}::/48` : 'unknown'
}
