import { parseArgs } from 'node:util'
import type { AnswersResults } from './answers.ts'
import type { ClassifyResults } from './classify.ts'
import { type Job, jobs } from './compare/jobs.ts'
import type { RelevanceResults } from './relevance.ts'
import { print, progress, writeResults } from './report.ts'
import type { SearchResults } from './search.ts'
import type { SimilarResults } from './similar.ts'
import { parseSize, sizeName } from './sizes.ts'
import type { SpellingResults } from './spelling.ts'

const usage = `npm run bench -- [question ...] [--size <number>]... [--minutes <number>] [--events <number>] [--quick] [--fuzz] [--failures]
npm run bench -- readme
npm run bench -- guard
npm run bench -- compare <commit or folder ...> [--size <number>] [--job <name>]...
npm run bench -- same <commit or folder> [--area <name>]...
npm run bench -- walks
npm run bench -- house

questions (where none is named all but soak, with --quick all but http, clients, cluster and bodies):
  search      how fast and how large is the index, beside others?
  store       how fast are writes, reads, imports and a restart?
  relevance   how good are the first ten answers, clean and misspelt?
  answers     how many of the things that shoppers type are answered as they would accept?
  spelling    how often is the first correction of a word right?
  categories  does a search know what it is about?
  compounds   how well do words find others that are written as one with them?
  query       how long does it take to read a query, and to hold it against a document?
  classify    how often is the right tag recommended, and what does it cost?
  similar     how well are similar documents and duplicates found?
  analytics   what does it cost to keep what people ask?
  profile     what does it cost to say what is in the data?
  map         is near on a map what is near in truth?
  filters     how fast is text filtered, counted by facets, and ordered, beside others?
  vectors     how fast are the nearest vectors found, and what do they take, beside others?
  baskets     do baskets recommend what belongs to them, and what does it cost?
  http        how many requests does the server answer, and what does HTTP cost?
  clients     does the time that a refusal takes tell whether there is a client?
  cluster     how much do nodes on PostgreSQL write, how far are they behind, how soon does one join?
  bodies      how long do others wait while somebody sends the largest bodies, or makes long calls?
  extract     how fast is the text of files read?
  soak        does a server that is asked everything for long answer right, and stay as large as it is?

  --size      documents of search and filters, 1k to 5m: 10k and 100k, with --quick 2k; the last one is for store and profile as well
  --minutes   of soak: 60
  --events    of analytics: asks so many searches, 1k to 50m, and tells what memory they take, instead of what one costs
  --quick     about a minute, on the data of this repository alone; keeps no figures
  --fuzz      of http: 100000 requests made at random, at most 15 minutes, instead of speeds
  --failures  of answers: lists what was not accepted

compare asks this checkout and others the same in turn, so that their ratios tell what became faster or slower.
guard does so with the commit of the published figures, and fails where this checkout has less than .8 of its speed.
same makes the same calls of this checkout and of another, and fails where any answer differs.
walks lists the folders of the sources that a search and a write pass through.
house counts exported names, tokens and the lengths of functions.
readme measures nothing: it writes tables and plots into bench/README.md from the figures in bench/results.

FINDLING_EVAL_DATA names the folder of judged collections, FINDLING_BENCH_PEERS one where better-sqlite3 is installed.`

const questions = [
  'search',
  'store',
  'relevance',
  'answers',
  'spelling',
  'compounds',
  'categories',
  'query',
  'classify',
  'similar',
  'analytics',
  'profile',
  'map',
  'filters',
  'vectors',
  'baskets',
  'http',
  'clients',
  'cluster',
  'bodies',
  'extract',
  'soak',
] as const
type Question = (typeof questions)[number]

interface Run {
  readonly asked: readonly Question[]
  readonly sizes: readonly number[]
  readonly minutes: number
  readonly events: number | undefined
  readonly quick: boolean
  readonly fuzz: boolean
  readonly failures: boolean
  readonly readme: boolean
  readonly guard: boolean
  /** Commits or folders to compare with. */
  readonly compared: readonly string[]
  readonly jobs: readonly Job[]
  /** A commit or folder whose answers have to be the same. */
  readonly sameAs: string | undefined
  /** Of the calls for that: all where it is undefined. */
  readonly areas: readonly string[] | undefined
  /** About the sources. */
  readonly inspected: 'walks' | 'house' | undefined
}

