import { parseArgs } from 'node:util'
import { print, progress } from './report.ts'

const usage = `npm run bench -- [question ...] [--docs <number>] [--quick] [--fuzz]

questions (all of them where none is named, with --quick all but http):
  search      how fast and how large is the index, beside others?
  store       how fast are writes, reads, imports and a restart?
  relevance   how good are the first ten answers, clean and misspelt?
  http        how many requests does the server answer, and what does HTTP cost?

  --docs      synthetic documents of search and store; 100000, with --quick 10000
  --quick     under a minute, on the data of this repository alone
  --fuzz      of http: 100000 requests made at random, at most 15 minutes, instead of speeds

FINDLING_EVAL_DATA names the folder of judged collections. Figures for machines go to bench/results/.`

const questions = ['search', 'store', 'relevance', 'http'] as const
type Question = (typeof questions)[number]

interface Run {
  readonly asked: readonly Question[]
  readonly documents: number
  readonly quick: boolean
  readonly fuzz: boolean
}

function read(args: readonly string[]): Run {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      docs: { type: 'string' },
      quick: { type: 'boolean', default: false },
      fuzz: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.find(name => !isQuestion(name))
  if (unknown !== undefined) throw new TypeError(`There is no question "${unknown}".`)
  const documents = Number(values.docs ?? (values.quick ? 10_000 : 100_000))
  if (!Number.isInteger(documents) || documents < 1_000 || documents > 5_000_000) {
    throw new TypeError(`--docs takes a whole number from 1000 to 5000000, got "${values.docs}".`)
  }
  const all = values.quick ? questions.filter(question => question !== 'http') : questions
  const asked = positionals.length > 0 ? positionals.filter(isQuestion) : all
  if (values.fuzz && positionals.join() !== 'http') throw new TypeError('--fuzz goes with http alone.')
  return { asked, documents, quick: values.quick, fuzz: values.fuzz }
}

const isQuestion = (name: string): name is Question => questions.some(question => question === name)

async function run({ asked, documents, quick, fuzz }: Run): Promise<void> {
  const evaluationData = quick ? undefined : process.env.FINDLING_EVAL_DATA
  if (evaluationData === undefined) {
    const reason = quick ? '--quick does without' : 'FINDLING_EVAL_DATA is not set'
    print(`${reason}: made-up words instead of English ones, judged collections skipped.`)
  }
  for (const question of asked) {
    const start = performance.now()
    // Loaded when asked: the libraries of one question are not in the process of the others.
    if (question === 'search') {
      await (await import('./search.ts')).search({ documents, seconds: quick ? 0.4 : 3, evaluationData })
    } else if (question === 'store') {
      await (await import('./store.ts')).store({ documents, seconds: quick ? 0.4 : 3, evaluationData })
    } else if (question === 'relevance') {
      await (await import('./relevance.ts')).relevance({ evaluationData })
    } else if (fuzz) {
      await (await import('./http-fuzz.ts')).httpFuzz()
    } else {
      await (await import('./http.ts')).http({ seconds: quick ? 1 : 4, evaluationData })
    }
    progress(`${question}: ${Math.round((performance.now() - start) / 1_000)} seconds`)
  }
}

function readOrExplain(args: readonly string[]): Run | undefined {
  try {
    return read(args)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error // parseArgs and read() refuse with TypeErrors
    process.stderr.write(`${error.message}\n\n${usage}\n`)
    process.exitCode = 2
    return undefined
  }
}

const wanted = readOrExplain(process.argv.slice(2))
if (wanted) await run(wanted)
