import type { AnswersResults } from './answers.ts'
import type { ClassifiedCollection, ClassifyResults } from './classify.ts'
import type { QueryKind } from './contestant.ts'
import { type Spelling, type Subset, subsets } from './metrics.ts'
import type { JudgedResults, RelevanceResults } from './relevance.ts'
import { interval } from './relevance-report.ts'
import { percent, short, table, times } from './report.ts'
import type { SearchResults } from './search.ts'
import type { SearchFigures } from './search-contest.ts'
import type { SimilarResults } from './similar.ts'
import type { SpellingResults } from './spelling.ts'

/** What was measured so far, by number of documents. */
export interface Everything {
  readonly searches: readonly SearchResults[]
  readonly relevance?: RelevanceResults
  readonly answers?: AnswersResults
  readonly spelling?: SpellingResults
  readonly classify?: ClassifyResults
  readonly similar?: SimilarResults
}

export interface Target {
  readonly what: string
  readonly wanted: string
  /** Undefined where it was not measured. */
  readonly measured?: { readonly value: string; readonly reached: boolean }
}

export const targetsOf = (everything: Everything): Target[] => [
  ...searchTargets(figuresAt(everything, 100_000)),
  ...millionTargets(figuresAt(everything, 1_000_000)),
  ...wordTargets(everything.searches.find(({ documents }) => documents === 1_000_000)),
  ...relevanceTargets(everything.relevance),
  ...answersTargets(everything.answers),
  ...spellingTargets(everything.spelling),
  ...classifyTargets(everything.classify),
  ...similarTargets(everything.similar),
]

export function targetsTable(targets: readonly Target[]): string {
  const rows = targets.map(({ what, wanted, measured }) => [
    what,
    wanted,
    measured?.value ?? '-',
    measured === undefined ? 'not measured' : measured.reached ? 'reached' : 'missed',
  ])
  return table(['target', 'wanted', 'measured', ''], rows)
}

type FiguresOf = (contestant: string) => SearchFigures | undefined

const figuresAt =
  ({ searches }: Everything, size: number): FiguresOf =>
  contestant =>
    searches.find(({ documents }) => documents === size)?.contestants.find(({ name }) => name === contestant)
      ?.figures

const bound =
  (side: 'at least' | 'at most', isReached: (measured: number, wanted: number) => boolean) =>
  (
    what: string,
    wanted: number,
    measured: number | undefined,
    written: (value: number) => string = times,
  ): Target => ({
    what,
    wanted: `${side} ${written(wanted)}`,
    ...(measured !== undefined && {
      measured: { value: written(measured), reached: isReached(measured, wanted) },
    }),
  })

const atLeast = bound('at least', (measured, wanted) => measured >= wanted)
const atMost = bound('at most', (measured, wanted) => measured <= wanted)

const over = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a / b

const rate = (figures: SearchFigures | undefined, kind: QueryKind): number | undefined =>
  figures?.alone.ids[kind]?.perCpuSecond

const timesMiniSearch: readonly (readonly [QueryKind, number])[] = [
  ['term', 40],
  ['or', 100],
  ['and', 80],
  ['typo', 200],
  ['prefix', 100],
]

function searchTargets(figures: FiguresOf): Target[] {
  const [ours, onDisk, minisearch] = [figures('findling'), figures('findling on disk'), figures('minisearch')]
  const than = (what: string) => `100k: ${what}, minisearch = 1`
  const busy = (kind: QueryKind) =>
    over(ours?.writing?.ids[kind]?.perCpuSecond, ours?.alone.ids[kind]?.perCpuSecond)
  const built = (what: string, mine: SearchFigures | undefined) =>
    atLeast(than(what), 8, over(minisearch?.build.cpuSeconds, mine?.build.cpuSeconds))
  const ms = (value: number) => `${short(value)} ms`
  return [
    built('build, docs/CPU-s', ours),
    built('build of the index alone, docs/CPU-s', figures('findling, index alone')),
    ...timesMiniSearch.map(([kind, wanted]) =>
      atLeast(than(`${kind}, queries/CPU-s`), wanted, over(rate(ours, kind), rate(minisearch, kind))),
    ),
    atMost(than('bytes/doc, documents on disk'), 0.4, over(onDisk?.memory.held, minisearch?.memory.held)),
    atLeast(
      than('re-opened so much faster'),
      10,
      over(minisearch?.reopening?.seconds, onDisk?.reopening?.seconds),
    ),
    atLeast(
      '100k: and, queries/CPU-s, xapian = 1',
      2,
      over(rate(ours, 'and'), rate(figures('xapian'), 'and')),
    ),
    atLeast('100k: typo while writing, alone = 1', 0.5, busy('typo')),
    atLeast('100k: prefix while writing, alone = 1', 0.5, busy('prefix')),
    atMost(
      '100k: fields weighted by the request, so much slower',
      3,
      over(rate(ours, 'or'), rate(ours, 'boosts')),
    ),
    atMost('100k: add and find in memory, p50', 0.1, ours?.visibility?.p50, ms),
    atMost('100k: add and find in memory, p99', 5, ours?.visibility?.p99, ms),
  ]
}

