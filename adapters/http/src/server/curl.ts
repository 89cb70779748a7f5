import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { resolve } from 'node:path'

/** How a server is called from a shell on its own machine. */
export interface Curl {
  /** The program with the options that it needs. */
  readonly curl: string
  /** What the address of a call begins with. */
  readonly base: string
}

/**
 * With a certificate, its file is what curl trusts, as nobody else may know who has signed it; and the name that it is for is
 * called, at the address where the server listens.
 * @param base address of the server
 */
export async function curlOf(base: string, certificate: string | undefined): Promise<Curl> {
  if (certificate === undefined) return { curl: 'curl', base }
  const curl = `curl --cacert ${quoted(resolve(certificate))}`
  const { hostname, port } = new URL(base)
  const at = `${hostname}:${port || 443}`
  const name = nameFor(new X509Certificate(await readFile(certificate)), hostname.replace(/^\[|\]$/g, ''))
  if (name === undefined) return { curl, base }
  return { curl: `${curl} --connect-to ${name}:${port || 443}:${at}`, base: `https://${name}:${port || 443}` }
}

/** A name that the certificate is for, unless it is for the one that is there. */
function nameFor(certificate: X509Certificate, host: string): string | undefined {
  const isNamed = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)
  if (isNamed !== undefined) return undefined
  const [, name] = /DNS:((?:\*\.)?[\w-]+(?:\.[\w-]+)*)/.exec(certificate.subjectAltName ?? '') ?? []
  return name?.replace('*', 'www')
}

/** A path as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
