import { toProbabilities } from './calibration.ts'
import { ClassScorer } from './class-scorer.ts'
import type { Corpus } from './corpus.ts'
import { DOCUMENTS_AT_ONCE, rowsOf } from './feature-set.ts'
import { type PrepareOptions, prepareTraining, usedBy } from './problem.ts'
import { type Quality, QualityCount } from './quality.ts'
import { randomStream, shuffle } from './random.ts'
import { best } from './shortlist.ts'
import { completeModel, trainAll } from './training.ts'

/** How well the tags of some documents are predicted after learning from the others. */
export interface Evaluation extends Quality {
  /** The same with fewer training documents, fewest first: it shows whether more documents would help. */
  readonly learningCurve: CurvePoint[]
}

/** The quality reached with this many documents. */
export interface CurvePoint {
  readonly documents: number
  readonly accuracy: number
  readonly top3: number
}

/** A document whose tag is doubtful: a model learnt from other documents favours another tag for it. */
export interface Suspect {
  /** Its number, in the order in which documents were added. */
  readonly document: number
  /** The document's tag, and the likeliest tag that it does not have. */
  readonly tag: number
  readonly likelier: number
  /** How likely both are. */
  readonly score: number
  readonly likelierScore: number
}

/** A fifth of the documents tests what is learnt from the others. */
const FOLDS = 5
const curveShares = [0.1, 0.25, 0.5] as const

type Options = Omit<PrepareOptions, 'documents'>
type Judge = (document: number, tags: Uint32Array, logits: Float64Array) => void

/** Learns from four fifths of the documents, and from parts of these, and predicts the tags of the others. */
export function* evaluate(corpus: Corpus, options: Options): Generator<void, Evaluation> {
  const folds = foldsOf(corpus, options.seed)
  const held = folds[0]!
  const others = join(folds.slice(1))
  shuffle(others, randomStream(options.seed))
  const qualities: [documents: number, quality: Quality][] = []
  for (const share of [...curveShares, 1]) {
    const documents = others.slice(0, Math.round(share * others.length)).sort()
    const count = new QualityCount()
    yield* judged(corpus, documents, held, options, (document, tags, logits) => {
      count.add(firstOf(tags, logits), tagsOf(corpus, document))
    })
    qualities.push([documents.length, count.quality])
  }
  const learningCurve = qualities.map(([documents, { accuracy, top3 }]) => ({ documents, accuracy, top3 }))
  return { ...qualities.at(-1)![1], learningCurve }
}

/** The answers for a document that was not learnt from. */
export interface HeldOutAnswer {
  /** Likeliest first, at most three. */
  readonly answers: readonly { readonly tag: number; readonly score: number }[]
  readonly right: readonly number[]
}

/** Learns from four fifths of the documents, and answers for the others. */
export function* heldOutAnswers(corpus: Corpus, options: Options): Generator<void, HeldOutAnswer[]> {
  const [held, ...others] = foldsOf(corpus, options.seed)
  const found: HeldOutAnswer[] = []
  yield* judged(corpus, join(others).sort(), held!, options, (document, tags, logits) => {
    found.push({ answers: firstOf(tags, logits), right: tagsOf(corpus, document) })
  })
  return found
}

/** All documents with doubtful tags, most doubtful first; each is judged by a model learnt from the other four fifths. */
export function* suspects(corpus: Corpus, options: Options): Generator<void, Suspect[]> {
  const folds = foldsOf(corpus, options.seed)
  const found: { suspect: Suspect; doubt: number }[] = []
  for (const [i, held] of folds.entries()) {
    const others = join(folds.filter((_, fold) => fold !== i)).sort()
    yield* judged(corpus, others, held, options, (document, tags, logits) => {
      const own = tagsOf(corpus, document)
      const rival = rivalOf(tags, logits, own)
      if (rival < 0) return
      const rivalLogit = logits[rival]!
      const ofOwn = own.flatMap(tag => {
        const k = tags.indexOf(tag)
        return k < 0 || logits[k]! >= rivalLogit ? [] : [{ tag, k, doubt: rivalLogit - logits[k]! }]
      })
      if (ofOwn.length === 0) return
      toProbabilities(logits)
      for (const { tag, k, doubt } of ofOwn) {
        const suspect = {
          document,
          tag,
          likelier: tags[rival]!,
          score: logits[k]!,
          likelierScore: logits[rival]!,
        }
        found.push({ suspect, doubt })
      }
    })
  }
  return found
    .sort((a, b) => b.doubt - a.doubt || a.suspect.document - b.suspect.document)
    .map(({ suspect }) => suspect)
}

/** Splits the documents with tags into parts, with about as many of each tag in each part. */
function foldsOf(corpus: Corpus, seed: number): Uint32Array[] {
  const byTag = new Map<number, number[]>()
  for (let document = 0; document < corpus.documents; document++) {
    if (corpus.tagStarts[document] === corpus.tagStarts[document + 1]) continue
    const tag = corpus.tags[corpus.tagStarts[document]!]!
    if (!byTag.has(tag)) byTag.set(tag, [])
    byTag.get(tag)!.push(document)
  }
  const folds: number[][] = Array.from({ length: FOLDS }, () => [])
  let next = 0
  for (const [tag, documents] of [...byTag].sort(([a], [b]) => a - b)) {
    const list = Uint32Array.from(documents)
    shuffle(list, randomStream(seed, tag + 1))
    for (const document of list) folds[next++ % FOLDS]!.push(document)
  }
  return folds.map(fold => Uint32Array.from(fold).sort())
}

function* judged(
  corpus: Corpus,
  documents: Uint32Array,
  held: Uint32Array,
  options: Options,
  judge: Judge,
): Generator<void> {
  const preparation = yield* prepareTraining(corpus, { ...options, documents })
  const model = completeModel(corpus, preparation, yield* trainAll(preparation))
  const scorer = yield* ClassScorer.of(model.linear, model.bayes, model.calibration)
  const isUsed = usedBy(model.features, corpus.form.nGrams)
  const rows = yield* rowsOf(corpus, held, preparation.selection, isUsed)
  const logits = new Float64Array(model.tags.length)
  for (let row = 0; row < held.length; row++) {
    const [from, to] = [rows.starts[row]!, rows.starts[row + 1]!]
    const values = Float64Array.from(rows.values.subarray(from, to))
    scorer.score(rows.ids.subarray(from, to), values, to - from, logits)
    judge(held[row]!, from === to ? new Uint32Array(0) : model.tags, logits)
    if (row % DOCUMENTS_AT_ONCE === 0) yield
  }
}

function firstOf(tags: Uint32Array, logits: Float64Array): { tag: number; score: number }[] {
  if (tags.length === 0) return []
  toProbabilities(logits)
  const list = new Uint32Array(3)
  const found = best(logits, 3, list)
  return Array.from(list.subarray(0, found), k => ({ tag: tags[k]!, score: logits[k]! }))
}

/** The highest-scoring class whose tag the document does not have; -1 if there is none. */
function rivalOf(tags: Uint32Array, logits: Float64Array, own: readonly number[]): number {
  let rival = -1
  for (let k = 0; k < tags.length; k++) {
    if (!own.includes(tags[k]!) && (rival < 0 || logits[k]! > logits[rival]!)) rival = k
  }
  return rival
}

function tagsOf({ tagStarts, tags }: Corpus, document: number): number[] {
  return [...tags.subarray(tagStarts[document], tagStarts[document + 1])]
}

const join = (lists: readonly Uint32Array[]): Uint32Array =>
  Uint32Array.from(lists.flatMap(list => [...list]))