function read(args: readonly string[]): Run {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      size: { type: 'string', multiple: true },
      minutes: { type: 'string' },
      events: { type: 'string' },
      quick: { type: 'boolean', default: false },
      fuzz: { type: 'boolean', default: false },
      failures: { type: 'boolean', default: false },
      job: { type: 'string', multiple: true },
      area: { type: 'string', multiple: true },
    },
  })
  const { quick, fuzz, failures } = values
  const readme = positionals.join() === 'readme'
  const guard = positionals.join() === 'guard'
  const compares = positionals[0] === 'compare'
  const compared = compares ? positionals.slice(1) : []
  const isSame = positionals[0] === 'same'
  const sameAs = isSame ? positionals[1] : undefined
  if (isSame && positionals.length !== 2) throw new TypeError('same takes one commit or folder.')
  if (values.area && !isSame) throw new TypeError('--area goes with same.')
  const inspected = (['walks', 'house'] as const).find(name => positionals.join() === name)
  if (compares && compared.length === 0) throw new TypeError('compare takes one or more commits or folders.')
  if (values.job && !compares) throw new TypeError('--job goes with compare.')
  const isNoQuestion = readme || guard || compares || isSame || inspected !== undefined
  const unknown = positionals.find(name => !isNoQuestion && !isQuestion(name))
  if (unknown !== undefined) throw new TypeError(`There is no question "${unknown}".`)
  const sizes = (values.size ?? (quick ? ['2k'] : compares ? ['100k'] : ['10k', '100k'])).map(checkSize)
  const minutes = checkMinutes(values.minutes ?? '60')
  const left: readonly Question[] = quick ? ['http', 'clients', 'cluster', 'bodies'] : ['soak']
  const all = questions.filter(question => !left.includes(question))
  const asked = positionals.length > 0 ? positionals.filter(isQuestion) : all
  if (fuzz && positionals.join() !== 'http') throw new TypeError('--fuzz goes with http alone.')
  if (failures && !asked.includes('answers')) throw new TypeError('--failures goes with answers.')
  if (values.minutes !== undefined && !asked.includes('soak'))
    throw new TypeError('--minutes goes with soak.')
  if (values.events !== undefined && positionals.join() !== 'analytics')
    throw new TypeError('--events goes with analytics alone.')
  return {
    asked,
    sizes,
    minutes,
    events: values.events === undefined ? undefined : checkEvents(values.events),
    quick,
    fuzz,
    failures,
    readme,
    guard,
    compared,
    jobs: (values.job ?? jobs).map(checkJob),
    sameAs,
    areas: values.area,
    inspected,
  }
}

function checkJob(name: string): Job {
  const job = jobs.find(one => one === name)
  if (job === undefined) throw new TypeError(`--job takes one of "${jobs.join('", "')}", got "${name}".`)
  return job
}

function checkSize(text: string): number {
  const documents = parseSize(text)
  if (documents === undefined || documents < 1_000 || documents > 5_000_000) {
    throw new TypeError(`--size takes a number from 1k to 5m, got "${text}".`)
  }
  return documents
}

function checkEvents(text: string): number {
  const events = parseSize(text)
  if (events === undefined || events < 1_000 || events > 50_000_000)
    throw new TypeError(`--events takes a number from 1k to 50m, got "${text}".`)
  return events
}

function checkMinutes(text: string): number {
  const minutes = Number(text)
  if (text.trim() === '' || !(minutes >= 1 && minutes <= 1_440))
    throw new TypeError(`--minutes takes a number from 1 to 1440, got "${text}".`)
  return minutes
}

const isQuestion = (name: string): name is Question => questions.some(question => question === name)

async function run({
  asked,
  readme,
  guard: guards,
  compared,
  jobs: compareJobs,
  sameAs,
  areas,
  inspected,
  ...how
}: Run): Promise<void> {
  // Loaded when asked: the libraries of one question are not in the process of the others.
  if (readme) return (await import('./readme.ts')).writeReadme()
  if (sameAs !== undefined) {
    const { same, sameReport } = await import('./same/same.ts')
    const found = await same(sameAs, areas)
    print(sameReport(found))
    if (found.differences.length > 0) process.exitCode = 1
    return
  }
  if (inspected === 'walks') {
    const { walks, walksReport } = await import('./house/walks.ts')
    return print(walksReport(await walks()))
  }
  if (inspected === 'house') return print((await import('./house/measures.ts')).houseReport())
  const evaluationData = how.quick ? undefined : process.env.FINDLING_EVAL_DATA
  if (evaluationData === undefined) {
    const reason = how.quick ? '--quick does without' : 'FINDLING_EVAL_DATA is not set'
    print(`${reason}: made-up words instead of English ones, judged collections skipped.`)
  }
  if (compared.length > 0) {
    const { compare, compareReport } = await import('./compare/compare.ts')
    for (const documents of how.sizes)
      print(compareReport(await compare({ others: compared, documents, jobs: compareJobs, evaluationData })))
    return
  }
  if (guards) {
    const { guard, guardReport } = await import('./compare/guard.ts')
    const found = await guard(evaluationData)
    print(guardReport(found))
    if (found.jobs.some(({ isLost }) => isLost)) process.exitCode = 1
    return
  }
  const measured: Measured = { searches: [] }
  for (const question of asked) {
    const start = performance.now()
    await ask[question]({ ...how, evaluationData }, measured)
    progress(`${question}: ${Math.round((performance.now() - start) / 1_000)} seconds`)
  }
  if (!how.quick) await summarise(measured)
}

