import type * as z from 'zod'
import { Dataset, type DatasetParts } from './dataset.ts'
import { type DatasetDefinition, travelling } from './datasets/dataset-definition.ts'
import { type Steps, writeOne } from './datasets/job-steps.ts'
import type { DatasetInfo, DatasetRegistry } from './datasets/registry.ts'
import type { DatasetState } from './datasets/state.ts'
import { type ErrorCode, FindlingError } from './errors.ts'
import type { JsonObject } from './json.ts'
import type { WriteOperation } from './operations/operation.ts'

const aboutDatasets: ReadonlySet<ErrorCode> = new Set([
  'DATASET_NOT_FOUND',
  'DATASET_EXISTS',
  'DATASET_IN_USE',
])

/** The datasets of an engine, by name. */
export class Datasets {
  readonly #registry: DatasetRegistry
  readonly #open: (state: DatasetState) => DatasetParts
  readonly #steps: Steps<WriteOperation>

  constructor(parts: {
    registry: DatasetRegistry
    open(state: DatasetState): DatasetParts
    steps: Steps<WriteOperation>
  }) {
    this.#registry = parts.registry
    this.#open = parts.open
    this.#steps = parts.steps
  }

  /**
   * Creates a dataset from settings, all of which have defaults, and optionally a sample document, a JSON schema or a zod
   * object. A zod object checks and types the documents: writes take its input type, its output is stored, and reads return its
   * output type. DATASET_EXISTS, INVALID_ARGUMENT.
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
  // With a second type parameter, so that a call that names only the type of the documents does not select this overload.
  create<Name extends string, S extends object>(
    name: Name,
    definition: DatasetDefinition & { sample: S; schema?: undefined },
  ): Promise<string extends keyof S ? Dataset : Dataset<Partial<S>, Partial<S> & Record<string, unknown>>>
  create<T extends object = JsonObject>(name: string, definition?: DatasetDefinition): Promise<Dataset<T>>
  async create(name: string, definition: DatasetDefinition = {}): Promise<Dataset<never, never>> {
    if (this.#steps.areHandedOver) {
      const json = travelling(definition)
      await this.#handOver({ type: 'createDataset', dataset: name, definition: json })
      const type = json === definition ? undefined : definition.schema
      return this.#handle(this.#registry.get(name, type).name)
    }
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
   * The dataset of that name; DATASET_NOT_FOUND when there is none. Pass the zod object again to have it check and type the
   * documents.
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
   * Lists all datasets, by name.
   * @example
   * console.log(engine.datasets.list().map(({ name }) => name)) // [ 'products' ]
   */
  list(): DatasetInfo[] {
    return this.#registry.list()
  }

  /**
   * Renames a dataset with its documents, tags and index; get() it by its new name. DATASET_NOT_FOUND, DATASET_EXISTS.
   * @example
   * await engine.datasets.rename('products', 'catalogue')
   * console.log(engine.datasets.has('products'), engine.datasets.has('catalogue')) // false true
   */
  async rename(from: string, to: string): Promise<void> {
    if (this.#steps.areHandedOver) await this.#handOver({ type: 'renameDataset', dataset: from, to })
    else await this.#registry.rename(from, to)
  }

  /**
   * Exchanges the names of two datasets in one write: fill a new dataset while the live one answers, then swap them. A dataset
   * object belongs to its name: afterwards it answers from the other data, with their settings, schema and zod object. Running
   * calls and jobs finish with the data they started with. A service uses the data that then have the name of its dataset, with
   * its old model until it is prepared again. DATASET_NOT_FOUND.
   * @example
   * const next = await engine.datasets.create('products-next')
   * await next.documents.insert({ id: 'n1', title: 'All new' })
   * await engine.datasets.swap('products', 'products-next')
   * console.log(engine.datasets.get('products').documents.count) // 1
   */
  async swap(one: string, other: string): Promise<void> {
    const operation = { type: 'swapDatasets', dataset: one, with: other } as const
    if (this.#steps.areHandedOver) await this.#handOver(operation)
    else await this.#registry.swap(one, other)
  }

  /**
   * Removes a dataset and everything in it. It is gone at once; its space is freed when the promise resolves, or after the next
   * open. DATASET_NOT_FOUND, DATASET_IN_USE when a service was prepared from it.
   * @example
   * await engine.datasets.remove('products')
   * console.log(engine.datasets.list()) // []
   */
  async remove(name: string): Promise<void> {
    if (this.#steps.areHandedOver) await this.#handOver({ type: 'removeDataset', dataset: name })
    else await this.#registry.remove(name)
  }

  /** Errors about a dataset name it as those of a direct call do, not by the members of the operation. */
  async #handOver(operation: WriteOperation): Promise<void> {
    try {
      await writeOne(this.#steps, operation)
    } catch (error) {
      if (!(error instanceof FindlingError) || !aboutDatasets.has(error.code)) throw error
      throw new FindlingError(error.code, error.message, { ...error.details, field: 'name' }, error.cause)
    }
  }

  #handle(name: string): Dataset<never, never> {
    return new Dataset<never, never>(name, () => this.#open(this.#registry.named(name)))
  }
}
