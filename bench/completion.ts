import { Index } from 'flexsearch'
import { Completions } from '../src/completion/model/completions.ts'
import { isolated } from './isolated.ts'
import { type Cost, memory, type Rate, rateOf, Stopwatch } from './measure.ts'
import { random, randomInteger } from './random.ts'
import { progress } from './report.ts'
import { sizeName } from './sizes.ts'
import { Catalogue, vocabulary } from './synthetic.ts'
import { withTypo } from './typos.ts'

export interface CompletionOptions {
  /** Titles to be completed. */
  readonly documents: number
  /** Of each kind of beginning and contestant. */
  readonly seconds: number
  readonly evaluationData: string | undefined
}

export interface CompletionFigures {
  readonly build: Cost
  readonly bytesPerTitle: number
  readonly kinds: Record<BeginningKind, Rate & { readonly hitAt10: number }>
}

export interface CompletionResults {
  readonly documents: number
  readonly contestants: Record<ContestantName, CompletionFigures>
}

const beginningKinds = ['one letter', 'beginning', 'beginning with a typo'] as const
type BeginningKind = (typeof beginningKinds)[number]

/** What somebody types who means a title. */
interface Beginning {
  readonly typed: string
  readonly title: string
}

/** Ten titles for a beginning. */
type Complete = (typed: string) => string[]

const contestants = {
  findling: (titles: readonly string[]): Complete => {
    const completions = new Completions()
    for (const [i, title] of titles.entries()) completions.add(String(i), title)
    return typed => completions.complete(typed, { limit: 10, typoTolerance: 1 }).map(({ text }) => text)
  },
  'flexsearch forward': (titles: readonly string[]): Complete => {
    const index = new Index({ tokenize: 'forward' })
    for (const [i, title] of titles.entries()) index.add(i, title)
    return typed => index.search(typed, { limit: 10, suggest: true }).map(i => titles[Number(i)]!)
  },
}
type ContestantName = keyof typeof contestants

interface Task extends CompletionOptions {
  readonly contestant: ContestantName
}

/** How fast, how right and how large is completion of titles while somebody types? */
export async function completion(options: CompletionOptions): Promise<CompletionResults> {
  const measure = (contestant: ContestantName) => {
    progress(`completion: ${contestant}, ${sizeName(options.documents)} titles`)
    return isolated(import.meta.url, measureCompletion, { ...options, contestant })
  }
  return {
    documents: options.documents,
    contestants: {
      findling: await measure('findling'),
      'flexsearch forward': await measure('flexsearch forward'),
    },
  }
}

export async function measureCompletion(task: Task): Promise<CompletionFigures> {
  const titles = titlesOf(task)
  const before = memory().held
  const watch = new Stopwatch()
  const complete = await watch.time(() => contestants[task.contestant](titles))
  const bytesPerTitle = (memory().held - before) / task.documents
  const rates = {} as CompletionFigures['kinds'] // every kind is put in below
  for (const kind of beginningKinds) {
    const asked = beginnings(kind, titles)
    const rate = await rateOf(asked, ({ typed }) => complete(typed), task)
    rates[kind] = { ...rate, hitAt10: hitRate(asked, complete) }
  }
  return { build: watch.cost, bytesPerTitle, kinds: rates }
}

/** In a function of its own: nothing else of the catalogue is in memory when memory is measured. */
function titlesOf({ documents, evaluationData }: CompletionOptions): string[] {
  const titles: string[] = []
  for (const { title } of new Catalogue(vocabulary(evaluationData)).products(0, documents)) titles.push(title)
  return titles
}

/** The first three fifths of titles, with an edit in one word, or their first letters. */
function beginnings(kind: BeginningKind, titles: readonly string[]): Beginning[] {
  const next = random(beginningKinds.indexOf(kind))
  return Array.from({ length: 1_000 }, () => {
    const title = titles[randomInteger(next, titles.length)]!
    if (kind === 'one letter') return { title, typed: title[0]! }
    const typed = title.slice(0, Math.ceil(title.length * 0.6)).toLowerCase()
    return { title, typed: kind === 'beginning' ? typed : withTypo(typed, next) }
  })
}

function hitRate(asked: readonly Beginning[], complete: Complete): number {
  return asked.filter(({ typed, title }) => complete(typed).includes(title)).length / asked.length
}
