import type { AnswersResults } from './answers.ts'
import { isOurs, queryKinds } from './contestant.ts'
import type { Rate } from './measure.ts'
import { spellings } from './metrics.ts'
import type { RelevanceResults } from './relevance.ts'
import { interval } from './relevance-report.ts'
import { percent, short, table, times } from './report.ts'
import type { SearchResults } from './search.ts'
import type { Answering, SearchFigures } from './search-contest.ts'
import { kindNames } from './search-report.ts'
import { sizeName } from './sizes.ts'
import type { SpellingResults } from './spelling.ts'
import type { Everything } from './targets.ts'

export interface Loss {
  readonly where: string
  readonly peer: string
  readonly theirs: string
  readonly ours: string
  readonly by: string
}

/** Everything in which a peer is ahead of us by more than the noise of a run. */
export const lossesOf = ({ searches, relevance, answers, spelling }: Everything): Loss[] => [
  ...searches.flatMap(searchLosses),
  ...(relevance ? relevanceLosses(relevance) : []),
  ...(answers ? answersLosses(answers) : []),
  ...(spelling ? spellingLosses(spelling) : []),
]

export function lossesTable(losses: readonly Loss[]): string {
  const rows = losses.map(({ where, peer, theirs, ours, by }) => [where, peer, theirs, ours, by])
  return table(['where a peer wins', 'who', 'theirs', 'ours', 'by'], rows)
}

interface Measure {
  readonly name: string
  readonly of: (figures: SearchFigures, documents: number) => number | undefined
  readonly better: 'more' | 'less'
  /** Whether documents are within, so that only contestants that have them are comparable. */
  readonly whereDocumentsAre?: 'counts'
}

const noise = 1.1

const measures: readonly Measure[] = [
  { name: 'build, docs/CPU-s', of: ({ build }, documents) => documents / build.cpuSeconds, better: 'more' },
  {
    name: 'bytes/doc',
    of: ({ memory }, documents) => memory.held && memory.held / documents,
    better: 'less',
    whereDocumentsAre: 'counts',
  },
  {
    name: 'resident bytes/doc',
    of: ({ memory }, documents) => memory.resident / documents,
    better: 'less',
    whereDocumentsAre: 'counts',
  },
  ...queryKinds.flatMap(kind => answering(kindNames[kind], ({ ids }) => ids[kind])),
  ...answering('or, whole documents', ({ whole }) => whole),
  { name: 'add and find, p50 ms', of: ({ visibility }) => visibility?.p50, better: 'less' },
  { name: 'add and find, p99 ms', of: ({ visibility }) => visibility?.p99, better: 'less' },
  {
    name: 'removal, docs/s',
    of: ({ removal }) => removal && removal.documents / removal.seconds,
    better: 'more',
  },
  { name: 're-open, s', of: ({ reopening }) => reopening?.seconds, better: 'less' },
]

function answering(name: string, of: (answering: Answering) => Rate | undefined): Measure[] {
  return [
    { name: `${name}, queries/CPU-s`, of: ({ alone }) => of(alone)?.perCpuSecond, better: 'more' },
    { name: `${name}, p99 ms`, of: ({ alone }) => of(alone)?.p99, better: 'less' },
    {
      name: `${name} while writing, queries/CPU-s`,
      of: ({ writing }) => writing && of(writing)?.perCpuSecond,
      better: 'more',
    },
    {
      name: `${name} while writing, p99 ms`,
      of: ({ writing }) => writing && of(writing)?.p99,
      better: 'less',
    },
  ]
}

function searchLosses({ documents, contestants }: SearchResults): Loss[] {
  return measures.flatMap(measure =>
    contestants.flatMap(peer => {
      if (isOurs(peer.name)) return []
      const rival = contestants.find(({ name }) => name === rivalOf(peer.documents, measure))
      const theirs = measure.of(peer.figures, documents)
      const ours = rival && measure.of(rival.figures, documents)
      if (theirs === undefined || ours === undefined) return []
      const by = measure.better === 'more' ? theirs / ours : ours / theirs
      if (by <= noise) return []
      const where = `${sizeName(documents)}: ${measure.name}`
      return [{ where, peer: peer.name, theirs: short(theirs), ours: short(ours), by: times(by) }]
    }),
  )
}

/** Who has documents on disk is compared with ours on disk, and so is memory without documents. */
function rivalOf(
  documents: SearchResults['contestants'][number]['documents'],
  { name, whereDocumentsAre }: Measure,
): string {
  const withoutDocuments = whereDocumentsAre === 'counts' && documents === 'asked'
  return documents === 'disk' || withoutDocuments || name.startsWith('re-open')
    ? 'findling on disk'
    : 'findling'
}

function relevanceLosses({ judged, pooled }: RelevanceResults): Loss[] {
  return [...judged, ...(pooled ? [pooled] : [])].flatMap(({ collection, figures: [ours, ...peers] }) =>
    spellings.flatMap(spelling =>
      peers.flatMap(peer => {
        const { value, weLeadBy } = peer.all[spelling]
        if (weLeadBy.difference >= 0) return []
        return [
          {
            where: `${collection}, ${spelling}: nDCG@10`,
            peer: peer.name,
            theirs: value.difference.toFixed(3),
            ours: ours!.all[spelling].value.difference.toFixed(3),
            by: `our lead ${interval(weLeadBy)}`,
          },
        ]
      }),
    ),
  )
}

function answersLosses({ classes, figures: [ours, ...peers] }: AnswersResults): Loss[] {
  return classes.flatMap(([name, checks], at) =>
    peers.flatMap(peer => {
      const [theirs, mine] = [peer.ofClass[at]!, ours!.ofClass[at]!]
      if (theirs <= mine) return []
      const by = `${theirs - mine} of ${checks}`
      return [{ where: `answers: ${name}`, peer: peer.name, theirs: String(theirs), ours: String(mine), by }]
    }),
  )
}

function spellingLosses({ sets }: SpellingResults): Loss[] {
  return sets.flatMap(({ name, right: [ours, ...peers] }) =>
    peers.flatMap(([peer, share]) => {
      if (share <= ours![1]) return []
      const [theirs, mine] = [percent(share, 1), percent(ours![1], 1)]
      return [
        { where: `${name}: first correction right`, peer, theirs, ours: mine, by: times(share / ours![1]) },
      ]
    }),
  )
}
