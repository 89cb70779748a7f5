import type { FunctionWords } from '../../analysis/function-words.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { HiddenDocuments } from '../matching/hidden-documents.ts'
import type { Selection } from '../matching/selection.ts'
import type { WordPlaces } from '../matching/word-places.ts'
import type { ImpactParameters } from '../segments/bm25f.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import type { Topics } from '../topics/topics.ts'
import type { QueryText } from '../words/query-text.ts'
import type { ResolvedQuery } from '../words/resolve-words.ts'
import type { Accumulators } from './accumulators.ts'
import type { Boosts } from './boosted-scores.ts'
import type { KnownBest } from './known-best.ts'
import type { KnownHeads } from './known-heads.ts'
import type { Reweighing } from './reweighing.ts'
import type { SignalFactors } from './signal-factors.ts'
import type { CategoryShares } from './tag-classes.ts'
import type { TopK } from './top-k.ts'

/** A query whose words are resolved, and how to rank it. */
export interface QueryPlan {
  /** Undefined for the query that matches all documents. */
  readonly words:
    | {
        readonly text: QueryText
        readonly resolved: ResolvedQuery
        /** Whether the last word may be a prefix. */
        readonly isBeginning: boolean
      }
    | undefined
  readonly operator: 'or' | 'and'
  /** Field weights for this query alone. */
  readonly scoring: ImpactParameters | undefined
  /** The same for possible typos, if these do not count in every field. */
  readonly typoScoring?: ImpactParameters | undefined
  /** Documents to leave out of the selected ones. */
  readonly hidden?: HiddenDocuments | undefined
  readonly signals: SignalFactors | undefined
  readonly now: number
  readonly selection: Selection | undefined
  /** What is added to the scores of some documents. */
  readonly boosts: Boosts
  /** What the query is about, if that affects the ranking. */
  readonly categories?: CategoryShares | undefined
  /** Whether the topics of the best hits affect the ranking. */
  readonly topics: boolean
  /** Whether explanations give words in the spelling of documents. */
  readonly isWritten: boolean
}

/** The state of the index that a query is run on. */
export interface Ranking {
  readonly stack: SegmentList<Segment>
  /** The same once the forward lists are loaded; until then no query that needs them is run. */
  readonly whole: { readonly segments: readonly LiveSegment[] } | undefined
  readonly vocabulary: Vocabulary
  readonly functionWords: FunctionWords | undefined
  readonly topics: Topics | undefined
  readonly sums: Accumulators
  readonly top: TopK
  readonly places: WordPlaces
  readonly heads: KnownHeads
  readonly best: KnownBest
  /** Of the last query with its own weights. */
  reweighing: Reweighing | undefined
  /** The same for possible typos. */
  typoReweighing: Reweighing | undefined
}