const kindsAtMillion: readonly QueryKind[] = ['term', 'or', 'and', 'phrase', 'typo', 'prefix', 'boosts']

function millionTargets(figures: FiguresOf): Target[] {
  const [ours, onDisk] = [figures('findling'), figures('findling on disk')]
  return [
    ...kindsAtMillion.map(kind =>
      atMost(`1m: ${kind}, p95`, 5, ours?.alone.ids[kind]?.p95, value => `${short(value)} ms`),
    ),
    atMost('1m: re-opened', 1.5, onDisk?.reopening?.seconds, value => `${short(value)} s`),
  ]
}

function wordTargets(search: SearchResults | undefined): Target[] {
  const { oneWord } = search ?? {}
  const states = [
    ['for the first time', oneWord?.first],
    ['again', oneWord?.again],
    ['after an insert', oneWord?.afterInsert],
    ['weighted by the request', oneWord?.weighted],
  ] as const
  return states.map(([state, rate]) =>
    atMost(`1m: one word ${state}, p95`, 1.5, rate?.p95, value => `${short(value)} ms`),
  )
}

const wantedNdcg: readonly (readonly [string, Spelling, number])[] = [
  ['esci-us-small', 'clean', 0.74],
  ['esci-us-small', 'typo', 0.71],
  ['cranfield', 'clean', 0.42],
  ['cranfield', 'typo', 0.42],
]

/** Peer, spelling, and whether the interval of our lead is to lie above zero or only not below it. */
const wantedLeads: readonly (readonly [string, Spelling, 'above' | 'not below'])[] = [
  ['minisearch, typos asked', 'clean', 'above'],
  ['minisearch, typos asked', 'typo', 'above'],
  ['minisearch, fuzzy .1', 'clean', 'above'],
  ['minisearch, fuzzy .1', 'typo', 'above'],
  ['fts5', 'typo', 'above'],
  ['fts5', 'clean', 'not below'],
  ['lunr', 'clean', 'not below'],
]

/** What else may stand for a word must not come before the one document that has it. */
const wantedKnown: readonly (readonly [collection: string, spelling: Spelling, rank: number])[] = [
  ['esci-us-small', 'clean', 0.935],
  ['esci-us-small', 'typo', 0.91],
  ['cranfield', 'clean', 0.9],
  ['cranfield', 'typo', 0.88],
]

function relevanceTargets(relevance: RelevanceResults | undefined): Target[] {
  return [...judgedTargets(relevance), ...knownItemTargets(relevance)]
}

const knownItemTargets = (relevance: RelevanceResults | undefined): Target[] =>
  wantedKnown.map(([collection, spelling, wanted]) =>
    atLeast(
      `${collection}, known items, ${spelling}: mean reciprocal rank`,
      wanted,
      relevance?.judged.find(one => one.collection === collection)?.known?.[0]?.[spelling],
      value => value.toFixed(3),
    ),
  )

function judgedTargets(relevance: RelevanceResults | undefined): Target[] {
  return subsets.flatMap(subset => [
    ...wantedNdcg.map(([collection, spelling, wanted]) => {
      const judged = relevance?.judged.find(one => one.collection === collection)
      const measured = judged?.figures[0]?.[subset][spelling].value.difference
      return {
        what: `${collection}, ${subset} queries, ${spelling}: nDCG@10`,
        wanted: `at least ${wanted.toFixed(3)}`,
        ...(measured === undefined
          ? {}
          : { measured: { value: measured.toFixed(3), reached: measured >= wanted } }),
      }
    }),
    ...wantedLeads.map(([peer, spelling, place]) =>
      leadTarget(relevance?.pooled, { subset, peer, spelling, place }),
    ),
  ])
}

interface Lead {
  readonly subset: Subset
  readonly peer: string
  readonly spelling: Spelling
  readonly place: 'above' | 'not below'
}

function leadTarget(pooled: JudgedResults | undefined, { subset, peer, spelling, place }: Lead): Target {
  const lead = pooled?.figures.find(({ name }) => name === peer)?.[subset][spelling].weLeadBy
  return {
    what: `both collections, ${subset} queries, ${spelling}: our lead over ${peer}`,
    wanted: place === 'above' ? 'interval above 0' : 'interval not below 0',
    ...(lead === undefined
      ? {}
      : { measured: { value: interval(lead), reached: place === 'above' ? lead.low > 0 : lead.high >= 0 } }),
  }
}

function answersTargets(answers: AnswersResults | undefined): Target[] {
  const ours = answers?.figures[0]
  const shares = ours && answers.classes.map(([, checks], at) => ours.ofClass[at]! / checks)
  const all = answers?.classes.reduce((sum, [, checks]) => sum + checks, 0)
  return [
    atLeastShare('answers: accepted', 0.95, over(ours?.right, all)),
    atLeastShare('answers: accepted, worst class', 0.85, shares && Math.min(...shares)),
  ]
}

