/** Number of new entries after which those not used since as many before are dropped. */
const MOST_NEW = 2_048

/** The entries that were set or read last: with twice the bytes given, at most. */
export class Recent<Entry> {
  readonly #mostBytes: number
  #newer = new Map<string, Sized<Entry>>()
  #older = new Map<string, Sized<Entry>>()
  #newerBytes = 0
  #olderBytes = 0

  /** @param mostBytes of new entries after which those not used since are dropped, too */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get bytes(): number {
    return this.#newerBytes + this.#olderBytes
  }

  clear(): void {
    if (this.#newer.size > 0) this.#newer = new Map()
    if (this.#older.size > 0) this.#older = new Map()
    this.#newerBytes = 0
    this.#olderBytes = 0
  }

  get(name: string): Entry | undefined {
    const newest = this.#newer.get(name)
    if (newest) return newest.entry
    const known = this.#older.get(name)
    if (known) this.set(name, known.entry, known.bytes)
    return known?.entry
  }

  set(name: string, entry: Entry, bytes: number): void {
    this.#newerBytes += bytes - (this.#newer.get(name)?.bytes ?? 0)
    this.#newer.set(name, { entry, bytes })
    if (this.#newer.size < MOST_NEW && this.#newerBytes < this.#mostBytes) return
    this.#older = this.#newer
    this.#olderBytes = this.#newerBytes
    this.#newer = new Map()
    this.#newerBytes = 0
  }
}

interface Sized<Entry> {
  readonly entry: Entry
  readonly bytes: number
}
