/**
 * What may differ between two runs of the same build, and is replaced by its name or number: nothing else is. Everything
 * else that could differ is fixed instead: the clock, and the random numbers of the engine.
 */
const different: readonly (readonly [what: string, pattern: RegExp])[] = [
  // Ids of jobs, services, cursors, keys, files and installations: by the order in which they are first seen.
  ['id', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ['file', /(?<=\/files\/)[\w-]{16,}/g],
  ['request', /(?<="x-request-id":")[0-9a-f]{32}(?=")/g],
  // Made of random bytes, and shown once.
  ['key', /\bfindling_[\w-]{40,}/g],
  ['token', /(?<=token=)[\w-]{16,}/g],
  ['cookie', /(?<=setup=)[\w-]{16,}/g],
  // Encrypted with a random key of the process; the tag of an answer is of the text that holds it.
  ['query', /(?<="QueryId\\?":\\?")[\w-]{40,}(?=\\?")/g],
  ['etag', /(?<=W\/\\?")[\w-]{22}(?=\\?")/g],
  // Signed with a key that every installation makes for itself.
  ['licence', /\bPExpY2Vuc2U\+[\w+/=]{100,}/g],
  // In examples of the API's description: a name that no key has, and a secret.
  ['number', /(?<=\bSearch box )\d+/g],
  ['secret', /(?<="Secret\\?":\\?")[\w-]{24}(?=\\?")/g],
  ['address', /127\.0\.0\.1:\d+/g],
]

/**
 * A backup also has what was saved in the background just before, and random keys pack differently in each. Whether two sizes
 * are the same is chance, so they have no names.
 */
const sizes = /\b\d+(?= bytes\.| entries,)/g

/** Members of answers that tell of the machine and its load. */
const measured = new Set([
  ...['CpuUsage', 'AvailableFreeSpace', 'TotalSpace', 'TotalMemory', 'FreeMemory', 'ProcessorCount'],
  // Bytes on disk and in memory.
  ...['total', 'Total', 'index', 'Index', 'Size', 'bytes', 'written'],
])

export class Normal {
  readonly #secrets: readonly string[]
  readonly #seen = new Map<string, string>()

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
  }

  text(text: string): string {
    let normal = text.replace(sizes, '<size>')
    for (const secret of this.#secrets) normal = normal.replaceAll(secret, '<folder>')
    for (const [what, pattern] of different)
      normal = normal.replace(pattern, found => this.#name(what, found))
    return normal
  }

  #name(what: string, found: string): string {
    let name = this.#seen.get(found)
    if (name === undefined) {
      name = `<${what} ${this.#seen.size + 1}>`
      this.#seen.set(found, name)
    }
    return name
  }
}

/** An answer that tells of the machine, with only the names of what was measured. */
export function withoutMeasures(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMeasures)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      measured.has(name) && typeof one === 'number' ? '<measured>' : withoutMeasures(one),
    ]),
  )
}
