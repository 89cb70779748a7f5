import type { Analyzer } from '../../analysis/analyzer.ts'
import { measureUnitsOf } from '../../analysis/units.ts'
import type { TermDictionary } from '../dictionary/dictionary.ts'
import { TypedWord } from '../dictionary/edit-distance.ts'
import { documentsOf, HiddenDocuments } from '../matching/hidden-documents.ts'
import { MatchSet } from '../matching/match-set.ts'
import type { MatchVisitor } from '../matching/match-visitor.ts'
import { isSelected, type Selection } from '../matching/selection.ts'
import { type View, Views } from '../matching/views.ts'
import { someOpen } from '../matching/visible-frequencies.ts'
import { WordPlaces } from '../matching/word-places.ts'
import { Accumulators } from '../ranking/accumulators.ts'
import { KnownBest } from '../ranking/known-best.ts'
import { headTerms, KnownHeads } from '../ranking/known-heads.ts'
import type { QueryPlan, Ranking } from '../ranking/query-plan.ts'
import { Reweighing } from '../ranking/reweighing.ts'
import type { SignalFactors } from '../ranking/signal-factors.ts'
import { TopK } from '../ranking/top-k.ts'
import { Grouping } from '../reordering/grouping.ts'
import type { ImpactParameters } from '../segments/bm25f.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import { placeOf } from '../segments/term-place.ts'
import type { Topics } from '../topics/topics.ts'
import { withoutAsking } from '../words/asking.ts'
import { withShares } from '../words/function-word-shares.ts'
import { type KnownWords, wordMemories } from '../words/meaning.ts'
import { type QueryText, readQuery } from '../words/query-text.ts'
import { type Relaxed, type ResolvedText, relax } from '../words/relaxation.ts'
import { needsForwardLists, type ResolvedQuery, resolveQuery } from '../words/resolve-words.ts'
import type { MeaningRules } from '../words/ruled-meanings.ts'
import { KnownStandings } from '../words/standing.ts'
import type { RuleCompiler, WordRules } from '../words/word-rules.ts'
import type { UnderstoodWord } from '../words/written-texts.ts'
import { arrange, type Page, pinsOf } from './arrange.ts'
import { KnownAnswers, questionOf } from './known-answers.ts'
import { QueryRun } from './query-run.ts'
import {
  EVERYTHING,
  type MatchedPhrase,
  type MatchOptions,
  type QueryAnswer,
  type QueryOptions,
  type TextQuery,
} from './text-query.ts'

type Words = NonNullable<QueryPlan['words']>

interface SearcherParts {
  readonly analyzer: Analyzer
  readonly signals: SignalFactors | undefined
  readonly dictionary: TermDictionary
  readonly segments: SegmentList<Segment>
  /** The same once their forward lists are loaded. */
  readonly whole?: NonNullable<Ranking['whole']>
  readonly topics: Topics
  readonly compiler: RuleCompiler
}

/** Answers queries from the words and segments of an index, which must not change during a call. */
export class Searcher {
  readonly #analyzer: Analyzer
  readonly #signals: SignalFactors | undefined
  #known: KnownWords
  readonly #ranking: Ranking
  readonly #compiler: RuleCompiler
  readonly #views: Views | undefined
  readonly #standings: KnownStandings
  #answers: KnownAnswers | undefined
  /** Of the last grouped query. */
  #grouping: Grouping | undefined