/** What this run has found out, for the tables at its end. */
interface Measured {
  readonly searches: SearchResults[]
  relevance?: RelevanceResults
  answers?: AnswersResults
  spelling?: SpellingResults
  classify?: ClassifyResults
  similar?: SimilarResults
}

interface How extends Pick<Run, 'sizes' | 'minutes' | 'events' | 'quick' | 'fuzz' | 'failures'> {
  readonly evaluationData: string | undefined
}

const ask: Record<Question, (how: How, measured: Measured) => Promise<void>> = {
  async search({ sizes, quick, evaluationData }, measured) {
    const { search } = await import('./search.ts')
    const { searchReport } = await import('./search-report.ts')
    for (const documents of sizes) {
      const results = await search({ documents, seconds: secondsOfEach(documents, quick), evaluationData })
      measured.searches.push(results)
      print(searchReport(results))
      await keep(quick, `search-${sizeName(documents)}`, results)
    }
  },
  async store({ sizes, quick, evaluationData }) {
    const { store } = await import('./store.ts')
    const { storeReport } = await import('./store-report.ts')
    const results = await store({ documents: sizes.at(-1)!, seconds: quick ? 0.2 : 3, evaluationData })
    print(storeReport(results))
    await keep(quick, 'store', results)
  },
  async relevance({ quick, evaluationData }, measured) {
    const { relevance } = await import('./relevance.ts')
    const { relevanceReport } = await import('./relevance-report.ts')
    const results = await relevance(evaluationData)
    measured.relevance = results
    print(relevanceReport(results))
    await keep(quick, 'relevance', results)
  },
  async answers({ quick, failures, evaluationData }, measured) {
    const report = await import('./answers-report.ts')
    const found = await (await import('./answers.ts')).answers(evaluationData)
    measured.answers = found.results
    print(report.answersReport(found.results))
    if (failures) print(report.failuresReport(found.failures))
    await keep(quick, 'answers', found.results)
  },
  async spelling({ quick, evaluationData }, measured) {
    const results = await (await import('./spelling.ts')).spelling(evaluationData)
    if (results === undefined) return print('spelling: no lists of misspellings at hand, skipped')
    measured.spelling = results
    print((await import('./spelling-report.ts')).spellingReport(results))
    await keep(quick, 'spelling', results)
  },
  async compounds({ quick }) {
    const results = await (await import('./compounds.ts')).compounds(quick ? 2_000 : 20_000)
    print((await import('./compounds-report.ts')).compoundsReport(results))
    await keep(quick, 'compounds', results)
  },
  async categories({ quick, evaluationData }) {
    const { categories, categoriesReport } = await import('./categories.ts')
    const results = await categories(quick ? undefined : evaluationData)
    print(categoriesReport(results))
    await keep(quick, 'categories', results)
  },
  async query({ quick }) {
    const { query, queryReport } = await import('./query.ts')
    const results = query(quick ? 0.01 : 0.05)
    print(queryReport(results))
    await keep(quick, 'query', results)
  },
  async classify({ quick, evaluationData }, measured) {
    const { classify } = await import('./classify.ts')
    const { classifyReport } = await import('./classify-report.ts')
    const results = await classify(evaluationData, { quick })
    measured.classify = results
    print(classifyReport(results))
    await keep(quick, 'classify', results)
  },
  async similar({ quick, evaluationData }, measured) {
    const { similar } = await import('./similar.ts')
    const { similarReport } = await import('./similar-report.ts')
    const results = await similar(evaluationData)
    if (!results) return print('similar: no catalogues of duplicates at hand, skipped')
    measured.similar = results
    print(similarReport(results))
    await keep(quick, 'similar', results)
  },
  async analytics({ quick, evaluationData, events }) {
    if (events !== undefined) {
      const { analyticsGrowth, analyticsGrowthReport } = await import('./analytics-growth.ts')
      const grown = await analyticsGrowth(events)
      print(analyticsGrowthReport(grown))
      return await keep(quick, 'analytics-growth', grown)
    }
    const { analytics, analyticsReport } = await import('./analytics.ts')
    const how = { searches: quick ? 500 : 5_000, calls: quick ? 20_000 : 1_000_000, evaluationData }
    const results = await analytics(quick ? 2_000 : 10_000, how)
    print(analyticsReport(results))
    await keep(quick, 'analytics', results)
  },
  async profile({ sizes, quick, evaluationData }) {
    const { profile, profileReport } = await import('./profile.ts')
    const { profileContest, profileContestReport } = await import('./profile-contest.ts')
    const results = await profile(sizes.at(-1)!)
    print(profileReport(results))
    await keep(quick, 'profile', results)
    const contest = await profileContest(evaluationData)
    if (typeof contest === 'string') return print(`profile: not compared with pandas, ${contest}`)
    print(profileContestReport(contest))
    await keep(quick, 'profile-pandas', contest)
  },
  async map({ quick, evaluationData }) {
    const { mapped, mapReport } = await import('./map.ts')
    const results = await mapped(evaluationData)
    if (!results) return print('map: fashion-styles is not at hand, skipped')
    print(mapReport(results))
    await keep(quick, 'map', results)
  },
  async filters({ sizes, quick, evaluationData }) {
    const { filters, filtersReport } = await import('./filters.ts')
    for (const documents of sizes) {
      const results = await filters(documents, secondsOfEach(documents, quick), evaluationData)
      print(filtersReport(results))
      await keep(quick, `filters-${sizeName(documents)}`, results)
    }
  },
  async baskets({ quick, evaluationData }) {
    const { baskets, basketsReport } = await import('./baskets.ts')
    const results = await baskets(quick ? 2_000 : 100_000, quick ? 0.15 : 3, evaluationData)
    print(basketsReport(results))
    await keep(quick, 'baskets', results)
  },
  async vectors({ quick, evaluationData }) {
    const { vectors, vectorsReport } = await import('./vectors.ts')
    const results = await vectors(quick ? 2_000 : 100_000, quick ? 0.15 : 3, evaluationData)
    print(vectorsReport(results))
    await keep(quick, 'vectors', results)
  },
  async http({ fuzz, quick, evaluationData }) {
    if (fuzz) await (await import('./http-fuzz.ts')).httpFuzz()
    else await (await import('./http.ts')).http({ seconds: quick ? 1 : 4, evaluationData })
  },
  async clients({ quick }) {
    const { clients, clientsReport } = await import('./clients.ts')
    const results = await clients(quick ? 200 : 2_000)
    print(clientsReport(results))
    await keep(quick, 'clients', results)
  },
  async cluster({ quick }) {
    const { cluster, clusterReport } = await import('./cluster.ts')
    const results = await cluster(quick ? 5_000 : 100_000, quick ? 0.5 : 5)
    if (!results) return print('cluster: PostgreSQL 15 or later is not installed, skipped')
    print(clusterReport(results))
    await keep(quick, 'cluster', results)
  },
  async bodies({ quick }) {
    const { bodies, bodiesReport } = await import('./bodies.ts')
    const { longCalls, longCallsReport } = await import('./long-calls.ts')
    const results = await bodies(quick ? 20 : 300, quick ? 60 : 600)
    print(bodiesReport(results))
    const calls = await longCalls(quick ? 5_000 : 100_000, quick ? 200 : 10_000)
    print(longCallsReport(calls))
    await keep(quick, 'bodies', { ...results, longCalls: calls })
  },
  async extract({ quick }) {
    const { extract } = await import('./extract.ts')
    const { extractReport } = await import('./extract-report.ts')
    const results = await extract(quick ? 50_000 : 1_000_000, quick)
    print(extractReport(results))
    await keep(quick, 'extract', results)
  },
  async soak({ minutes, quick }) {
    await (await import('./soak.ts')).soak({ seconds: quick ? 16 : minutes * 60, quick })
  },
}

/** For each kind of query and contestant. Slow contestants answer too few queries in less where there is much to search. */
function secondsOfEach(documents: number, quick: boolean): number {
  if (quick) return 0.15
  return documents < 50_000 ? 0.7 : 1.5
}

/** Figures of a quick run are for no one to compare with. */
async function keep(quick: boolean, name: string, results: object): Promise<void> {
  if (!quick) await writeResults(name, results)
}

async function summarise(measured: Measured): Promise<void> {
  const { targetsOf, targetsTable } = await import('./targets.ts')
  const { lossesOf, lossesTable } = await import('./losses.ts')
  const targets = targetsOf(measured).filter(target => target.measured !== undefined)
  if (targets.length > 0) print(targetsTable(targets))
  const losses = lossesOf(measured)
  if (losses.length > 0) print(lossesTable(losses))
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
