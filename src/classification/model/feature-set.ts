import { type Compression, isLeftOut, leavesOut } from './compression.ts'
import type { Corpus } from './corpus.ts'
import { KINDS, LONGEST_N_GRAM, SKIP } from './feature-scanner.ts'
import { FeatureWeighing, idf, type Rows, sharedFloats, sharedIntegers } from './vectors.ts'

/** Features to learn from, numbered kind by kind: those of kind k from `ends[k - 1]` to `ends[k]`. */
export interface FeatureSet {
  /** Number of documents that were counted. */
  readonly trained: number
  readonly ends: readonly number[]
  readonly keys: Int32Array
  /** By feature: its document frequency. */
  readonly documents: Uint32Array
  /** The units of the words, and where each ends. */
  readonly wordUnits: Uint16Array
  readonly wordEnds: Uint32Array
  /** By n-gram size: the words of each feature. */
  readonly neighbours: readonly Uint32Array[]
}

/** Stands for a feature that was not selected. */
export const NONE = 0xffffffff

/** Number of documents after which other tasks may run. */
export const DOCUMENTS_AT_ONCE = 1_024

/** Features selected from a part of the corpus, and their numbers in the corpus. */
export interface SelectedFeatures {
  readonly features: FeatureSet
  /** By feature of the corpus: its number among the selected, or `NONE`. */
  readonly numbers: Uint32Array
  readonly weighing: FeatureWeighing
}

/** Minimum document frequency of a feature: rarer ones say nothing, except single words, by which texts are recognized. */
const leastDocuments = (kind: number): number => (kind === 1 ? 1 : 2)

/** Counts the features of some documents, and selects from them. */
export function* selectFeatures(
  corpus: Corpus,
  documents: Uint32Array,
  compression: Compression,
): Generator<void, SelectedFeatures> {
  const counted = new Uint32Array(corpus.features)
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!
    const end = corpus.starts[document + 1]!
    for (let at = corpus.starts[document]!; at < end; at++) counted[corpus.ids[at]!]!++
    if (i % DOCUMENTS_AT_ONCE === 0) yield
  }
  if (leavesOut(compression)) yield* leaveOut(corpus, documents, compression, counted)
  yield
  return choose(corpus, counted, documents.length)
}

/** Sets the counts of features that are rare in every tag to zero. */
function* leaveOut(
  corpus: Corpus,
  documents: Uint32Array,
  compression: Compression,
  counted: Uint32Array,
): Generator<void> {
  const inTag = yield* mostInTag(corpus, documents)
  const inDataset = new Uint32Array(corpus.features)
  for (const document of documents) {
    for (let at = corpus.starts[document]!; at < corpus.starts[document + 1]!; at++) {
      inDataset[corpus.ids[at]!]! += corpus.counts[at]!
    }
  }
  for (let id = 0; id < counted.length; id++) {
    if (isLeftOut(compression, inTag[id]!, inDataset[id]!)) counted[id] = 0
  }
}

/** By feature: its number of occurrences in the tag where it occurs most. */
function* mostInTag(corpus: Corpus, documents: Uint32Array): Generator<void, Uint32Array> {
  const { starts, ids, counts, tagStarts, tags } = corpus
  const byTag: number[][] = Array.from({ length: corpus.tagCount }, () => [])
  for (const document of documents) {
    for (let at = tagStarts[document]!; at < tagStarts[document + 1]!; at++) byTag[tags[at]!]!.push(document)
  }
  const most = new Uint32Array(corpus.features)
  const inTag = new Uint32Array(corpus.features)
  for (const members of byTag) {
    for (const document of members) {
      for (let at = starts[document]!; at < starts[document + 1]!; at++) inTag[ids[at]!]! += counts[at]!
    }
    for (const document of members) {
      for (let at = starts[document]!; at < starts[document + 1]!; at++) {
        const id = ids[at]!
        if (inTag[id]! > most[id]!) most[id] = inTag[id]!
        inTag[id] = 0
      }
    }
    yield
  }
  return most
}

