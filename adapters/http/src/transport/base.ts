/**
 * Address that links in answers begin with (contract, 1.13), without a slash at the end. Behind a proxy that tells
 * clients apart by path, the first label of the host is the path of the client.
 * @param prefix without a slash at the end; empty without such a proxy
 */
export function baseAddress(url: URL, prefix: string): string {
  if (prefix === '') return url.origin
  return `${prefix}/${url.hostname.split('.')[0]}`
}
