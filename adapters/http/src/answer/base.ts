/**
 * Address that links in answers begin with (contract, 1.13), without a trailing slash. A server without clients may be
 * behind a proxy that distinguishes clients by path: then the first label of the host is the path of the client.
 * @param prefix without a trailing slash; empty without such a proxy
 * @param client the first segment of the path, if the server itself has clients: empty for its own pages
 */
export function baseAddress(request: Request, prefix: string, client?: string): string {
  if (client !== undefined) return (prefix || visitorOrigin(request)) + (client === '' ? '' : `/${client}`)
  if (prefix === '') return visitorOrigin(request)
  return `${prefix}/${new URL(request.url).hostname.split('.')[0]}`
}

/** Address of the root relative to a path below it, without a trailing slash: `..` for `/docs/`. */
export function relativeRoot(pathname: string): string {
  const steps = pathname.split('/').length - 2
  return steps === 0 ? '.' : Array(steps).fill('..').join('/')
}

/** Scheme, host and port as the visitor sees them: a proxy that terminates TLS says so in X-Forwarded-Proto. */
export function visitorOrigin(request: Request): string {
  const url = new URL(request.url)
  return request.headers.get('X-Forwarded-Proto') === 'https' ? `https://${url.host}` : url.origin
}
