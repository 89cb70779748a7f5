import type { Exam } from './answer-key.ts'
import {
  answers,
  type Contestant,
  type Index,
  type Indexable,
  type OpenOptions,
  type QueryKind,
} from './contestant.ts'
import {
  type Cost,
  costOf,
  type Memory,
  memory,
  type Rate,
  type RateOptions,
  rateOf,
  Stopwatch,
} from './measure.ts'
import { Newcomers, Writer } from './newcomers.ts'
import { findling, findlingIndex, findlingKeeping, findlingOnDisk } from './ours.ts'
import { searchPeers } from './peers.ts'
import { progress } from './report.ts'
import { type ChangeFigures, measureChanges } from './search-changes.ts'
import { assertWhole, checkAnswers } from './search-checks.ts'
import { Catalogue, vocabulary } from './synthetic.ts'
import { folderBytes, inTemporaryFolder } from './temporary.ts'

export const contestants: readonly Contestant[] = [
  findling,
  findlingOnDisk,
  findlingKeeping,
  findlingIndex,
  ...searchPeers,
]

export interface Contest {
  readonly contestant: string
  readonly documents: number
  readonly evaluationData: string | undefined
  readonly exams: readonly Exam[]
  /** Of each kind of query. */
  readonly seconds: number
}

export type RightRate = Rate & { readonly right: number }

/** Queries answered with ids and scores, and the OR queries with whole documents. */
export interface Answering {
  readonly ids: Partial<Record<QueryKind, Rate>>
  readonly whole?: Rate
}

export interface SearchFigures extends ChangeFigures {
  readonly build: Cost
  /** With everything in memory that the queries needed; without `held` where Node cannot count it. */
  readonly memory: { readonly held?: number; readonly resident: number }
  /** Share of right answers. */
  readonly right: Partial<Record<QueryKind, number>>
  readonly alone: Answering
  readonly writing?: Answering
  readonly reopening?: Cost & { readonly bytes: number }
}

const ids: OpenOptions = { documents: false, language: 'none', limit: answers }

/** More documents than this are not indexed a second time to have them whole. */
const mostFilledTwice = 200_000

/** Those whose answers are timed a second time while documents are written. */
const whileWriting: readonly string[] = [findling.name, findlingOnDisk.name, 'minisearch']

/** One contestant, alone in its process. */
export function measureSearch(contest: Contest): Promise<SearchFigures> {
  const measurement = new Measurement(contest)
  return inTemporaryFolder(folder => measurement.run(folder))
}

class Measurement {
  readonly #contest: Contest
  readonly #contestant: Contestant
  readonly #catalogue: Catalogue
  readonly #newcomers: Newcomers
  readonly #exams: readonly Exam[]

  constructor(contest: Contest) {
    this.#contest = contest
    this.#contestant = contestants.find(({ name }) => name === contest.contestant)!
    this.#catalogue = new Catalogue(vocabulary(contest.evaluationData))
    this.#newcomers = new Newcomers(this.#catalogue)
    this.#exams = contest.exams.filter(({ kind }) => this.#contestant.kinds.includes(kind))
  }

  async run(folder: string): Promise<SearchFigures> {
    const first = await this.#first(folder)
    const reopening = first.saved ? await this.#reopen(folder) : undefined
    const second = this.#contestant.documents === 'asked' ? await this.#second(folder) : {}
    const { saved, alone, writing, ...figures } = first
    return {
      ...figures,
      alone: { ...alone, ...second.alone },
      ...(writing ? { writing: { ...writing, ...second.writing } } : {}),
      ...(reopening ? { reopening } : {}),
    }
  }

