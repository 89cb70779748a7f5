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

/** A query whose words are resolved, and how it is to be ranked. */
export interface QueryPlan {
  /** Undefined for the query that all documents match. */
  readonly words:
    | {
        readonly text: QueryText
        readonly resolved: ResolvedQuery
        /** Whether the last word may be the beginning of one. */
        readonly isBeginning: boolean
      }
    | undefined
  readonly operator: 'or' | 'and'
  /** Field weights for this query alone. */
  readonly scoring: ImpactParameters | undefined
  /** The same for what may be a typo, where that does not count in every field. */
  readonly typoScoring?: ImpactParameters | undefined
  /** Documents that are not found, of those that are selected. */
  readonly hidden?: HiddenDocuments | undefined
  readonly signals: SignalFactors | undefined
  readonly now: number
  readonly selection: Selection | undefined
  /** What is added to the scores of some documents. */
  readonly boosts: Boosts
  /** What the query is about, where that weighs. */
  readonly categories?: CategoryShares | undefined
  /** Whether what the best are about weighs. */
  readonly topics: boolean
  /** Whether explanations tell words as documents write them. */
  readonly isWritten: boolean
}

/** What a query is run against. */
export interface Ranking {
  readonly stack: SegmentList<Segment>
  /** The same once the forward lists are there. Before, no query comes that needs them. */
  readonly whole: { readonly segments: readonly LiveSegment[] } | undefined
  readonly vocabulary: Vocabulary
  readonly functionWords: FunctionWords | undefined
  readonly topics: Topics | undefined
  readonly sums: Accumulators
  readonly top: TopK
  readonly places: WordPlaces
  readonly heads: KnownHeads
  readonly best: KnownBest
  /** That of the last query with weights of its own. */
  reweighing: Reweighing | undefined
  /** The same of what may be a typo. */
  typoReweighing: Reweighing | undefined
}