function choose(corpus: Corpus, counted: Uint32Array, trained: number): SelectedFeatures {
  const ends = new Array<number>(KINDS).fill(0)
  for (let id = 0; id < counted.length; id++) {
    const kind = corpus.kinds[id]!
    if (counted[id]! >= leastDocuments(kind)) ends[kind]!++
  }
  for (let kind = 1; kind < KINDS; kind++) ends[kind]! += ends[kind - 1]!
  const size = ends[KINDS - 1]!
  const cursors = [0, ...ends]
  const numbers = new Uint32Array(counted.length).fill(NONE)
  const keys = new Int32Array(size)
  const documents = new Uint32Array(size)
  for (let id = 0; id < counted.length; id++) {
    const kind = corpus.kinds[id]!
    if (counted[id]! < leastDocuments(kind)) continue
    const number = cursors[kind]!++
    numbers[id] = number
    keys[number] = corpus.keys[id]!
    documents[number] = counted[id]!
  }
  const features = { trained, ends, keys, documents, ...namesOf(corpus, numbers, ends) }
  return { features, numbers, weighing: weighingOf(features) }
}

/** The inverse document frequency of a feature. */
export const idfOf = ({ documents, trained }: FeatureSet, id: number): number => idf(documents[id]!, trained)

/** How the features weigh. */
export const weighingOf = ({ documents, trained, ends }: FeatureSet): FeatureWeighing =>
  new FeatureWeighing(documents, trained, ends[SKIP]!)

function namesOf(
  corpus: Corpus,
  numbers: Uint32Array,
  ends: readonly number[],
): Pick<FeatureSet, 'wordUnits' | 'wordEnds' | 'neighbours'> {
  const wordEnds = new Uint32Array(ends[1]!)
  const wordUnits = new Uint16Array(corpus.wordEnds[corpus.words - 1] ?? 0)
  const neighbours = corpus.neighbours.map(
    (_, size) => new Uint32Array(size > 1 ? size * (ends[size]! - ends[size - 1]!) : 0),
  )
  const seen = new Uint32Array(KINDS)
  let units = 0
  for (let id = 0; id < corpus.features; id++) {
    const kind = corpus.kinds[id]!
    const nth = seen[kind]!++
    const number = numbers[id]!
    if (number === NONE || kind > LONGEST_N_GRAM) continue
    if (kind === 1) {
      const from = nth === 0 ? 0 : corpus.wordEnds[nth - 1]!
      const word = corpus.wordUnits.subarray(from, corpus.wordEnds[nth])
      wordUnits.set(word, units)
      units += word.length
      wordEnds[number] = units
      continue
    }
    const list = neighbours[kind]!
    const to = kind * (number - ends[kind - 1]!)
    for (let i = 0; i < kind; i++) list[to + i] = numbers[corpus.neighbours[kind]![nth * kind + i]!]!
  }
  return { wordUnits: wordUnits.slice(0, units), wordEnds, neighbours }
}

/** Some documents as rows of the selected features that `isUsed` lets through. */
export function* rowsOf(
  corpus: Corpus,
  documents: Uint32Array,
  { numbers, weighing }: Pick<SelectedFeatures, 'numbers' | 'weighing'>,
  isUsed: (number: number) => boolean,
): Generator<void, Rows> {
  let most = 0
  for (const document of documents) most += corpus.starts[document + 1]! - corpus.starts[document]!
  const starts = sharedIntegers(documents.length + 1)
  const ids = sharedIntegers(most)
  const values = sharedFloats(most)
  const counts = new Uint8Array(most)
  let end = 0
  for (let row = 0; row < documents.length; row++) {
    const document = documents[row]!
    const from = end
    for (let at = corpus.starts[document]!; at < corpus.starts[document + 1]!; at++) {
      const number = numbers[corpus.ids[at]!]!
      if (number === NONE || !isUsed(number)) continue
      ids[end] = number
      counts[end++] = corpus.counts[at]!
    }
    weighing.weigh(ids, counts, from, end, values)
    starts[row + 1] = end
    if (row % DOCUMENTS_AT_ONCE === 0) yield
  }
  return { starts, ids, values }
}