  /** The index that most is measured with. */
  async #first(folder: string): Promise<SearchFigures & { saved: boolean }> {
    const empty = memory()
    const index = await this.#contestant.open(folder, ids)
    const build = await this.#fill(index)
    await index.rested?.()
    const right = await this.#check(index)
    const taken = this.#memorySince(empty, index)
    const alone = await this.#ask(index)
    const saved = await this.#save(index)
    const writing = this.#isWritten ? await this.#askWhileWriting(index) : undefined
    const changes = this.#offers('term') ? await this.#change(index) : {}
    await index.close()
    return {
      build,
      memory: taken,
      right,
      alone,
      saved,
      ...(writing ? { writing } : {}),
      ...changes,
    }
  }

  #memorySince(empty: Memory, index: Index): SearchFigures['memory'] {
    const full = memory()
    const resident = full.resident - empty.resident
    if (this.#contestant.native) return { resident }
    const unseen = Math.max(0, (index.buffers?.() ?? 0) - (full.buffers - empty.buffers))
    return { held: full.held - empty.held + unseen, resident }
  }

  /** Contestants that keep documents on request are filled once more, with them. */
  async #second(folder: string): Promise<{ alone?: { whole: Rate }; writing?: { whole: Rate } }> {
    if (this.#contest.documents > mostFilledTwice || !this.#offers('or')) return {}
    memory()
    const index = await this.#contestant.open(folder, { ...ids, documents: true })
    await this.#fill(index)
    await index.rested?.()
    const alone = { whole: await this.#askWhole(index) }
    const writing = this.#isWritten
      ? { whole: await this.#written(index, meanwhile => this.#askWhole(index, meanwhile)) }
      : undefined
    await index.close()
    return { alone, ...(writing ? { writing } : {}) }
  }

  get #isWritten(): boolean {
    return whileWriting.includes(this.#contestant.name)
  }

  #offers(kind: QueryKind): boolean {
    return this.#exams.some(exam => exam.kind === kind)
  }

  /**
   * Making the documents is not the contestant's cost, what its other threads do meanwhile is: the watch runs while it
   * adds them, and until it finds one.
   */
  async #fill(index: Index): Promise<Cost> {
    const { documents, contestant } = this.#contest
    const watch = new Stopwatch()
    for (let from = 0; from < documents; from += batch) {
      const products = watch.aside((): Indexable[] => [
        ...this.#catalogue.products(from, Math.min(from + batch, documents)),
      ])
      await watch.time(() => index.add(products))
      if ((from + batch) % 20_000 === 0) progress(`${contestant}: ${from + batch} documents`)
    }
    await watch.time(() => this.#firstAnswer(index))
    return watch.cost
  }

  async #firstAnswer(index: Index): Promise<void> {
    const { kind, questions } = this.#exams[0]!
    const { text } = questions[0]!.query
    const hits = await index.search({ kind, text, documents: false })
    if (hits.length === 0) throw new Error(`nothing found for "${text}", which documents bear`)
  }

  async #check(index: Index): Promise<SearchFigures['right']> {
    const right: SearchFigures['right'] = {}
    for (const exam of this.#exams) {
      right[exam.kind] = await checkAnswers(this.#contestant.name, index, this.#catalogue, exam)
    }
    return right
  }

  async #ask(index: Index, meanwhile?: RateOptions['meanwhile']): Promise<Answering> {
    const figures: Answering['ids'] = {}
    for (const exam of this.#exams) {
      progress(`${this.#contestant.name}: ${exam.kind} queries${meanwhile ? ' while writing' : ''}`)
      figures[exam.kind] = await this.#rate(index, exam, false, meanwhile)
    }
    if (this.#contestant.documents === 'asked' || !this.#offers('or')) return { ids: figures }
    return { ids: figures, whole: await this.#askWhole(index, meanwhile) }
  }

  #change(index: Index): Promise<ChangeFigures> {
    progress(`${this.#contestant.name}: changes`)
    return measureChanges(index, this.#catalogue, this.#newcomers, this.#contest)
  }

  #askWhileWriting(index: Index): Promise<Answering> {
    return this.#written(index, meanwhile => this.#ask(index, meanwhile))
  }

  async #written<Result>(index: Index, work: (meanwhile: () => void) => Promise<Result>): Promise<Result> {
    const writer = new Writer(index, this.#newcomers)
    const result = await work(writer.keepUp)
    await writer.finish()
    return result
  }

  async #askWhole(index: Index, meanwhile?: RateOptions['meanwhile']): Promise<Rate> {
    progress(`${this.#contestant.name}: whole documents${meanwhile ? ' while writing' : ''}`)
    const exam = this.#exams.find(({ kind }) => kind === 'or')!
    await assertWhole(index, this.#catalogue, exam)
    return this.#rate(index, exam, true, meanwhile)
  }

  #rate(
    index: Index,
    { kind, questions }: Exam,
    documents: boolean,
    meanwhile: RateOptions['meanwhile'],
  ): Promise<Rate> {
    const { seconds } = this.#contest
    return rateOf(questions, ({ query: { text } }) => index.search({ kind, text, documents }), {
      seconds,
      ...(meanwhile ? { meanwhile } : {}),
    })
  }

  /** False where it cannot: JSON that is longer than a string may be. */
  async #save(index: Index): Promise<boolean> {
    if (!this.#contestant.reopening) return false
    try {
      await index.save?.()
      return true
    } catch (error) {
      if (error instanceof RangeError) return false
      throw error
    }
  }

  /** From the saved bytes to the first answer; the old index is collected before. */
  async #reopen(folder: string): Promise<Cost & { bytes: number }> {
    progress(`${this.#contestant.name}: re-opening`)
    memory()
    const cost = await costOf(async () => {
      const index = await this.#contestant.reopening!.open(folder, ids)
      await this.#firstAnswer(index)
      await index.close()
    })
    return { ...cost, bytes: await folderBytes(folder) }
  }
}

const batch = 1_000
