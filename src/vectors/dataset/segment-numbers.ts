import type { VectorList } from '../model/vector-list.ts'

/** What is needed of a segment. Its body stays the same object as long as its documents keep their places. */
export interface NumberedSegment {
  readonly body: Uint8Array
  readonly shape: { readonly documents: number }
  id(document: number): string
}

/** Documents that are looked up before the time is checked. */
const AT_ONCE = 512

/** The numbers that the living documents of a segment have in a list, each looked up once: a changed document is another one. */
export class SegmentNumbers {
  readonly #list: VectorList
  #known = new Map<Uint8Array, Int32Array>()
  #begun: { readonly body: Uint8Array; readonly numbers: Int32Array; next: number } | undefined

  constructor(list: VectorList) {
    this.#list = list
  }

  get bytes(): number {
    return [...this.#known.values()].reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /**
   * Looks up what is unknown, and forgets segments that are gone, until the time is up. False: there is more.
   * @param until on the clock of `performance.now()`
   */
  read(segments: readonly NumberedSegment[], until = Number.POSITIVE_INFINITY): boolean {
    for (const segment of segments)
      if (!this.#known.has(segment.body) && !this.#add(segment, until)) return false
    if (this.#known.size > segments.length) this.#forget(new Set(segments.map(({ body }) => body)))
    return true
  }

  /** By document; -1 where it has none. */
  in({ body }: NumberedSegment): Int32Array {
    return this.#known.get(body)!
  }

  #add(segment: NumberedSegment, until: number): boolean {
    const { body, shape } = segment
    if (this.#begun?.body !== body) this.#begun = { body, numbers: new Int32Array(shape.documents), next: 0 }
    const { numbers } = this.#begun
    for (let { next } = this.#begun; next < shape.documents; next++) {
      if (next % AT_ONCE === 0) {
        this.#begun.next = next
        if (next > 0 && performance.now() > until) return false
      }
      numbers[next] = this.#list.numberOf(segment.id(next))
    }
    this.#known.set(body, numbers)
    this.#begun = undefined
    return true
  }

  #forget(living: ReadonlySet<Uint8Array>): void {
    for (const body of this.#known.keys()) if (!living.has(body)) this.#known.delete(body)
  }
}
