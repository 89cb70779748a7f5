/** The path of a request, brought to one form (contract, 1.1). */
export interface RequestPath {
  /** What routes are matched by: lower case, no empty segments, none at the end. */
  readonly route: string
  /** Percent-decoded; their case is kept. */
  readonly segments: readonly string[]
  /** Some segment does not decode to UTF-8: it names nothing, and no route may read it. */
  readonly malformed: boolean
}

/**
 * An id as a segment of a path. `.` and `..` never arrive, escaped or not, because addresses are normalized on their way. So dots
 * are escaped twice, and a text that looks like an escaped dot is escaped once more.
 */
export function pathSegment(id: string): string {
  const dots = /^(?:\.|%(?:25)*2e){1,2}$/i.test(id)
  return encodeURIComponent(dots ? id.replaceAll('%', '%25').replaceAll('.', '%2E') : id)
}

function withoutDotEscape(segment: string): string {
  if (!/^(?:%(?:25)*2e){1,2}$/i.test(segment)) return segment
  return segment.replace(/%(25|2e)/gi, (_, escaped: string) => (escaped === '25' ? '%' : '.'))
}

/** Repeated slashes count as one, and a trailing slash is ignored; an encoded slash stays part of its segment. */
export function parsePath(pathname: string): RequestPath {
  const raw = pathname.split('/').filter(segment => segment !== '')
  const decoded = raw.map(decode)
  const segments = decoded.map((segment, at) => segment ?? raw[at]!)
  const route = segments.map(segment => encodeURIComponent(segment.toLowerCase()))
  return { route: `/${route.join('/')}`, segments, malformed: decoded.includes(undefined) }
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return withoutDotEscape(decodeURIComponent(segment))
  } catch {
    return undefined
  }
}

/** The first segment of a path, decoded, and what comes after it; empty for `/`. */
export function firstSegment(pathname: string): { segment: string; rest: string } {
  const [, raw = '', rest = ''] = /^\/*([^/]*)(.*)$/s.exec(pathname) ?? []
  return { segment: decode(raw) ?? raw, rest: rest === '' ? '/' : rest }
}

export interface PathPattern {
  /** In the syntax of the router: `/api/tags/:at2`. */
  readonly route: string
  /** The members of the path under the names of the pattern. */
  members(path: RequestPath): Record<string, string>
}

/** @param path as in the table of routes, `/api/Tags/{id}` */
export function pathPattern(path: string): PathPattern {
  const parts = path.split('/').filter(part => part !== '')
  const places = parts.flatMap((part, at) => (part.startsWith('{') ? [{ name: part.slice(1, -1), at }] : []))
  const route = parts.map((part, at) => (part.startsWith('{') ? `:at${at}` : part.toLowerCase()))
  return {
    route: `/${route.join('/')}`,
    members: ({ segments }) => Object.fromEntries(places.map(({ name, at }) => [name, segments[at]!])),
  }
}
