import type { Generation } from '../../derived/generations/generation.ts'
import type { DerivedMemory } from '../../derived/memory.ts'
import { Once } from '../../scheduling/once.ts'
import type { TagClassifier } from './tag-classifier.ts'

interface KeptParts {
  readonly memory: DerivedMemory
  name(): string
  /** Where the last trained classifier is stored. */
  current(): Generation
  load(): Promise<TagClassifier | undefined>
}

/** The classifier of a dataset for callers that hold none themselves: loaded on demand, and released when memory runs short. */
export class KeptClassifier {
  readonly kind = 'classifier'
  readonly #parts: KeptParts
  #of: Generation | undefined
  readonly #classifier: Once<TagClassifier | undefined>

  constructor(parts: KeptParts) {
    this.#parts = parts
    this.#classifier = new Once(() => parts.load())
  }

  get name(): string {
    return this.#parts.name()
  }

  get bytes(): number {
    return this.#classifier.loaded?.bytes ?? 0
  }

  /** The last trained classifier, if any. */
  async get(): Promise<TagClassifier | undefined> {
    const { memory, current } = this.#parts
    const generation = current()
    if (this.#of !== generation) this.#classifier.letGo()
    this.#of = generation
    const classifier = await this.#classifier.get()
    if (classifier) await memory.used(this)
    return classifier
  }

  async release(): Promise<boolean> {
    this.#classifier.letGo()
    return true
  }

  /** Called when the dataset is gone or the engine closes. */
  async close(): Promise<void> {
    this.#parts.memory.forget(this)
    await this.release()
  }
}
