import { open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRight } from '../answer-key.ts'
import { answers, type QueryKind } from '../contestant.ts'
import type { Cost, Rate } from '../measure.ts'
import { mean } from '../metrics.ts'
import { output, pythonWith } from '../programs.ts'
import { progress } from '../report.ts'
import type { Contest, SearchFigures } from '../search-contest.ts'
import { Catalogue, vocabulary } from '../synthetic.ts'
import { folderBytes, inTemporaryFolder } from '../temporary.ts'

const kinds: readonly QueryKind[] = ['term', 'or', 'and', 'phrase', 'typo', 'prefix']

/** Xapian is asked by Python and measures itself: a pipe between each call and its clock would be measured too. */
export const xapian = {
  name: 'xapian',
  settings:
    'glass database in a folder, asked by Python; words of the title counted 3 times; BM25 of its own; typos: its ' +
    'spelling correction, then the corrected query; prefix: FLAG_PARTIAL, at most 128 words',
  documents: 'disk',
  missing: async () =>
    (await pythonWith('xapian')) === undefined
      ? 'python3 has no module xapian; `apt-get install python3-xapian`'
      : undefined,
  measure: measureXapian,
} as const

/** What xapian.py prints. */
interface Printed {
  readonly build: Cost
  readonly resident: number
  readonly answers: Partial<Record<QueryKind, string[][]>>
  readonly ids: Partial<Record<QueryKind, Rate>>
  readonly whole: Rate
  readonly reopening: Cost
}

function measureXapian(contest: Contest): Promise<SearchFigures> {
  return inTemporaryFolder(async folder => {
    const catalogue = new Catalogue(vocabulary(contest.evaluationData))
    const { seconds } = contest
    const exams = contest.exams.filter(({ kind }) => kinds.includes(kind))
    const queries = Object.fromEntries(
      exams.map(({ kind, questions }) => [kind, questions.map(({ query }) => query.text)]),
    )
    await writeProducts(join(folder, 'products.jsonl'), catalogue, contest.documents)
    await writeFile(join(folder, 'task.json'), JSON.stringify({ seconds, limit: answers, queries }))
    progress('xapian: everything')
    const printed: Printed = JSON.parse(await run(folder))
    await rm(join(folder, 'products.jsonl'))
    const right: SearchFigures['right'] = {}
    for (const { kind, questions } of exams) {
      const hits = printed.answers[kind]!.map(ids => ids.map(id => ({ id })))
      right[kind] = mean(questions.map((question, at) => Number(isRight(question, hits[at]!, catalogue))))
      if (right[kind] < 0.3)
        throw new Error(`xapian is set up wrongly: ${right[kind]} of ${kind} queries right`)
    }
    return {
      build: printed.build,
      memory: { resident: printed.resident },
      right,
      alone: { ids: printed.ids, whole: printed.whole },
      reopening: { ...printed.reopening, bytes: await folderBytes(join(folder, 'db')) },
    }
  })
}

const script = fileURLToPath(new URL('./xapian.py', import.meta.url))

async function writeProducts(path: string, catalogue: Catalogue, documents: number): Promise<void> {
  const file = await open(path, 'w')
  for (let from = 0; from < documents; from += 1_000) {
    const products = [...catalogue.products(from, Math.min(from + 1_000, documents))]
    await file.write(products.map(product => `${JSON.stringify(product)}\n`).join(''))
  }
  await file.close()
}

/** -I keeps the folder of the script, whose name is the module's, out of Python's search path; -B writes nothing there. */
const run = async (folder: string): Promise<string> =>
  output((await pythonWith('xapian'))!, ['-I', '-B', script, folder], 'inherit')
