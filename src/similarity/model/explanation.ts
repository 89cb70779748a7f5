import {
  ALL_WORDS,
  type AspectName,
  aspects,
  bagIn,
  type Comparer,
  inverseShares,
  NUMBERS,
  OF_EVERYTHING,
  type SimilarDocument,
  SPACES,
  shares,
} from './aspects.ts'
import type { Bag } from './bag.ts'
import { agreementOf } from './comparison.ts'
import type { Holdings } from './holdings.ts'
import type { Coordinates } from './vector-space.ts'

/** A feature that two documents share. */
export interface SharedFeature {
  readonly aspect: AspectName
  /** A word or two adjacent words, in hits as the document spells them; or three characters, spaces included. */
  readonly text: string
  /** What it adds to the score. */
  readonly part: number
}

export interface SimilarityExplanation {
  readonly score: number
  /** Largest parts first; they sum to the score. Where numbers differ, each part is smaller. */
  readonly features: readonly SharedFeature[]
}

/** The features of a text in one space. */
interface Measured {
  readonly bag: Bag
  readonly coordinates: Coordinates
}

/** The words or characters that features stand for. */
type FeatureTexts = ReadonlyMap<number, string>

/**
 * Returns a function that says why a document is similar to this one, which is read only once.
 * @param views which aspects are compared; where there are several, the one with the best score is explained
 */
export function explainer(
  holdings: Holdings,
  comparer: Comparer,
  one: SimilarDocument,
  views: readonly number[] = [OF_EVERYTHING],
): (other: SimilarDocument) => SimilarityExplanation {
  const read = readWithTexts(comparer, one)
  const ours = measured(
    holdings,
    read.map(({ bag }) => bag),
  )
  const texts = read.map(space => space.texts)
  return other => {
    const theirs = measured(holdings, comparer.bags(other))
    const explanations = views.map(view => explanationOf(ours, texts, theirs, view))
    return explanations.reduce((a, b) => (b.score > a.score ? b : a))
  }
}

function explanationOf(
  ours: readonly Measured[],
  texts: readonly FeatureTexts[],
  theirs: readonly Measured[],
  compared: number,
): SimilarityExplanation {
  let set = 0
  const features: SharedFeature[] = []
  for (const [aspect, { name }] of aspects.entries()) {
    if (((compared >> aspect) & 1) === 0) continue
    const [one, other] = [ours[aspect]!, theirs[aspect]!]
    if (one.coordinates.length > 0 && other.coordinates.length > 0) set |= 1 << aspect
    for (const { hash, product } of productsOf(one, other))
      features.push({ aspect: name, text: texts[aspect]!.get(hash)!, part: shares[aspect]! * product })
  }
  const factor = inverseShares[set]! * agreementBetween(ours[NUMBERS]!, theirs[NUMBERS]!)
  const parts = features.map(feature => ({ ...feature, part: feature.part * factor }))
  const score = Math.min(
    1,
    parts.reduce((sum, { part }) => sum + part, 0),
  )
  return { score, features: parts.sort((a, b) => b.part - a.part || (a.text < b.text ? -1 : 1)) }
}

function agreementBetween(one: Measured, other: Measured): number {
  const [first, second] = [one.coordinates, other.coordinates]
  if (first.length === 0 || second.length === 0) return 1
  let cosine = 0
  for (const { product } of productsOf(one, other)) cosine += product
  return agreementOf(cosine, first.length, second.length)
}

const measured = ({ spaces }: Holdings, bags: readonly Bag[]): Measured[] =>
  bags.map((bag, space) => ({ bag, coordinates: spaces[space]!.coordinates(bag) }))

/** For every feature that two texts share, the product of its coordinates. */
function* productsOf(
  one: Measured,
  other: Measured,
): Generator<{ readonly hash: number; readonly product: number }> {
  const places = new Map(Array.from(other.bag.hashes, (hash, at) => [hash, at]))
  for (const [at, hash] of one.bag.hashes.entries()) {
    const product = one.coordinates.values[at]! * (other.coordinates.values[places.get(hash) ?? -1] ?? 0)
    if (product > 0) yield { hash, product }
  }
}

/** The words that all documents have, those with the greatest weight first. Handles one document per step. */
export function* sharedWords(
  { spaces }: Holdings,
  comparer: Comparer,
  documents: Iterable<SimilarDocument>,
): Generator<void, string[]> {
  let shared: Map<number, string> | undefined
  for (const document of documents) {
    const { texts } = readWithTexts(comparer, document)[ALL_WORDS]!
    shared ??= new Map(texts)
    for (const hash of shared.keys()) if (!texts.has(hash)) shared.delete(hash)
    if (shared.size === 0) return []
    yield
  }
  const space = spaces[ALL_WORDS]!
  const weigh = (hash: number): number => {
    const feature = space.table.find(hash)
    return feature < 0 ? space.unseen : space.weights[feature]!
  }
  return Array.from(shared ?? [], ([hash, text]) => ({ text, weight: weigh(hash) }))
    .sort((a, b) => b.weight - a.weight || (a.text < b.text ? -1 : 1))
    .map(({ text }) => text)
}

/** By space. */
function readWithTexts(
  comparer: Comparer,
  document: SimilarDocument,
): { readonly bag: Bag; readonly texts: FeatureTexts }[] {
  const spaces = new Array<{ bag: Bag; texts: FeatureTexts }>(SPACES)
  comparer.read(document, (space, features, text) => {
    const texts = new Map<number, string>()
    for (let i = 0; i < features.count; i++) {
      const hash = features.hashes[i]!
      if (!texts.has(hash)) texts.set(hash, text.text(features.starts[i]!, features.ends[i]!))
    }
    spaces[space] = { bag: bagIn(space, features), texts }
  })
  return spaces
}