const atLeastShare = (what: string, wanted: number, measured: number | undefined): Target => ({
  what,
  wanted: `at least ${percent(wanted)}`,
  ...(measured === undefined
    ? {}
    : { measured: { value: percent(measured, 1), reached: measured >= wanted } }),
})

const spellingLists = ['spell-norvig-testset1', 'spell-wikipedia', 'spell-symspell-noisy1000']

const wantedSpelling: readonly (readonly [list: string, share: number])[] = [
  ['spell-wikipedia', 0.86],
  ['spell-symspell-noisy1000', 0.62],
]

function spellingTargets(spelling: SpellingResults | undefined): Target[] {
  const shares = (list: string) =>
    spelling?.sets.find(({ name }) => name === list)?.right.map(([, share]) => share)
  return [
    ...spellingLists.map(list => {
      const [ours, rule] = shares(list) ?? []
      return atLeast(`${list}: first correction right, symspell rule = 1`, 1.06, over(ours, rule))
    }),
    ...wantedSpelling.map(([list, wanted]) =>
      atLeastShare(`${list}: right first corrections`, wanted, shares(list)?.[0]),
    ),
    atMost(
      'esci-us-small: queries with an English word taken for another',
      0.01,
      spelling?.cleanChanged,
      share => percent(share, 1),
    ),
  ]
}

const wantedTop1: readonly (readonly [collection: string, top1: number, top3?: number])[] = [
  ['banking77', 0.915, 0.975],
  ['fashion-styles', 0.972, 0.993],
  ['pricerunner', 0.992],
]

function classifyTargets(results: ClassifyResults | undefined): Target[] {
  const of = (name: string) => results?.collections.find(({ collection }) => collection === name)
  const exact = (value: number) => value.toFixed(4)
  const banking = of('banking77')?.figures[0]
  const largest = results?.growth.find(({ documents }) => documents === 100_000)
  return [
    ...wantedTop1.flatMap(([name, top1, top3]) => {
      const ours = of(name)?.figures[0]
      return [
        atLeast(`${name}: top-1`, top1, ours?.accuracy, exact),
        ...(top3 === undefined ? [] : [atLeast(`${name}: top-3`, top3, ours?.top3, exact)]),
      ]
    }),
    atMost('banking77: calibration error', 0.04, banking?.calibrationError, value => value.toFixed(3)),
    atMost('banking77: learnt, CPU-s', 3, banking?.cpuSeconds, short),
    atLeast('banking77: answers/CPU-s', 30_000, banking?.answersPerCpuSecond, short),
    atMost('100k documents, 1,800 tags: learnt, CPU-s', 60, largest?.cpuSeconds, short),
    atMost('100k documents, 1,800 tags: peak MB', 1_000, largest && largest.peakBytes / 1e6, short),
    ...(results?.collections.map(bestPeerTarget) ?? []),
  ]
}

/** No peer may be ahead of ours by more than the interval of the difference. */
function bestPeerTarget({ collection, figures }: ClassifiedCollection): Target {
  const peers = figures.filter(({ name }) => !name.startsWith('findling'))
  const best = peers.reduce((a, b) => (b.accuracy > a.accuracy ? b : a), peers[0]!)
  return {
    what: `${collection}: top-1, our lead over the best peer, ${best.name}`,
    wanted: 'interval not below 0',
    measured: { value: interval(best.weLeadBy), reached: best.weLeadBy.high >= 0 },
  }
}
function similarTargets(similar: SimilarResults | undefined): Target[] {
  const found = (set: string, contestant: string) =>
    similar?.sets.find(one => one.set === set)?.figures.find(({ name }) => name === contestant)?.all
  const duplicates = similar?.duplicates.find(({ what }) => what === 'abt-buy, published pairs')
  const of = (documents: number) => similar?.neighbours.find(one => one.documents === documents)
  const [at20k, whole] = [of(20_000), similar?.neighbours.at(-1)]
  const share = (value: number) => value.toFixed(3)
  const seconds = (value: number) => `${short(value)} CPU-s`
  return [
    atLeast(
      'abt-buy, rarity from what is stored: hit@1',
      0.91,
      found('abt-buy', 'findling similarity')?.hitAt1,
      share,
    ),
    atLeast(
      'abt-buy, rarity from both shops: hit@1',
      0.92,
      found('abt-buy', 'findling similarity, both shops stored')?.hitAt1,
      share,
    ),
    atLeast(
      'wdc-products-small: hit@10',
      0.73,
      found('wdc-products-small', 'findling similarity')?.hitAt10,
      share,
    ),
    atLeast('duplicates, published pairs of abt-buy: F1', 0.7, duplicates?.f1, share),
    atMost('20k offers: neighbours of one, p50', 1, at20k?.p50, value => `${short(value)} ms`),
    atMost(
      '35k offers: index and all neighbours',
      120,
      whole && whole.build.cpuSeconds + whole.lists.cpuSeconds,
      seconds,
    ),
    atMost(
      '35k offers: resident memory',
      1_000,
      whole && whole.resident / 1e6,
      value => `${short(value)} MB`,
    ),
  ]
}
