import type { Generation } from '../../derived/generations/generation.ts'
import type { DerivedMemory } from '../../derived/memory.ts'
import type { TagClassifier } from './tag-classifier.ts'

interface KeptParts {
  readonly memory: DerivedMemory
  name(): string
  /** Where the one lies that was trained last. */
  current(): Generation
  load(): Promise<TagClassifier | undefined>
}

/** The classifier of a dataset that answers without anybody having it: loaded when it is asked, and let go where memory ends. */
export class KeptClassifier {
  readonly kind = 'classifier'
  readonly #parts: KeptParts
  #of: Generation | undefined
  #loading: Promise<TagClassifier | undefined> | undefined
  #loaded: TagClassifier | undefined

  constructor(parts: KeptParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.name()
  }

  get bytes(): number {
    return this.#loaded?.bytes ?? 0
  }

  /** The one that was trained last, if one was. */
  async get(): Promise<TagClassifier | undefined> {
    const { memory, current, load } = this.#parts
    const generation = current()
    if (this.#of !== generation || !this.#loading) {
      this.#of = generation
      this.#loading = load()
      this.#loading.then(...this.#taking(this.#loading))
    }
    const classifier = await this.#loading
    if (classifier) await memory.used(this)
    return classifier
  }

  async release(): Promise<boolean> {
    this.#loading = undefined
    this.#loaded = undefined
    return true
  }

  /** The dataset is gone, or the engine closes. */
  async close(): Promise<void> {
    this.#parts.memory.forget(this)
    await this.release()
  }

  /** What becomes of a loading when it is over, unless another has begun. */
  #taking(
    loading: Promise<TagClassifier | undefined>,
  ): [taken: (classifier: TagClassifier | undefined) => void, failed: () => void] {
    return [
      classifier => {
        if (this.#loading === loading) this.#loaded = classifier
      },
      () => {
        if (this.#loading === loading) this.#loading = undefined
      },
    ]
  }
}
