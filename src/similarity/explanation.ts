import {
  type AspectName,
  aspects,
  type Comparer,
  inverseShares,
  type SimilarDocument,
  shares,
} from './aspects.ts'
import { type Bag, bagOf } from './bag.ts'
import type { Holdings } from './holdings.ts'

/** A feature that two documents share. */
export interface SharedFeature {
  readonly aspect: AspectName
  /** A word, two neighbouring words, or three characters, spaces among them. */
  readonly text: string
  /** What it adds to the score. */
  readonly part: number
}

export interface Explanation {
  readonly score: number
  /** Those that add most first; together they are the score. */
  readonly features: readonly SharedFeature[]
}

/** The features of a text, by aspect, and what they stand for. */
interface Read {
  readonly bag: Bag
  readonly texts: ReadonlyMap<number, string>
}

export function explained(
  holdings: Holdings,
  comparer: Comparer,
  one: SimilarDocument,
  other: SimilarDocument,
): Explanation {
  const [ours, theirs] = [read(comparer, one), read(comparer, other)]
  let set = 0
  const features: SharedFeature[] = []
  for (const [aspect, { name }] of aspects.entries()) {
    const space = holdings.spaces[aspect]!
    const [a, b] = [ours[aspect]!, theirs[aspect]!]
    const [first, second] = [space.coordinates(a.bag), space.coordinates(b.bag)]
    if (first.some(value => value > 0) && second.some(value => value > 0)) set |= 1 << aspect
    const places = new Map(Array.from(b.bag.hashes, (hash, at) => [hash, at]))
    for (const [at, hash] of a.bag.hashes.entries()) {
      const part = shares[aspect]! * first[at]! * (second[places.get(hash) ?? -1] ?? 0)
      if (part > 0) features.push({ aspect: name, text: a.texts.get(hash)!, part })
    }
  }
  const parts = features.map(feature => ({ ...feature, part: feature.part * inverseShares[set]! }))
  const score = Math.min(
    1,
    parts.reduce((sum, { part }) => sum + part, 0),
  )
  return { score, features: parts.sort((a, b) => b.part - a.part || (a.text < b.text ? -1 : 1)) }
}

/** The words that all documents have, those that weigh most first. */
export function sharedWords(
  holdings: Holdings,
  comparer: Comparer,
  documents: readonly SimilarDocument[],
): string[] {
  const ofAllWords = documents.map(document => read(comparer, document).at(-1)!)
  const [first, ...others] = ofAllWords
  if (!first) return []
  const space = holdings.spaces.at(-1)!
  const weights = new Map<string, number>()
  for (const [hash, text] of first.texts) {
    if (!others.every(({ texts }) => texts.has(hash))) continue
    const feature = space.table.find(hash)
    weights.set(text, feature < 0 ? space.unseen : space.weights[feature]!)
  }
  return [...weights].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([text]) => text)
}

function read(comparer: Comparer, document: SimilarDocument): Read[] {
  const aspects: Read[] = []
  comparer.read(document, (features, text) => {
    const texts = new Map<number, string>()
    for (let i = 0; i < features.count; i++) {
      const hash = features.hashes[i]!
      if (!texts.has(hash)) texts.set(hash, text.text(features.starts[i]!, features.ends[i]!))
    }
    aspects.push({ bag: bagOf(features), texts })
  })
  return aspects
}