  constructor({ analyzer, signals, dictionary, segments, whole, topics, compiler }: SearcherParts) {
    this.#analyzer = analyzer
    this.#signals = signals
    this.#compiler = compiler
    const standings = new KnownStandings(dictionary.vocabulary)
    this.#standings = standings
    const standing: KnownWords['standing'] = terms => {
      const standing = whole && standings.of(terms, whole.segments)
      const { reader } = dictionary.vocabulary.terms
      // It names segments, which merges replace. Where there is none, no document has all of the terms in sequence.
      if (standing) reader?.readMore()
      else for (const term of terms) reader?.counted(term)
      return standing
    }
    const source = { terms: dictionary.vocabulary.terms, changes: segments.frequencies.changes }
    this.#known = {
      dictionary,
      segments,
      standing,
      language: analyzer.language,
      units: measureUnitsOf(analyzer.language),
      typed: new TypedWord(),
      ...wordMemories(source),
      texts: new WeakMap(),
      written: new WeakMap(),
    }
    this.#views = whole && new Views({ dictionary, segments, whole, standings, common: this.#known })
    this.#ranking = {
      stack: segments,
      whole,
      vocabulary: dictionary.vocabulary,
      functionWords: analyzer.functionWords,
      topics,
      places: new WordPlaces(),
      heads: new KnownHeads(),
      best: new KnownBest(),
      sums: new Accumulators(),
      top: new TopK(),
      reweighing: undefined,
      typoReweighing: undefined,
    }
  }

  get bytes(): number {
    const { best, heads, places, sums, reweighing, typoReweighing } = this.#ranking
    const { memory, joined, parts } = this.#known
    const made = [best, heads, places, sums, memory, joined, parts]
    const standings = this.#standings.bytesOf(this.#ranking.stack.segments)
    return [...made, reweighing, typoReweighing, this.#answers, this.#grouping, this.#views].reduce(
      (sum, one) => sum + (one?.bytes ?? 0),
      standings,
    )
  }

  /** The current words against which queries are resolved. */
  get words(): KnownWords {
    const { memory, joined, parts } = this.#known
    if (memory.follow(this.#ranking.stack)) this.#change()
    joined.follow(this.#ranking.stack)
    parts.follow(this.#ranking.stack)
    return this.#known
  }

  /** Forgets what depends on more than words. */
  #change(): void {
    this.#ranking.heads.change()
    this.#known = { ...this.#known, written: new WeakMap() }
  }

  /** The view with this name on the current index; undefined where it has yet to be made, or forward lists are missing. */
  view(name: string): View | undefined {
    return this.#views?.get(name)
  }

  /** Makes a view. @param keeps whether it may be kept until the index changes */
  addView(name: string, selection: Selection, keeps: boolean): View {
    if (!this.#views) throw new Error('Views need forward lists.')
    return this.#views.add(name, selection, keeps)
  }

  /** Whether an answer needs the forward lists, or the columns. */
  needsForward(query: TextQuery, options: QueryOptions): boolean {
    const { explain, weights, groupBy, pinned, rules, exclusion, categories } = options
    if (groupBy) return true
    if (query === EVERYTHING) return false
    if (categories) return true
    const { words, phrases, excluded } = readQuery(query, this.#analyzer, exclusion)
    if (words.length === 0) return false
    if (excluded.length > 0 || words.length > 1 || phrases.length > 0) return true
    if (explain || weights || pinned?.length || needsForwardLists(words[0]!, this.#known)) return true
    if (rules !== undefined && (rules.synonyms.length > 0 || rules.exactFields.includes(true))) return true
    if (!this.#analyzer.functionWords?.headsAreLast) return false
    const [slot] = this.#asked(query, options)?.words.resolved.slots ?? []
    return slot !== undefined && headTerms(slot.cover, this.#ranking.stack) !== undefined
  }

  /**
   * Without forward lists, only for queries that need none.
   * @param answerBytes for answers that are kept in case they are asked for again
   */
  search(query: TextQuery, options: QueryOptions, answerBytes = 0): QueryAnswer {
    // What signals add depends on the time.
    const question = answerBytes > 0 && !this.#signals ? questionOf(query, options) : undefined
    if (question === undefined) return this.#search(query, options)
    this.#answers ??= new KnownAnswers(answerBytes)
    const { stack, topics } = this.#ranking
    const state = { moment: stack.moment, topics: topics?.model, pin: stack.pin }
    return this.#answers.of(question, state, () => this.#search(query, options))
  }

  #search(query: TextQuery, given: QueryOptions): QueryAnswer {
    const options = withinView(given)
    return this.#safely(() => {
      const asked = this.#asked(query, options)
      const hidden = this.#hidden(options)
      let found = this.#page(asked?.words, options, hidden)
      let relaxed: Relaxed | undefined
      if (asked && options.relax && options.operator === 'and' && found.ranked === 0) {
        const plan = (words: ResolvedText) => this.#plan({ ...asked.words, ...words }, options, hidden)
        const matches = (words: ResolvedText) =>
          new QueryRun(plan(words), this.#ranking).hits(0, 1, { explain: false, keeps: false }).length > 0
        relaxed = matches(asked.words) ? undefined : relax(asked.words, matches)
        if (relaxed) found = this.#page({ ...asked.words, ...relaxed }, options, hidden)
      }
      const words = asked && relaxed ? { ...asked.words, ...relaxed } : asked?.words
      const matches = (options.collect ?? []).map(selection =>
        this.#matches(words, selection === options.selection ? options : { ...options, selection }),
      )
      return {
        hits: found.hits.slice(0, options.limit),
        kept: options.keeps === undefined ? undefined : found.hits,
        words: asked ? allWords(asked) : [],
        phrases: words ? matchedPhrases(words.text, words.resolved) : [],
        beginning: words?.isBeginning ? words.text.words.at(-1) : undefined,
        isCut: words?.text.isCut ?? false,
        // Of groups, only some documents of each are hits.
        total: matches[0] && !options.groupBy ? { count: matches[0].size, exact: true } : found.total,
        relaxed: relaxed?.dropped ?? [],
        matches,
      }
    })
  }

  /** Passes every matching document to the visitor. @returns how many steps of its scores are a score of 1 */
  visit(query: TextQuery, given: MatchOptions, visitor: MatchVisitor): number {
    const options = withinView(given)
    return this.#safely(() => {
      const hidden = this.#hidden(options)
      const plan = this.#plan(this.#asked(query, options)?.words, options, hidden)
      const run = new QueryRun(plan, this.#ranking)
      run.visit(visitor)
      return run.steps
    })
  }

  /** The documents that may be found, whether they match or not: selected ones, without hidden ones and those that the text excludes. */
  open(query: TextQuery, given: MatchOptions): MatchSet {
    const options = withinView(given)
    return this.#safely(() => {
      const plan = this.#plan(this.#asked(query, options)?.words, options, this.#hidden(options))
      return new QueryRun(plan, this.#ranking).open
    })
  }

  /**
   * Reads which documents have the same value at a path until the time is up, but at least some of it.
   * @param begun the result so far, so that other paths grouped by meanwhile do not restart it
   */
  group(
    path: string,
    begun: Grouping | undefined,
    until: number,
  ): { readonly grouping: Grouping; readonly isRead: boolean } {
    const { stack } = this.#ranking
    const grouping = begun ?? groupingFor(path, this.#grouping, stack.size)
    this.#grouping = grouping
    for (const { segment } of stack.segments) {
      if (grouping.has(segment)) continue
      if (!grouping.read(segment, until) || performance.now() > until) return { grouping, isRead: false }
    }
    return { grouping, isRead: true }
  }

  #safely<T>(work: () => T): T {
    this.#ranking.stack.searches++
    try {
      return work()
    } catch (error) {
      this.#ranking.sums.clear()
      throw error
    }
  }

  #page(words: Words | undefined, options: QueryOptions, hidden: ReadonlySet<number>): Page {
    const { stack } = this.#ranking
    const { groupBy } = options
    if (groupBy) this.#grouping = groupingFor(groupBy.path, this.#grouping, stack.size)
    return arrange({
      options,
      pins: pinsOf(options.pinned, hidden, stack, options.selection),
      groups: groupBy && { grouping: this.#grouping!, limit: groupBy.limit },
      run: others => new QueryRun(this.#plan(words, options, union(hidden, others)), this.#ranking),
    })
  }

  #matches(words: Words | undefined, options: QueryOptions): MatchSet {
    const { stack } = this.#ranking
    const hidden = this.#hidden(options)
    const matches = new MatchSet(stack.segments)
    new QueryRun(this.#plan(words, options, hidden), this.#ranking).visit(matches)
    for (const { document } of pinsOf(options.pinned, hidden, stack, options.selection)) matches.add(document)
    return matches
  }

  #plan(
    words: Words | undefined,
    options: MatchOptions & Pick<QueryOptions, 'topics' | 'categories' | 'boosts'>,
    hidden: ReadonlySet<number>,
  ): QueryPlan {
    const { operator, signals = true, topics = true, now = 0, weights, rules, selection, boosts } = options
    const { categories, view } = options
    const { functionWords } = this.#analyzer
    return {
      words:
        words && functionWords
          ? { ...words, resolved: withShares(words.resolved, functionWords.all) }
          : words,
      operator,
      scoring: this.#scoring(weights),
      typoScoring: rules && this.#typoScoring(rules, weights),
      hidden: hidden.size > 0 ? new HiddenDocuments(hidden) : undefined,
      signals: signals ? this.#signals : undefined,
      now,
      topics,
      categories,
      selection,
      boosts: boosts ?? [],
      isWritten: view === undefined,
    }
  }

  #asked(
    query: TextQuery,
    { typoTolerance, isExact, prefix = false, exclusion = true, rules: given, weights, view }: MatchOptions,
  ): Asked | undefined {
    if (query === EVERYTHING) return undefined
    const known = this.#knownIn(view)
    const all = readQuery(query, this.#analyzer, exclusion)
    const isBeginning = prefix && all.isOpen
    const { functionWords } = this.#analyzer
    const { text: told, stopped: asking } = functionWords
      ? withoutAsking(all, functionWords, isBeginning)
      : { text: all, stopped: NONE }
    const tolerance = { typoTolerance, prefix: isBeginning, isExact: isExact ?? false }
    if (!given) {
      const { text, resolved } = resolveQuery(told, known, tolerance)
      return { words: { text, resolved, isBeginning }, order: all.words, stopped: asking }
    }
    const rules = this.#compiler.compile(given)
    const { text, stopped } = rules.withoutStopWords(told, isBeginning)
    const scoring = this.#typoScoring(given, weights)
    let reweighing: Reweighing | undefined
    const mayBeTypo: MeaningRules['mayBeTypo'] = term => {
      if (!scoring) return true
      reweighing ??= new Reweighing(scoring)
      return this.#counts(term, reweighing, view)
    }
    const words = { ...resolveQuery(text, known, tolerance, { rules, mayBeTypo }), isBeginning }
    return { words, order: all.words, stopped: new Set([...asking, ...stopped]) }
  }

  /** Hidden documents among the selected ones. */
  #hidden({ hidden, selection }: MatchOptions): ReadonlySet<number> {
    if (!hidden?.length) return NOTHING
    const documents = documentsOf(hidden, this.#ranking.stack)
    return new Set(documents.filter(document => isSelected(document, selection)))
  }

  #knownIn(view: View | undefined): KnownWords {
    const known = this.words
    return view?.words ?? known
  }

  /** Whether some document has the term in a field with a weight. */
  #counts(term: number, reweighing: Reweighing, view: View | undefined): boolean {
    const { whole, vocabulary } = this.#ranking
    return (whole?.segments ?? []).some(({ segment }, place) => {
      const at = placeOf(term, segment, vocabulary)
      if (at < 0) return false
      const list = reweighing.list(segment, segment.offsets[at]!, segment.offsets[at + 1]!, 1)
      return list && (!view || someOpen(view.selection.hidden[place], list))
    })
  }

  #typoScoring(
    { exactFields }: WordRules,
    weights: readonly number[] | undefined,
  ): ImpactParameters | undefined {
    if (!exactFields.includes(true)) return undefined
    const own = this.#ranking.stack.scoring.fields
    return this.#scoring(own.map(({ weight }, i) => (exactFields[i] ? 0 : (weights?.[i] ?? weight))))
  }

  #scoring(weights: readonly number[] | undefined): ImpactParameters | undefined {
    if (!weights) return undefined
    const { scoring } = this.#ranking.stack
    const { fields: own } = scoring
    const fields = own.map(({ b }, i) => ({ weight: weights[i] ?? own[i]!.weight, b }))
    return { ...scoring, fields }
  }
}

