import { BlockList, isIP, isIPv6 } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether only this machine can reach an address. A name other than localhost may mean any address. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host.toLowerCase() === 'localhost'
  return loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')
}

interface Exposure {
  readonly host: string
  readonly tlsCert?: string | undefined
  readonly tlsKey?: string | undefined
  readonly trustProxy: boolean
  readonly insecure: boolean
}

/** Settings that must not be combined: keys travel with every request, so nobody must be able to eavesdrop. */
export function exposureMistakes({ host, tlsCert, tlsKey, trustProxy, insecure }: Exposure): string[] {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const [given, missing] =
      tlsKey === undefined
        ? ['FINDLING_TLS_CERT', 'FINDLING_TLS_KEY']
        : ['FINDLING_TLS_KEY', 'FINDLING_TLS_CERT']
    return [`${given} is set without ${missing}; expected both or neither`]
  }
  if (tlsCert !== undefined || isLoopback(host) || trustProxy || insecure) return []
  return [
    `HOST is ${JSON.stringify(host)}, which others can reach, and there is no TLS: the secret and all data would ` +
      'be readable by anybody on the network path. Set FINDLING_TLS_CERT and FINDLING_TLS_KEY to serve HTTPS; or ' +
      'start with --trust-proxy if a proxy with TLS stands in front, or with --insecure if you trust the whole ' +
      'network; or leave HOST at 127.0.0.1',
  ]
}
