import { Serial } from '../scheduling/serial.ts'
import type { Derived } from './derived.ts'

type Loaded = Pick<Derived, 'name' | 'kind' | 'bytes' | 'release'>

interface DerivedMemoryOptions {
  /** Bytes that all structures may take together; no limit by default. */
  limit?: number | undefined
  warn(message: string, details: Record<string, unknown>): void
}

/** The derived structures that an engine has in memory. Beyond a limit, the least recently used are released. */
export class DerivedMemory {
  readonly #limit: number
  readonly #warn: DerivedMemoryOptions['warn']
  /** In the order of their last use. */
  readonly #loaded = new Set<Loaded>()
  /** Structures of removed datasets. A call that was under way may still report their use. */
  readonly #gone = new WeakSet<Loaded>()
  readonly #lettingGo = new Serial()
  #hasWarned = false

  constructor({ limit = Infinity, warn }: DerivedMemoryOptions) {
    this.#limit = limit
    this.#warn = warn
  }

  get isLimited(): boolean {
    return this.#limit < Infinity
  }

  /** Reports that a structure has just been used; resolves when there is room for it. */
  used(one: Loaded): Promise<void> {
    this.#loaded.delete(one)
    return this.grown(one)
  }

  /** Reports that a structure may have grown without being used, as by background work; resolves when there is room. */
  grown(one: Loaded): Promise<void> {
    if (!this.isLimited) return this.#lettingGo.idle()
    if (!this.#gone.has(one)) this.#loaded.add(one)
    return this.makeRoom()
  }

  /** Call this also when a structure that could not be released is no longer in use. */
  makeRoom(): Promise<void> {
    if (!this.isLimited) return this.#lettingGo.idle()
    return this.#lettingGo.run(() => this.#letGo())
  }

  /** Forgets a structure whose dataset is gone. */
  forget(one: Loaded): void {
    this.#gone.add(one)
    this.#loaded.delete(one)
  }

  async #letGo(): Promise<void> {
    let total = 0
    for (const { bytes } of this.#loaded) total += bytes
    for (const one of [...this.#loaded].slice(0, -1)) {
      if (total <= this.#limit) return
      const { bytes } = one
      if (!(await one.release())) continue
      this.#loaded.delete(one)
      total -= bytes
    }
    const last = [...this.#loaded].at(-1)
    if (last && last.bytes > this.#limit) this.#warnOnce(last)
  }

  #warnOnce({ name, kind, bytes }: Loaded): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const message = `The ${kind} of ${name} alone exceeds the memory limit for all indexes, completions and models; it stays loaded while in use.`
    this.#warn(message, { dataset: name, kind, bytes, limit: this.#limit })
  }
}
