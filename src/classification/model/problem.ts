import type { Compression } from './compression.ts'
import type { Corpus } from './corpus.ts'
import {
  DOCUMENTS_AT_ONCE,
  type FeatureSet,
  NONE,
  rowsOf,
  type SelectedFeatures,
  selectFeatures,
} from './feature-set.ts'
import { type BayesParts, countBayes, NaiveBayes } from './naive-bayes.ts'
import { randomStream, shuffle } from './random.ts'
import { best } from './shortlist.ts'
import { inverted, type Lists, type Rows, sharedIntegers, sumUp } from './vectors.ts'

/** The training data, which any number of threads can share: each class can be learnt independently. */
export interface Problem {
  readonly seed: number
  readonly features: number
  /** One row per tagged document; those of documents without features are empty. */
  readonly rows: Rows
  /** By class: its own rows, and similar rows of other classes. */
  readonly ofClass: Lists
  readonly rivals: Lists
  /** Rows held out to calibrate what is learnt from the others, and the same rows with only the features known from those. */
  readonly held: Uint32Array
  readonly strangers: Rows
}

/** What is counted before classes are learnt. */
export interface PreparedTraining {
  readonly problem: Problem
  readonly features: FeatureSet
  readonly selection: SelectedFeatures
  /** By class: the number of its tag. Tags without documents are not classes. */
  readonly tags: Uint32Array
  readonly bayes: BayesParts
  /** By held-out row, then class: the score of naive Bayes, learnt without these rows. */
  readonly heldBayes: Float32Array
  /** By held-out row: its classes. */
  readonly heldClasses: Lists
}

/** How to prepare. */
export interface PrepareOptions {
  /** Documents to learn from; default: all. */
  readonly documents?: Uint32Array
  readonly compression: Compression
  readonly seed: number
}

/** Number of classes that naive Bayes finds likeliest for a document; these have to be told apart. */
const RIVALS = 20
/** Share of the documents held out for calibration, and the maximum number of their scores. */
const HELD_SHARE = 0.2
const MOST_HELD_SCORES = 400_000
const LEAST_OF_MANY = 500
/** Fewer held-out documents are not enough for calibration. */
const LEAST_HELD = 20

/** Counts and weighs features, finds rivals, and holds out rows for calibration. */
export function* prepareTraining(
  corpus: Corpus,
  { documents: chosen, compression, seed }: PrepareOptions,
): Generator<void, PreparedTraining> {
  const documents = tagged(corpus, chosen)
  const selection = yield* selectFeatures(corpus, documents, compression)
  const { features } = selection
  const isUsed = usedBy(features, corpus.form.nGrams)
  const rows = yield* rowsOf(corpus, documents, selection, isUsed)
  const { tags, own } = classesOf(corpus, documents, rows)
  const ofClass = inverted(own, tags.length)
  const held = holdOut(ofClass, documents.length, seed)
  const isHeld = new Uint8Array(documents.length)
  for (const row of held) isHeld[row] = 1
  const size = features.keys.length
  const bayes = yield* countBayes(rows, ofClass, size, new Uint8Array(documents.length))
  const rivals = yield* rivalsOf(rows, own, tags.length, new NaiveBayes(bayes))
  const strangers = yield* strangersOf(corpus, { documents, held, selection, isUsed })
  const heldBayes = yield* scoresOf(
    strangers,
    new NaiveBayes(yield* countBayes(rows, ofClass, size, isHeld)),
    tags.length,
  )
  return {
    problem: {
      seed,
      features: size,
      rows,
      ofClass: shared(ofClass),
      rivals: shared(rivals),
      held: sharedCopy(held),
      strangers,
    },
    features,
    selection,
    tags,
    bayes,
    heldBayes,
    heldClasses: pickLists(own, held),
  }
}

/** Documents that carry any of the tags. */
function tagged({ documents, tagStarts }: Corpus, chosen: Uint32Array | undefined): Uint32Array {
  const all = chosen ?? Uint32Array.from({ length: documents }, (_, document) => document)
  return all.filter(document => tagStarts[document + 1]! > tagStarts[document]!)
}

/** Single words are always features, but are only learnt from if they are requested. */
export function usedBy({ ends }: FeatureSet, nGrams: readonly number[]): (number: number) => boolean {
  const firstLearnt = nGrams.includes(1) ? 0 : ends[1]!
  return number => number >= firstLearnt
}

