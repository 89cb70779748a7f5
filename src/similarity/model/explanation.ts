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

/** The features of a text in one space, and the words or characters that they stand for. */
interface Read {
  readonly bag: Bag
  readonly texts: ReadonlyMap<number, string>
}

/** Why a document is similar to a text, some aspects of which are compared. */
export function explained(
  holdings: Holdings,
  comparer: Comparer,
  one: SimilarDocument,
  other: SimilarDocument,
  compared = OF_EVERYTHING,
): SimilarityExplanation {
  const [ours, theirs] = [read(comparer, one), read(comparer, other)]
  let set = 0
  const features: SharedFeature[] = []
  for (const [aspect, { name }] of aspects.entries()) {
    if (((compared >> aspect) & 1) === 0) continue
    const [first, second] = measured(holdings, aspect, ours, theirs)
    if (first.length > 0 && second.length > 0) set |= 1 << aspect
    for (const { hash, product } of productsOf(ours[aspect]!.bag, first, theirs[aspect]!.bag, second))
      features.push({ aspect: name, text: ours[aspect]!.texts.get(hash)!, part: shares[aspect]! * product })
  }
  const factor = inverseShares[set]! * agreementBetween(holdings, ours, theirs)
  const parts = features.map(feature => ({ ...feature, part: feature.part * factor }))
  const score = Math.min(
    1,
    parts.reduce((sum, { part }) => sum + part, 0),
  )
  return { score, features: parts.sort((a, b) => b.part - a.part || (a.text < b.text ? -1 : 1)) }
}

function agreementBetween(holdings: Holdings, ours: readonly Read[], theirs: readonly Read[]): number {
  const [first, second] = measured(holdings, NUMBERS, ours, theirs)
  if (first.length === 0 || second.length === 0) return 1
  let cosine = 0
  for (const { product } of productsOf(ours[NUMBERS]!.bag, first, theirs[NUMBERS]!.bag, second))
    cosine += product
  return agreementOf(cosine, first.length, second.length)
}

function measured(
  { spaces }: Holdings,
  space: number,
  ours: readonly Read[],
  theirs: readonly Read[],
): [Coordinates, Coordinates] {
  return [spaces[space]!.coordinates(ours[space]!.bag), spaces[space]!.coordinates(theirs[space]!.bag)]
}

/** For every feature that two texts share, the product of its coordinates. */
function* productsOf(
  one: Bag,
  first: Coordinates,
  other: Bag,
  second: Coordinates,
): Generator<{ readonly hash: number; readonly product: number }> {
  const places = new Map(Array.from(other.hashes, (hash, at) => [hash, at]))
  for (const [at, hash] of one.hashes.entries()) {
    const product = first.values[at]! * (second.values[places.get(hash) ?? -1] ?? 0)
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
    const { texts } = read(comparer, document)[ALL_WORDS]!
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
function read(comparer: Comparer, document: SimilarDocument): Read[] {
  const spaces = new Array<Read>(SPACES)
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
