import { loadavg } from 'node:os'
import { assertRight, type FilterFigures, type FilterTask, mostChecked } from './filter-contest.ts'
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
import { memory, type Rate, rateOf, rateOfCalls, Stopwatch } from './measure.ts'
import { mean } from './metrics.ts'
import { print, progress, short, table } from './report.ts'
import { sizeName } from './sizes.ts'
import { Catalogue, vocabulary } from './synthetic.ts'

export interface FilterResults {
  readonly documents: number
  /** Of each kind, those that were asked. */
  readonly questions: number
  /** Ours first. */
  readonly figures: readonly FilterFigures[]
  readonly leftOut: readonly (readonly [contestant: string, reason: string])[]
  /** Programs that wanted a processor meanwhile on average, the one that is measured among them. */
  readonly load: number
}

const ofEach = 40
const batch = 5_000
/** CPU seconds: who takes longer to index the documents is left out. */
const mostBuilding = 600

/** How fast is text filtered, counted and ordered? Answers are those of a scan of all documents, or the run fails. */
export async function filters(
  documents: number,
  seconds: number,
  evaluationData: string | undefined,
): Promise<FilterResults> {
  const catalogue = new Catalogue(vocabulary(evaluationData))
  progress(`filters: ${sizeName(documents)}, the answers of a scan`)
  const exam = [...scanned(catalogue, documents, filterQuestions(catalogue, documents, ofEach))]
  const missing = filterKinds.filter(kind => exam.every(([question]) => question.kind !== kind))
  if (missing.length > 0) throw new Error(`nothing is left to be asked of ${missing.join(', ')}`)
  const figures: FilterFigures[] = []
  const leftOut: [string, string][] = []
  const loads: number[] = []
  for (const contestant of filterContestants) {
    progress(`filters: ${sizeName(documents)}, ${contestant.name}`)
    const task: FilterTask = { contestant: contestant.name, documents, seconds, evaluationData, exam }
    const found = (await reasonAgainst(contestant, documents)) ?? (await figuresOf(contestant, task))
    loads.push(loadavg()[0]!)
    if (typeof found !== 'string') {
      figures.push(found)
      continue
    }
    leftOut.push([contestant.name, found])
    print(`filters: without ${contestant.name}: ${found}`)
  }
  return { documents, questions: exam.length / filterKinds.length, figures, leftOut, load: mean(loads) }
}

async function reasonAgainst(
  { mostDocuments, missing }: FilterContestant,
  documents: number,
): Promise<string | undefined> {
  if (mostDocuments && documents > mostDocuments.count)
    return `at most ${sizeName(mostDocuments.count)} documents: ${mostDocuments.reason}`
  return await missing?.()
}

function figuresOf(contestant: FilterContestant, task: FilterTask): Promise<FilterFigures | string> {
  if ('measure' in contestant) return contestant.measure(task)
  return isolated(import.meta.url, measureFilters, task)
}

/** One contestant, alone in its process; or why it is left out. */
export async function measureFilters(task: FilterTask): Promise<FilterFigures | string> {
  const { contestant: name, documents, seconds, evaluationData, exam } = task
  const contestant = filterContestants.find(one => one.name === name)!
  if ('measure' in contestant) throw new Error(`${name} measures itself`)
  const catalogue = new Catalogue(vocabulary(evaluationData))
  const empty = memory()
  const index = await contestant.open()
  const building = new Stopwatch()
  for (let at = 0; at < documents; at += batch) {
    const size = Math.min(batch, documents - at)
    const some = Array.from({ length: size }, (_, i) => filteredProduct(catalogue, at + i))
    await building.time(() => index.add(some))
    if (building.cost.cpuSeconds > mostBuilding)
      return `has ${sizeName(at + size)} of ${sizeName(documents)} documents after ${mostBuilding} CPU seconds`
  }
  const [word] = exam.find(([{ kind }]) => kind === 'word')!
  await building.time(() => index.ask(word, false))
  await index.rested?.()
  const before = index.bytes?.()
  const rates = {} as Record<FilterKind, Rate> // all kinds follow
  for (const kind of filterKinds) {
    const asked = exam.filter(([question]) => question.kind === kind)
    const checking = await checked(name, asked, index.ask)
    if (checking.calls > 1 || checking.p50 < mostChecked) {
      const questions = asked.map(([question]) => question)
      rates[kind] = await rateOf(questions, question => index.ask(question, false), { seconds })
    } else rates[kind] = checking
  }
  const after = index.bytes?.()
  const full = memory()
  const unseen = Math.max(0, (after ?? 0) - (full.buffers - empty.buffers))
  await index.close()
  return {
    contestant: name,
    settings: contestant.settings,
    build: building.cost,
    memory: {
      ...(!contestant.native && { held: full.held - empty.held + unseen }),
      resident: full.resident - empty.resident,
    },
    rates,
    ...(before !== undefined && after !== undefined && { bytes: { before, after } }),
  }
}

/** Asks questions of a kind, as many as there is time for, and looks at the answers. */
async function checked(
  name: string,
  exam: FilterTask['exam'],
  ask: (question: FilterQuestion, withTotal: boolean) => Promise<FilterAnswer> | FilterAnswer,
): Promise<Rate> {
  const watch = new Stopwatch()
  const latencies: number[] = []
  for (const [question, expected] of exam) {
    if (watch.cost.seconds * 1_000 > mostChecked) break
    const { seconds } = watch.cost
    const answer = await watch.time(() => ask(question, true))
    latencies.push((watch.cost.seconds - seconds) * 1_000)
    assertRight(name, question, answer, expected)
  }
  return rateOfCalls(latencies, watch.cost)
}

const milliseconds = ({ p50, p95 }: Rate): string => `${p50.toPrecision(3)} / ${p95.toPrecision(3)}`

export function filtersReport({ documents, questions, figures, leftOut, load }: FilterResults): string {
  const rows = filterKinds.map(kind => [kind, ...figures.map(({ rates }) => milliseconds(rates[kind]))])
  const costs = [
    ['build, seconds', ...figures.map(({ build }) => short(build.seconds))],
    ['build, CPU seconds', ...figures.map(({ build }) => short(build.cpuSeconds))],
    [
      'bytes/doc, as Node counts them',
      ...figures.map(({ memory: { held } }) => short(held && held / documents)),
    ],
    ['resident/doc', ...figures.map(({ memory }) => short(memory.resident / documents))],
  ]
  const [ours] = figures
  const bytes = ours?.bytes
  const columns = bytes
    ? [
        `Ours holds ${Math.round(bytes.before / documents)} bytes a document before the first filter, columns as they are stored among them, and ` +
          `${Math.round(bytes.after / documents)} behind the last question, with what these questions make of them and some segments merged.`,
      ]
    : []
  const names = figures.map(({ contestant }) => contestant)
  return [
    `### filters: ${sizeName(documents)} documents, p50 / p95 in milliseconds`,
    table([`about ${Math.round(questions)} questions of each kind`, ...names], rows),
    table(['cost of it all', ...names], costs),
    ...columns,
    `On average ${load.toFixed(1)} programs wanted a processor meanwhile, the one that is measured among them.`,
    [
      ...figures.map(({ contestant, settings }) => `- ${contestant}: ${settings}`),
      ...leftOut.map(([name, reason]) => `- ${name} is left out: ${reason}`),
    ].join('\n'),
  ].join('\n\n')
}
