import { isIPv6 } from 'node:net'

const mappedIPv4 = '::ffff:'

/**
 * The unit by which failures are counted: an IPv4 address, or the /64 network of an IPv6 address, which is what a single
 * customer gets (RFC 6177) and can take any number of addresses from.
 */
export function clientNetwork(address: string): string {
  const lower = address.toLowerCase()
  if (lower.startsWith(mappedIPv4) && lower.includes('.')) return lower.slice(mappedIPv4.length)
  return isIPv6(lower) ? networkOf(lower) : lower
}

function networkOf(address: string): string {
  const [before = '', after] = address.split('::')
  const head = groupsOf(before)
  // `::` stands for as many zero groups as are missing from eight.
  const zeros = after === undefined ? 0 : 8 - head.length - groupsOf(after).length
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...groupsOf(after ?? '')]
  const network = groups.slice(0, 4).map(group => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

function groupsOf(part: string): string[] {
  return part.split(':').filter(group => group !== '')
}