interface Asked {
  readonly words: Words
  /** Its words, including stop words. */
  readonly order: readonly string[]
  readonly stopped: ReadonlySet<string>
}

/** What each distinct word was taken for, in query order; parts into which words were cut come last. */
function allWords({ words, order, stopped }: Asked): UnderstoodWord[] {
  const { words: matched } = words.resolved
  if (stopped.size === 0) return matched
  const known = new Map(matched.map(match => [match.word, match]))
  for (const word of stopped) known.set(word, { word, kind: 'stop', surfaces: [], idf: 0 })
  return [...new Set([...order, ...known.keys()])].flatMap(word => known.get(word) ?? [])
}

/** With a view, the visible documents are all there are, and totals are counted: an estimate would reveal hidden ones. */
function withinView<Options extends MatchOptions>(options: Options): Options {
  const { view, selection } = options
  return view ? { ...options, selection: selection ?? view.selection, count: true } : options
}

const NONE: ReadonlySet<string> = new Set()

const NOTHING: ReadonlySet<number> = new Set()

const union = (one: ReadonlySet<number>, other: readonly number[]): ReadonlySet<number> =>
  other.length === 0 ? one : new Set([...one, ...other])

function groupingFor(path: string, last: Grouping | undefined, documents: number): Grouping {
  return last?.path === path && !last.isOutgrown(documents) ? last : new Grouping(path)
}

function matchedPhrases({ phrases }: QueryText, { sequence, words }: ResolvedQuery): MatchedPhrase[] {
  if (phrases.length === 0) return []
  const surfaces = new Map(words.map(({ word, surfaces }) => [word, surfaces]))
  return phrases.map(({ words: places, slop }) => ({
    places: places.map(place => surfaces.get(sequence[place]?.word ?? '') ?? []),
    slop,
  }))
}
