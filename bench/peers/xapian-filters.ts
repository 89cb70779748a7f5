import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assertRight, type FilterFigures, type FilterTask, mostChecked } from '../filter-contest.ts'
import {
  type FilterAnswer,
  type FilterKind,
  type FilterQuestion,
  filteredProduct,
  filterKinds,
  mostShown,
} from '../filter-questions.ts'
import type { Cost, Rate } from '../measure.ts'
import { output, pythonWith } from '../programs.ts'
import { Catalogue, vocabulary } from '../synthetic.ts'
import { inTemporaryFolder } from '../temporary.ts'
import { xapian } from './xapian.ts'

/** Xapian is asked by Python and measures itself: a pipe between each call and its clock would be measured too. */
export const xapianFilters = {
  name: xapian.name,
  settings:
    'glass database in a folder, asked by Python; price, colour and maker as values, brand and tag as boolean terms; ' +
    'NumberRangeProcessor, ValueCountMatchSpy over all that match, set_sort_by_value',
  missing: xapian.missing,
  measure: measureXapian,
} as const

/** What xapian_filters.py prints. */
interface Printed {
  readonly build: Cost
  readonly resident: number
  /** To the first questions of each kind. */
  readonly answers: Record<FilterKind, FilterAnswer[]>
  readonly rates: Record<FilterKind, Rate>
}

const batch = 1_000

function measureXapian({ exam, documents, seconds, evaluationData }: FilterTask): Promise<FilterFigures> {
  return inTemporaryFolder(async folder => {
    const kinds = Object.fromEntries(filterKinds.map(kind => [kind, ofKind(exam, kind)]))
    await writeProducts(join(folder, 'products.jsonl'), new Catalogue(vocabulary(evaluationData)), documents)
    const task = { seconds, limit: mostShown, mostChecked: mostChecked / 1_000, kinds }
    await writeFile(join(folder, 'task.json'), JSON.stringify(task))
    const { build, resident, rates, answers }: Printed = JSON.parse(await run(folder))
    await rm(join(folder, 'products.jsonl'))
    const expected = new Map(exam)
    for (const kind of filterKinds)
      for (const [i, answer] of answers[kind].entries()) {
        const question = kinds[kind]![i]!
        assertRight(xapianFilters.name, question, answer, expected.get(question)!)
      }
    const { name: contestant, settings } = xapianFilters
    return { contestant, settings, build, memory: { resident }, rates }
  })
}

const ofKind = (exam: FilterTask['exam'], kind: FilterKind): FilterQuestion[] =>
  exam.flatMap(([question]) => (question.kind === kind ? [question] : []))

async function writeProducts(path: string, catalogue: Catalogue, documents: number): Promise<void> {
  const file = await open(path, 'w')
  for (let from = 0; from < documents; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, documents - from) }, (_, i) => from + i)
    const lines = numbers.map(number => `${JSON.stringify(filteredProduct(catalogue, number))}\n`)
    await file.write(lines.join(''))
  }
  await file.close()
}

const script = fileURLToPath(new URL('./xapian_filters.py', import.meta.url))

/** -I keeps the folder of the script, which holds a file of the module's name, out of Python's search path; -B writes nothing there. */
const run = async (folder: string): Promise<string> =>
  output((await pythonWith('xapian'))!, ['-I', '-B', script, folder], 'inherit')
