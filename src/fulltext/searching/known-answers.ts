import { Recent } from '../words/recent.ts'
import type { UnderstoodWord } from '../words/written-texts.ts'
import { EVERYTHING, type QueryAnswer, type QueryOptions, type TextQuery } from './text-query.ts'

/** Longer answers are hardly ever asked for twice. */
const MOST_HITS = 100
const LONGEST_QUERY = 200

/** Approximate sizes: of an answer, a hit, a word, a text and a part, each without the texts in it. */
const BYTES_OF_ONE = 512
const BYTES_OF_HIT = 64
const BYTES_OF_WORD = 256
const BYTES_OF_TEXT = 32
const BYTES_OF_PART = 64

/** What answers depend on besides the question. */
export interface AnswerState {
  /** Changes with the documents, and with the order in which they are stored. */
  readonly moment: number
  readonly topics: object | undefined
  /** Another object once impacts are computed from other lengths. */
  readonly pin: object
}

/** Whole answers to queries that come again before the next change of the index. */
export class KnownAnswers {
  readonly #kept: Recent<QueryAnswer | typeof ASKED>
  #state: AnswerState | undefined

  /** @param mostBytes at most, about */
  constructor(mostBytes: number) {
    this.#kept = new Recent(mostBytes / 2)
  }

  get bytes(): number {
    return this.#kept.bytes
  }

  /** The answer if it is known; otherwise it is found, and kept if this was asked before. */
  of(question: string, state: AnswerState, find: () => QueryAnswer): QueryAnswer {
    if (!this.#state || !isSame(state, this.#state)) {
      this.#kept.clear()
      this.#state = state
    }
    const known = this.#kept.get(question)
    if (known !== undefined && known !== ASKED) return copyOf(known)
    const answer = find()
    if (known === ASKED) this.#kept.set(question, copyOf(answer), bytesOf(question, answer))
    else this.#kept.set(question, ASKED, BYTES_OF_ONE + 2 * question.length)
    return answer
  }
}

const isSame = (one: AnswerState, other: AnswerState): boolean =>
  one.moment === other.moment && one.topics === other.topics && one.pin === other.pin

/** Instead of an answer, after the first request: most questions do not come again. */
const ASKED = Symbol('asked once')

/** A text by which to know the question again; undefined where more than that decides on the answer. */
export function questionOf(query: TextQuery, options: QueryOptions): string | undefined {
  const { operator, typoTolerance, exclusion, prefix, count, relax, topics, limit, offset = 0 } = options
  const { isExact, weights, rules, hidden, selection, view, boosts, categories } = options
  if (weights || rules || hidden?.length || selection || view || boosts?.length || categories)
    return undefined
  const { keeps, order, explain, pinned, collect, groupBy } = options
  if (keeps !== undefined || order || explain || pinned?.length || collect?.length || groupBy)
    return undefined
  const text = query === EVERYTHING ? '' : `"${query}`
  if (limit > MOST_HITS || text.length > LONGEST_QUERY) return undefined
  return `${operator} ${typoTolerance} ${isExact} ${exclusion} ${prefix} ${count} ${relax} ${topics} ${limit} ${offset} ${text}`
}

/** What the caller may do with one does not change the other. */
function copyOf(answer: QueryAnswer): QueryAnswer {
  return {
    ...answer,
    hits: answer.hits.map(({ id, score }) => ({ id, score })),
    words: answer.words.map(copyOfWord),
    phrases: answer.phrases.map(({ places, slop }) => ({ places: places.map(texts => [...texts]), slop })),
    total: { ...answer.total },
  }
}

function copyOfWord(word: UnderstoodWord): UnderstoodWord {
  const { written } = word
  const copy = { ...word, ...copiedLists(word) }
  return written ? { ...copy, written: { ...written, ...copiedLists(written) } } : copy
}

const copiedLists = ({ surfaces, parts }: Pick<UnderstoodWord, 'surfaces' | 'parts'>) => ({
  surfaces: [...surfaces],
  ...(parts && { parts: parts.map(part => ({ ...part })) }),
})

function bytesOf(question: string, { hits, words, phrases }: QueryAnswer): number {
  let bytes = BYTES_OF_ONE + 2 * question.length
  for (const { id } of hits) bytes += BYTES_OF_HIT + 2 * id.length
  for (const word of words)
    bytes += BYTES_OF_WORD + bytesOfLists(word) + (word.written ? bytesOfLists(word.written) : 0)
  for (const { places } of phrases) for (const texts of places) bytes += bytesOfTexts(texts)
  return bytes
}

const bytesOfLists = ({ surfaces, parts = [] }: Pick<UnderstoodWord, 'surfaces' | 'parts'>): number =>
  bytesOfTexts(surfaces) + parts.length * BYTES_OF_PART

const bytesOfTexts = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + BYTES_OF_TEXT + 2 * length, 0)
