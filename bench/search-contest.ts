import { type Exam, isRight } from './answer-key.ts'
import { answers, type Contestant, type Index, type Indexable, type OpenOptions } from './contestant.ts'
import { type Cost, costOf, type Memory, memory, type Rate, rateOf, Stopwatch } from './measure.ts'
import { findling } from './ours.ts'
import { peers } from './peers.ts'
import { progress } from './report.ts'
import { Catalogue, type QueryKind, vocabulary } from './synthetic.ts'
import { folderBytes, inTemporaryFolder } from './temporary.ts'

export const contestants: readonly Contestant[] = [findling, ...peers]

export interface Contest {
  readonly contestant: string
  readonly documents: number
  readonly evaluationData: string | undefined
  readonly exams: readonly Exam[]
  /** Of each kind of query. */
  readonly seconds: number
}

export interface SearchFigures {
  readonly build: Cost
  readonly memory: Memory
  readonly queries: Partial<Record<QueryKind, Rate & { readonly right: number }>>
  /** OR queries answered with whole documents. */
  readonly whole: Rate
  readonly reopening: Cost & { readonly bytes: number }
}

const ids: OpenOptions = { documents: false, language: 'none', limit: answers }

/** One contestant, alone in its process: build, memory, queries, re-opening, whole documents. */
export async function measureSearch(contest: Contest): Promise<SearchFigures> {
  const contestant = contestants.find(({ name }) => name === contest.contestant)!
  const catalogue = new Catalogue(vocabulary(contest.evaluationData))
  return inTemporaryFolder(async folder => {
    const figures = await buildAndAsk(contestant, folder, catalogue, contest)
    const reopening = await reopen(contestant, folder, contest)
    return { ...figures, reopening, whole: await askWhole(contestant, folder, catalogue, contest) }
  })
}

async function buildAndAsk(
  contestant: Contestant,
  folder: string,
  catalogue: Catalogue,
  contest: Contest,
): Promise<Pick<SearchFigures, 'build' | 'memory' | 'queries'>> {
  const empty = memory()
  const index = await contestant.open(folder, ids)
  const build = await fill(index, catalogue, contest)
  const full = memory()
  const queries = await askAll(contestant, index, catalogue, contest)
  await index.save()
  await index.close()
  const held = full.held - empty.held
  return { build, memory: { held, resident: full.resident - empty.resident }, queries }
}

const batch = 1_000

/** Making the documents is not the contestant's cost: the watch runs while it adds them, and until it finds the last. */
async function fill(index: Index, catalogue: Catalogue, contest: Contest): Promise<Cost> {
  const watch = new Stopwatch()
  for (let from = 0; from < contest.documents; from += batch) {
    const to = Math.min(from + batch, contest.documents)
    const documents: Indexable[] = [...catalogue.products(from, to)]
    await watch.time(() => index.add(documents))
    if (to % 20_000 === 0) progress(`${contest.contestant}: ${to} documents`)
  }
  await watch.time(() => firstAnswer(index, contest))
  return watch.cost
}

async function firstAnswer(index: Index, { exams }: Contest): Promise<void> {
  const { query } = exams[0]!.questions[0]!
  const hits = await index.search(query.text, { operator: query.operator, typos: false, documents: false })
  if (hits.length === 0) throw new Error(`nothing found for "${query.text}", which documents bear`)
}

async function askAll(
  contestant: Contestant,
  index: Index,
  catalogue: Catalogue,
  { exams, seconds }: Contest,
): Promise<SearchFigures['queries']> {
  const figures: SearchFigures['queries'] = {}
  for (const exam of exams) {
    if (exam.kind === 'typo' && contestant.typoTolerance === 'never') continue
    progress(`${contestant.name}: ${exam.kind} queries`)
    const right = await shareRight(contestant, index, catalogue, exam)
    figures[exam.kind] = { ...(await ask(index, exam, seconds, false)), right }
  }
  return figures
}

const askOf = ({ kind }: Exam, documents: boolean) => ({ typos: kind === 'typo', documents })

/** Slow contestants answer a part of the questions: two seconds, never fewer than ten. */
async function shareRight(
  contestant: Contestant,
  index: Index,
  catalogue: Catalogue,
  exam: Exam,
): Promise<number> {
  const end = performance.now() + 2_000
  let asked = 0
  let right = 0
  for (const question of exam.questions) {
    if (asked >= 10 && performance.now() > end) break
    const { text, operator } = question.query
    const hits = await index.search(text, { operator, ...askOf(exam, false) })
    asked++
    if (isRight(exam, question, hits, catalogue)) right++
  }
  if (right / asked < leastRight(contestant, exam.kind)) {
    throw new Error(
      `${contestant.name} answers ${right} of ${asked} ${exam.kind} queries rightly: measures nothing`,
    )
  }
  return right / asked
}

/** Ours has to be right; a peer below this has been set up wrongly; what lies between stands in the table. */
const leastRight = (contestant: Contestant, kind: QueryKind): number =>
  contestant !== findling ? 0.3 : kind === 'typo' ? 0.8 : 0.98

const ask = (index: Index, exam: Exam, seconds: number, documents: boolean): Promise<Rate> =>
  rateOf(
    exam.questions,
    ({ query }) => index.search(query.text, { operator: query.operator, ...askOf(exam, documents) }),
    { seconds },
  )

/** From the saved bytes to the first answer; the old index is collected before. */
async function reopen(
  contestant: Contestant,
  folder: string,
  contest: Contest,
): Promise<SearchFigures['reopening']> {
  progress(`${contestant.name}: re-opening`)
  memory()
  const cost = await costOf(async () => {
    const index = await contestant.reopen(folder, ids)
    await firstAnswer(index, contest)
    await index.close()
  })
  return { ...cost, bytes: await folderBytes(folder) }
}

/** Contestants that keep documents on request are filled once more, with them; the others are re-opened. */
async function askWhole(
  contestant: Contestant,
  folder: string,
  catalogue: Catalogue,
  contest: Contest,
): Promise<Rate> {
  progress(`${contestant.name}: answers with whole documents`)
  const whole: OpenOptions = { ...ids, documents: true }
  const kept = contestant.documents !== 'asked'
  const index = kept ? await contestant.reopen(folder, whole) : await contestant.open(folder, whole)
  if (!kept) await fill(index, catalogue, contest)
  const exam = contest.exams.find(({ kind }) => kind === 'or')!
  await assertWhole(contestant, index, catalogue, exam)
  const rate = await ask(index, exam, contest.seconds, true)
  await index.close()
  return rate
}

async function assertWhole(
  contestant: Contestant,
  index: Index,
  catalogue: Catalogue,
  exam: Exam,
): Promise<void> {
  const { text, operator } = exam.questions[0]!.query
  for (const { id, document } of await index.search(text, { operator, ...askOf(exam, true) })) {
    const { title, price } = catalogue.product(Number(id.slice(1)))
    const { title: gotTitle, price: gotPrice } = { title: '', price: 0, ...document }
    if (gotTitle !== title || gotPrice !== price)
      throw new Error(`${contestant.name} returns ${id} without its content`)
  }
}