function classesOf(
  { tagStarts, tags: tagsOf, tagCount }: Corpus,
  documents: Uint32Array,
  rows: Rows,
): { tags: Uint32Array; own: Lists } {
  const isEmpty = (row: number) => rows.starts[row + 1] === rows.starts[row]
  const numbers = new Uint32Array(tagCount).fill(NONE)
  const used: number[] = []
  for (let row = 0; row < documents.length; row++) {
    if (isEmpty(row)) continue
    for (let at = tagStarts[documents[row]!]!; at < tagStarts[documents[row]! + 1]!; at++) {
      if (numbers[tagsOf[at]!] !== NONE) continue
      numbers[tagsOf[at]!] = 0
      used.push(tagsOf[at]!)
    }
  }
  const tags = Uint32Array.from(used).sort()
  for (let k = 0; k < tags.length; k++) numbers[tags[k]!] = k
  const starts = new Uint32Array(documents.length + 1)
  const items: number[] = []
  for (let row = 0; row < documents.length; row++) {
    if (!isEmpty(row)) {
      const document = documents[row]!
      for (let at = tagStarts[document]!; at < tagStarts[document + 1]!; at++)
        items.push(numbers[tagsOf[at]!]!)
    }
    starts[row + 1] = items.length
  }
  return { tags, own: { starts, items: Uint32Array.from(items) } }
}

/** Holds out the same share of each class, but never all of its rows. */
function holdOut({ starts, items }: Lists, documents: number, seed: number): Uint32Array {
  const classes = starts.length - 1
  const most = Math.max(LEAST_OF_MANY, MOST_HELD_SCORES / Math.max(1, classes))
  const share = Math.min(HELD_SHARE, most / Math.max(1, documents))
  if (classes < 2 || documents * share < LEAST_HELD) return new Uint32Array(0)
  const held = new Set<number>()
  let due = 0
  for (let k = 0; k < classes; k++) {
    const rows = items.slice(starts[k], starts[k + 1])
    shuffle(rows, randomStream(seed, k))
    due += share * rows.length
    const taken = Math.min(Math.floor(due), rows.length - 1)
    due -= taken
    for (let i = 0; i < taken; i++) held.add(rows[i]!)
  }
  return Uint32Array.from(held).sort()
}

/** By class: the rows of other classes for which naive Bayes finds it likely. */
function* rivalsOf(
  { starts, ids, values }: Rows,
  own: Lists,
  classes: number,
  bayes: NaiveBayes,
): Generator<void, Lists> {
  const most = Math.min(RIVALS, classes)
  const scores = new Float64Array(classes)
  const likely = new Uint32Array(most)
  const rows = starts.length - 1
  const likelyStarts = new Uint32Array(rows + 1)
  const likelyClasses = new Uint32Array(rows * most)
  let end = 0
  for (let row = 0; row < rows; row++) {
    if (starts[row + 1] !== starts[row]) {
      bayes.score(ids, values, starts[row]!, starts[row + 1]!, scores)
      const count = best(scores, most, likely)
      for (let i = 0; i < count; i++) if (!has(own, row, likely[i]!)) likelyClasses[end++] = likely[i]!
    }
    likelyStarts[row + 1] = end
    if (row % DOCUMENTS_AT_ONCE === 0) yield
  }
  return inverted({ starts: likelyStarts, items: likelyClasses.subarray(0, end) }, classes)
}

function has({ starts, items }: Lists, list: number, item: number): boolean {
  for (let at = starts[list]!; at < starts[list + 1]!; at++) if (items[at] === item) return true
  return false
}

interface HeldOut {
  readonly documents: Uint32Array
  readonly held: Uint32Array
  readonly selection: SelectedFeatures
  readonly isUsed: (number: number) => boolean
}

/** Held-out rows without the features that occur only in them, which would be unknown in a text never seen before. */
function* strangersOf(
  corpus: Corpus,
  { documents, held, selection, isUsed }: HeldOut,
): Generator<void, Rows> {
  const strangers = Uint32Array.from(held, row => documents[row]!)
  const left = selection.features.documents.slice()
  for (const document of strangers) {
    for (let at = corpus.starts[document]!; at < corpus.starts[document + 1]!; at++) {
      const number = selection.numbers[corpus.ids[at]!]!
      if (number !== NONE) left[number]!--
    }
  }
  return yield* rowsOf(corpus, strangers, selection, number => left[number]! > 0 && isUsed(number))
}

function* scoresOf(
  { starts, ids, values }: Rows,
  bayes: NaiveBayes,
  classes: number,
): Generator<void, Float32Array> {
  const rows = starts.length - 1
  const all = new Float32Array(rows * classes)
  const scores = new Float64Array(classes)
  for (let row = 0; row < rows; row++) {
    bayes.score(ids, values, starts[row]!, starts[row + 1]!, scores)
    all.set(scores, row * classes)
    if (row % DOCUMENTS_AT_ONCE === 0) yield
  }
  return all
}

function pickLists({ starts, items }: Lists, lists: Uint32Array): Lists {
  const picked = Array.from(lists, list => items.subarray(starts[list], starts[list + 1]))
  const ends = new Uint32Array(lists.length + 1)
  for (const [i, { length }] of picked.entries()) ends[i + 1] = length
  return { starts: sumUp(ends), items: Uint32Array.from(picked.flatMap(list => [...list])) }
}

const shared = ({ starts, items }: Lists): Lists => ({
  starts: sharedCopy(starts),
  items: sharedCopy(items),
})

function sharedCopy(array: Uint32Array): Uint32Array {
  const copy = sharedIntegers(array.length)
  copy.set(array)
  return copy
}
