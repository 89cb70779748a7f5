/** The entries that were set or read last: at most twice as many, and as many bytes, as are new ones. */
export class Recent<Entry> {
  readonly #mostBytes: number
  readonly #mostNew: number
  #newer = new Map<string, Sized<Entry>>()
  #older = new Map<string, Sized<Entry>>()
  #newerBytes = 0
  #olderBytes = 0

  /** After so many bytes of new entries, or so many of them, those not used since as many before are dropped. */
  constructor(mostBytes: number, mostNew = Number.POSITIVE_INFINITY) {
    this.#mostBytes = mostBytes
    this.#mostNew = mostNew
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
    if (this.#newer.size < this.#mostNew && this.#newerBytes < this.#mostBytes) return
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
