import type * as z from 'zod'
import { Dataset, type DatasetParts } from './dataset.ts'
import type { DatasetDefinition } from './datasets/definition.ts'
import type { DatasetInfo, DatasetRegistry } from './datasets/registry.ts'
import type { DatasetState } from './datasets/state.ts'
import type { JsonObject } from './json.ts'

/** The datasets of an engine, by name. */
export class Datasets {
  readonly #registry: DatasetRegistry
  readonly #open: (state: DatasetState) => DatasetParts
  readonly #remove: (state: DatasetState, trash: readonly string[]) => Promise<void>

  constructor(parts: {
    registry: DatasetRegistry
    open(state: DatasetState): DatasetParts
    remove(state: DatasetState, trash: readonly string[]): Promise<void>
  }) {
    this.#registry = parts.registry
    this.#open = parts.open
    this.#remove = parts.remove
  }

  /**
   * Makes a dataset from settings, all of which have defaults, and optionally a sample document, a JSON schema or a
   * zod object: documents are written as its input type, stored as what it makes of them, and read as its output type.
   * DATASET_EXISTS, INVALID_ARGUMENT.
   * @example
   * const books = await engine.datasets.create('books', { interpretedFields: ['title', 'author'] })
   * console.log(books.settings.interpretedFields) // [ 'title', 'author' ]
   * @example
   * import * as z from 'zod'
   * const Book = z.object({ id: z.string(), title: z.string(), year: z.int().optional() })
   * const shelf = await engine.datasets.create('shelf', { schema: Book })
   * await shelf.documents.insert({ id: 'b1', title: 'Soups', year: 2020 })
   */
  create<S extends z.ZodObject>(
    name: string,
    definition: DatasetDefinition & { schema: S },
  ): Promise<Dataset<z.output<S>, z.input<S>>>
  create<T extends object = JsonObject>(name: string, definition?: DatasetDefinition): Promise<Dataset<T>>
  async create(name: string, definition: DatasetDefinition = {}): Promise<Dataset<never, never>> {
    const { name: made } = await this.#registry.create(name, definition)
    return this.#handle(made)
  }

  /**
   * Whether there is a dataset of that name.
   * @example
   * console.log(engine.datasets.has('products'), engine.datasets.has('books')) // true false
   */
  has(name: string): boolean {
    return this.#registry.has(name)
  }

  /**
   * DATASET_NOT_FOUND when there is none. Give the zod object again to have documents checked by it and typed.
   * @example
   * interface Product {
   *   id: string
   *   title: string
   * }
   * const typed = engine.datasets.get<Product>('products')
   * console.log((await typed.documents.get('p3'))?.title) // Garden hose
   */
  get<S extends z.ZodObject>(name: string, schema: S): Dataset<z.output<S>, z.input<S>>
  get<T extends object = JsonObject>(name: string): Dataset<T>
  get(name: string, schema?: z.ZodObject): Dataset<never, never> {
    return this.#handle(this.#registry.get(name, schema).name)
  }

  /**
   * By name.
   * @example
   * console.log(engine.datasets.list().map(({ name }) => name)) // [ 'products' ]
   */
  list(): DatasetInfo[] {
    return this.#registry.list()
  }

  /**
   * Documents, tags and index stay with the dataset; get() it by its new name. DATASET_NOT_FOUND, DATASET_EXISTS.
   * @example
   * await engine.datasets.rename('products', 'catalogue')
   * console.log(engine.datasets.has('products'), engine.datasets.has('catalogue')) // false true
   */
  rename(from: string, to: string): Promise<void> {
    return this.#registry.rename(from, to)
  }

  /**
   * Exchanges two names in one write: fill a new dataset beside the live one, then put it in its place. What was got
   * by a name answers with the data that have come under it, and their settings, schema and zod object; calls and jobs
   * under way end with the data that they began with.
   * @example
   * const next = await engine.datasets.create('products-next')
   * await next.documents.insert({ id: 'n1', title: 'All new' })
   * await engine.datasets.swap('products', 'products-next')
   * console.log(engine.datasets.get('products').documents.count) // 1
   */
  swap(one: string, other: string): Promise<void> {
    return this.#registry.swap(one, other)
  }

  /**
   * Removes a dataset with all it holds. It is gone at once, its space when the promise resolves or after the next open.
   * @example
   * await engine.datasets.remove('products')
   * console.log(engine.datasets.list()) // []
   */
  async remove(name: string): Promise<void> {
    const { state, trash } = await this.#registry.remove(name)
    await this.#remove(state, trash)
  }

  #handle(name: string): Dataset<never, never> {
    return new Dataset<never, never>(name, () => this.#open(this.#registry.named(name)))
  }
}
