import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Dataset, Engine, EngineOptions, FindlingError } from 'findling'
import { requestedTitleWeight } from '../contestant.ts'
import { middlingWords } from '../middling-words.ts'
import { Newcomers } from '../newcomers.ts'
import { rested } from '../rested.ts'
import { Catalogue, type Product, vocabulary } from '../synthetic.ts'
import { inTemporaryFolder } from '../temporary.ts'
import { asked, type Job } from './jobs.ts'

/** What a process is told first. */
export interface Opening {
  readonly module: string
  readonly documents: number
  /** What it will be told to do: nothing is filled for other jobs. */
  readonly jobs: readonly Job[]
  readonly evaluationData: string | undefined
}

/** Then so many calls of one kind, as often as wanted. */
export interface Order {
  readonly job: Job
  readonly calls: number
}

/** What they took, of all threads, and the milliseconds of each. */
export interface Done {
  readonly cpuSeconds: number
  readonly latencies: Float64Array
}

const ways: Record<(typeof asked)[number], object> = {
  term: {},
  or: {},
  and: { operator: 'and' },
  phrase: {},
  typo: {},
  prefix: { operator: 'and', prefix: true },
  boosts: { fields: { title: requestedTitleWeight, desc: 1 } },
}

const questionsOfEach = 200
const inBulk = 1_000

/** A built engine with a catalogue in memory and the same on disk, which does what it is told until nobody tells it any more. */
export async function serveSide(opening: Opening): Promise<void> {
  await inTemporaryFolder(async folder => {
    const side = await Side.open(opening, folder)
    process.send!('ready')
    const gone = once(process, 'disconnect')
    for (;;) {
      const [order] = (await Promise.race([once(process, 'message'), gone])) as [Order?]
      if (!order) break
      process.send!(await side.run(order))
    }
    await side.close()
  })
}

type Products = Dataset<Product>
type Call = (turn: number) => Promise<unknown>

class Side {
  readonly #turns = new Map<Job, number>()

  private constructor(
    private readonly calls: Record<Job, Call>,
    private readonly before: Partial<Record<Job, Call>>,
    readonly close: () => Promise<void>,
  ) {}

  static async open({ module, documents, jobs, evaluationData }: Opening, folder: string): Promise<Side> {
    const { Engine }: typeof import('findling') = await import(pathToFileURL(module).href)
    const catalogue = new Catalogue(vocabulary(evaluationData))
    const newcomers = new Newcomers(catalogue)
    const store = join(folder, 'store')
    const open = await opening(Engine)
    const engine = await open({})
    let onDisk = await open({ store })
    const products = await filled(engine, 'products', ['title', 'desc'], catalogue, documents)
    const wants = (...some: Job[]) => some.some(job => jobs.includes(job))
    const ofWide = wants('one word of three fields', 'three words of three fields') ? documents : 0
    const wide = await filled(engine, 'wide', ['title', 'maker', 'desc'], catalogue, ofWide, inThreeFields)
    if (wants('add and find on disk', 're-open'))
      await filled(onDisk, 'products', ['title', 'desc'], catalogue, documents)
    const queries = Object.fromEntries(
      asked.map(kind => [
        kind,
        catalogue
          .queries(kind, questionsOfEach, documents)
          .map(({ text }) => (kind === 'phrase' ? `"${text}"` : text)),
      ]),
    ) as Record<(typeof asked)[number], string[]>
    const middling = middlingWords(catalogue, documents)
    const searching = (kind: (typeof asked)[number], options: object = {}): Call => {
      const all = { ...ways[kind], documents: false, ...options }
      return turn => products.search(queries[kind][turn % questionsOfEach]!, all)
    }
    const finding =
      (dataset: () => Products): Call =>
      async () => {
        const newcomer = newcomers.next()
        await dataset().documents.insert(newcomer)
        const { hits } = await dataset().search(newcomer.id.slice('new-'.length), { documents: false })
        if (hits[0]?.id !== newcomer.id) throw new Error(`"${newcomer.title}" was added, not found`)
      }
    const three = (turn: number) =>
      [0, 7, 19].map(step => middling[(turn + step * turn) % middling.length]).join(' ')
    const calls: Record<Job, Call> = {
      ...(Object.fromEntries(asked.map(kind => [kind, searching(kind)])) as Record<
        (typeof asked)[number],
        Call
      >),
      'whole documents': searching('or', { documents: true }),
      'one word of three fields': turn =>
        wide.search(middling[turn % middling.length]!, { documents: false }),
      'three words of three fields': turn => wide.search(three(turn), { documents: false }),
      'word after insert': searching('term'),
      'add and find': finding(() => products),
      'add and find on disk': finding(() => onDisk.datasets.get('products')),
      're-open': async () => {
        await onDisk.close()
        onDisk = await open({ store })
        await onDisk.datasets.get('products').search(queries.term[0]!)
      },
    }
    const before: Partial<Record<Job, Call>> = {
      'word after insert': () => products.documents.insert(newcomers.next()),
    }
    return new Side(calls, before, async () => {
      await engine.close()
      await onDisk.close()
    })
  }

  async run({ job, calls }: Order): Promise<Done> {
    const latencies = new Float64Array(calls)
    const [call, before] = [this.calls[job], this.before[job]]
    const first = this.#turns.get(job) ?? 0
    this.#turns.set(job, first + calls)
    const start = process.cpuUsage()
    for (let at = 0; at < calls; at++) {
      await before?.(first + at)
      const begun = performance.now()
      await call(first + at)
      latencies[at] = performance.now() - begun
    }
    const { user, system } = process.cpuUsage(start)
    // What comes before a call does not count: there, one thread asks and nobody else is at work.
    const cpuSeconds = before ? latencies.reduce((sum, one) => sum + one, 0) / 1e3 : (user + system) / 1e6
    return { cpuSeconds, latencies }
  }
}

/** Opens engines that keep no answers: the same questions are asked again and again. */
async function opening(Opened: typeof Engine): Promise<(options: EngineOptions) => Promise<Engine>> {
  const without = (options: EngineOptions) => Opened.open({ ...options, answerCache: 0 })
  try {
    await (await without({})).close()
    return without
  } catch (error) {
    // Commits that never kept answers do not know the option.
    if ((error as Partial<FindlingError>).code === 'INVALID_ARGUMENT') return options => Opened.open(options)
    throw error
  }
}

async function filled(
  engine: Engine,
  name: string,
  interpretedFields: string[],
  catalogue: Catalogue,
  documents: number,
  shape: (product: Product) => Product = product => product,
): Promise<Products> {
  const dataset = await engine.datasets.create<Product>(name, { interpretedFields, language: 'none' })
  for (let from = 0; from < documents; from += inBulk)
    await dataset.documents.bulk([...catalogue.products(from, Math.min(from + inBulk, documents))].map(shape))
  await rested(engine, dataset)
  return dataset
}

/** The first third of a description in a field of its own. */
function inThreeFields(product: Product): Product & { maker: string } {
  const words = product.desc.split(' ')
  const third = Math.ceil(words.length / 3)
  return { ...product, maker: words.slice(0, third).join(' '), desc: words.slice(third).join(' ') }
}
