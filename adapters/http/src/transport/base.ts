/**
 * Address that links in answers begin with (contract, 1.13), without a slash at the end. Behind a proxy that tells
 * clients apart by path, the first label of the host is the path of the client.
 * @param prefix without a slash at the end; empty without such a proxy
 */
export function baseAddress(request: Request, prefix: string): string {
  if (prefix === '') return visitorOrigin(request)
  return `${prefix}/${new URL(request.url).hostname.split('.')[0]}`
}

/** Address of the root relative to that of the request, without a slash at the end: `..` for `/docs/`. */
export function relativeRoot({ pathname }: URL): string {
  const steps = pathname.split('/').length - 2
  return steps === 0 ? '.' : Array(steps).fill('..').join('/')
}

/** Scheme, host and port as the visitor sees them: a proxy that ends TLS says so in X-Forwarded-Proto. */
export function visitorOrigin(request: Request): string {
  const url = new URL(request.url)
  return request.headers.get('X-Forwarded-Proto') === 'https' ? `https://${url.host}` : url.origin
}
