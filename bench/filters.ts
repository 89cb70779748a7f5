import { type FilterContestant, filterContestants } from './filter-contestants.ts'
import {
  type FilterAnswer,
  type FilterKind,
  type FilterQuestion,
  filteredProduct,
  filterKinds,
  filterQuestions,
  scanned,
} from './filter-questions.ts'
import { isolated } from './isolated.ts'
import { type Rate, rateOf } from './measure.ts'
import { print, progress, table } from './report.ts'
import { sizeName } from './sizes.ts'
import { Catalogue, vocabulary } from './synthetic.ts'

export interface FilterFigures {
  readonly contestant: string
  readonly settings: string
  readonly rates: Readonly<Record<FilterKind, Rate>>
  /** Bytes of the index before the first filter and behind the last question, where it says so. */
  readonly bytes?: { readonly before: number; readonly after: number }
}

export interface FilterResults {
  readonly documents: number
  /** Of each kind, those that were asked. */
  readonly questions: number
  /** Ours first. */
  readonly figures: readonly FilterFigures[]
  readonly leftOut: readonly (readonly [contestant: string, reason: string])[]
}

export interface FilterTask {
  readonly contestant: string
  readonly documents: number
  readonly seconds: number
  readonly evaluationData: string | undefined
  readonly exam: readonly (readonly [FilterQuestion, FilterAnswer])[]
}

const ofEach = 40
const batch = 5_000
/** Milliseconds: who takes longer for the questions of a kind is not asked all of them twice. */
const mostChecked = 5_000

/** How fast is text filtered, counted and ordered? Answers are those of a scan of all documents, or the run fails. */
export async function filters(
  documents: number,
  seconds: number,
  evaluationData: string | undefined,
): Promise<FilterResults> {
  const catalogue = new Catalogue(vocabulary(evaluationData))
  const exam = [...scanned(catalogue, documents, filterQuestions(catalogue, documents, ofEach))]
  const missing = filterKinds.filter(kind => exam.every(([question]) => question.kind !== kind))
  if (missing.length > 0) throw new Error(`nothing is left to be asked of ${missing.join(', ')}`)
  const figures: FilterFigures[] = []
  const leftOut: [string, string][] = []
  for (const contestant of filterContestants) {
    const reason = await reasonAgainst(contestant, documents)
    if (reason !== undefined) {
      leftOut.push([contestant.name, reason])
      print(`filters: without ${contestant.name}: ${reason}`)
      continue
    }
    progress(`filters: ${sizeName(documents)}, ${contestant.name}`)
    const task: FilterTask = { contestant: contestant.name, documents, seconds, evaluationData, exam }
    figures.push(await isolated(import.meta.url, measureFilters, task))
  }
  return { documents, questions: exam.length / filterKinds.length, figures, leftOut }
}

async function reasonAgainst(
  { mostDocuments, missing }: FilterContestant,
  documents: number,
): Promise<string | undefined> {
  if (mostDocuments !== undefined && documents > mostDocuments)
    return `holds ${sizeName(mostDocuments)} at most`
  return await missing?.()
}

/** One contestant, alone in its process. */
export async function measureFilters(task: FilterTask): Promise<FilterFigures> {
  const { contestant: name, documents, seconds, evaluationData, exam } = task
  const { open, settings } = filterContestants.find(one => one.name === name)!
  const catalogue = new Catalogue(vocabulary(evaluationData))
  const index = await open()
  for (let at = 0; at < documents; at += batch) {
    const end = Math.min(documents, at + batch)
    await index.add(Array.from({ length: end - at }, (_, i) => filteredProduct(catalogue, at + i)))
  }
  await index.ask(exam.find(([{ kind }]) => kind === 'word')![0], false)
  const before = index.bytes?.()
  const spent = new Map<FilterKind, number>()
  for (const [question, expected] of exam) {
    const { kind } = question
    if ((spent.get(kind) ?? 0) > mostChecked) continue
    const start = performance.now()
    const answer = await index.ask(question, true)
    spent.set(kind, (spent.get(kind) ?? 0) + performance.now() - start)
    if (JSON.stringify(inOrder(answer)) !== JSON.stringify(inOrder(expected)))
      throw new Error(
        `${name} answers ${JSON.stringify(question)} with ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`,
      )
  }
  const rates = {} as Record<FilterKind, Rate> // all kinds follow
  for (const kind of filterKinds) {
    const asked = exam.flatMap(([question]) => (question.kind === kind ? [question] : []))
    rates[kind] = await rateOf(asked, question => index.ask(question, false), { seconds })
  }
  const after = index.bytes?.()
  await index.close()
  return {
    contestant: name,
    settings,
    rates,
    ...(before !== undefined && after !== undefined && { bytes: { before, after } }),
  }
}

const inOrder = ({ total, values, prices }: FilterAnswer) => [total, values, prices]

const milliseconds = ({ p50, p95 }: Rate): string => `${p50.toPrecision(3)} / ${p95.toPrecision(3)}`

export function filtersReport({ documents, questions, figures, leftOut }: FilterResults): string {
  const rows = filterKinds.map(kind => [kind, ...figures.map(({ rates }) => milliseconds(rates[kind]))])
  const [ours] = figures
  const bytes = ours?.bytes
  const memory = bytes
    ? [
        `Ours holds ${Math.round(bytes.before / documents)} bytes a document before the first filter, columns as they are stored among them, and ` +
          `${Math.round((bytes.after - bytes.before) / documents)} more of what these questions make of them.`,
      ]
    : []
  return [
    `### filters: ${sizeName(documents)} documents, p50 / p95 in milliseconds`,
    table(
      [
        `about ${Math.round(questions)} questions of each kind`,
        ...figures.map(({ contestant }) => contestant),
      ],
      rows,
    ),
    ...memory,
    [
      ...figures.map(({ contestant, settings }) => `- ${contestant}: ${settings}`),
      ...leftOut.map(([name, reason]) => `- ${name} is left out: ${reason}`),
    ].join('\n'),
  ].join('\n\n')
}
