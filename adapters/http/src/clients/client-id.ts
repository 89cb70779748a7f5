/** First segments of paths that the host reserves for itself, now or for later versions. */
const reserved = new Set([
  'api',
  'assets',
  'clients',
  'docs',
  'files',
  'health',
  'metrics',
  'openapi',
  'ready',
  'setup',
  'swagger',
  'update',
])

const clientIdRule =
  '1 to 50 lower-case letters a to z, digits, hyphens and underscores, the first one a letter or digit'

const pattern = /^[a-z0-9][a-z0-9_-]{0,49}$/

/** Why a text cannot be the id of a client; undefined if it can. */
export function clientIdProblem(text: string): string | undefined {
  const shown = JSON.stringify(text.slice(0, 60))
  if (!pattern.test(text)) return `The id of a client is ${shown}; expected ${clientIdRule}`
  if (!reserved.has(text)) return undefined
  return `The id of a client is ${shown}, which is reserved for the server; expected none of ${[...reserved].join(', ')}`
}

/** The client id in the first segment of a path, in any case; undefined if that cannot be one. */
export function clientIdOf(segment: string): string | undefined {
  // Checked before the case is changed: a long segment is not an id.
  if (segment.length > 50) return undefined
  const id = segment.toLowerCase()
  return pattern.test(id) && !reserved.has(id) ? id : undefined
}
