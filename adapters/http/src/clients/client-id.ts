/** First segments of paths that the host has for itself, now or in a later version. */
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

export const clientIdRule =
  '1 to 50 lower-case letters a to z, digits, hyphens and underscores, the first one a letter or digit'

const pattern = /^[a-z0-9][a-z0-9_-]{0,49}$/

/** What keeps a text from being the id of a client; undefined when it may be one. */
export function clientIdProblem(text: string): string | undefined {
  const shown = JSON.stringify(text.slice(0, 60))
  if (!pattern.test(text)) return `The id of a client is ${shown}; expected ${clientIdRule}`
  if (!reserved.has(text)) return undefined
  return `The id of a client is ${shown}, which the server uses itself; expected none of ${[...reserved].join(', ')}`
}

/** The client that the first segment of a path means, in any case; undefined when it can mean none. */
export function clientIdOf(segment: string): string | undefined {
  // Before the case is changed: a long segment is no id.
  if (segment.length > 50) return undefined
  const id = segment.toLowerCase()
  return pattern.test(id) && !reserved.has(id) ? id : undefined
}
