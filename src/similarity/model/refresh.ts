import { grown } from '../../arrays/grow.ts'
import { NUMBERS, TITLE_CHARACTERS } from './aspects.ts'
import { MOST_OCCURRENCES } from './bag.ts'
import { Holdings } from './holdings.ts'
import { OCCURRENCE_BITS, type VectorSpace } from './vector-space.ts'

/** Up to this many documents, characters have postings; beyond, words select the documents whose characters are compared. */
export const MOST_EXACT = 50_000

/**
 * Features that all documents have lose this part of their weight, since they distinguish none: a field with the same value
 * everywhere must not count like one that differs. If they lost all of it, documents that share nothing else would have nothing
 * in common.
 */
const COMMON = 0.7
/** With fewer documents, it is not known yet which features all have. */
const FEW = 100

/** Whether to leave a feature out, given its highest number of occurrences within a tag, and that in all documents. */
export type LeavesOut = (inTag: number, inAll: number) => boolean

export interface RefreshOptions {
  readonly leavesOut?: LeavesOut | undefined
  /** Whether features keep their weights instead of being reweighed. */
  readonly keepsWeights?: boolean | undefined
}

/**
 * Rebuilds holdings piece by piece: without removed documents, with features weighed by the current documents, and with
 * postings for everything. What is added to or removed from the old holdings meanwhile is carried over by the end.
 */
export function* refreshed(old: Holdings, options: RefreshOptions = {}): Generator<void, Holdings> {
  const holdings = options.keepsWeights ? yield* withoutDocuments(old) : new Holdings()
  let numbers = old.spaces.map(() => new Uint32Array(1 << 8))
  const copied: number[] = []
  const copy = (document: number) => {
    numbers = numbers.map((known, aspect) => grown(known, old.spaces[aspect]!.features))
    holdings.remove(old.ids[document]!)
    holdings.appendFrom(old, document, numbers)
    copied.push(document)
  }
  let next = 0
  for (; next < old.documents; next++) {
    if (old.holds(next)) copy(next)
    if (next % 256 === 255) yield
  }
  if (!options.keepsWeights) yield* weigh(holdings, options.leavesOut)
  yield* post(holdings)
  for (const document of copied) {
    // Collecting all ids would block others for too long; a removed document has no aspects.
    if (old.sets[document] !== 0) continue
    const id = old.ids[document]!
    if (old.numberOf(id) === undefined) holdings.remove(id)
  }
  for (; next < old.documents; next++) if (old.holds(next)) copy(next)
  return holdings
}

/** Holdings with the same feature weights, but without documents. */
export function* withoutDocuments(old: Holdings): Generator<void, Holdings> {
  const holdings = new Holdings()
  for (const [aspect, space] of holdings.spaces.entries()) yield* space.learn(old.spaces[aspect]!)
  return holdings
}

/** Builds the postings of all documents. */
export function* post({ spaces, documents }: Holdings): Generator<void, void> {
  for (const [at, space] of spaces.entries())
    if (at !== TITLE_CHARACTERS || documents <= MOST_EXACT) yield* space.post()
}

function* weigh(holdings: Holdings, leavesOut: LeavesOut | undefined): Generator<void, void> {
  const { size } = holdings
  const rarity = (frequency: number) => 1 + Math.log((1 + size) / (1 + frequency))
  const telling = (frequency: number) => 1 - (COMMON * Math.max(0, frequency - 1)) / (size + FEW)
  const unseen = leavesOut?.(0, 0) ? 0 : rarity(0)
  for (const [at, space] of holdings.spaces.entries()) {
    // Numbers weigh by the square of their rarity, which is small anyway for what all documents have.
    const weight = at === NUMBERS ? rarity : (frequency: number) => rarity(frequency) * telling(frequency)
    const isLeftOut = leavesOut && (yield* leftOut(holdings, space, leavesOut))
    yield* space.weigh((frequency, feature) => (isLeftOut?.[feature] === 1 ? 0 : weight(frequency)), unseen)
  }
  yield* holdings.lookAtSets()
}

/** By feature: 1 where it is left out. */
function* leftOut(holdings: Holdings, space: VectorSpace, leavesOut: LeavesOut): Generator<void, Uint8Array> {
  const inAll = new Uint32Array(space.features)
  const inTag = new Uint32Array(space.features)
  const most = new Uint32Array(space.features)
  for (const documents of holdings.byTag().values()) {
    forEachEntry(space, documents, (feature, occurrences) => {
      inTag[feature]! += occurrences
    })
    forEachEntry(space, documents, feature => {
      most[feature] = Math.max(most[feature]!, inTag[feature]!)
      inTag[feature] = 0
    })
    yield
  }
  for (let document = 0; document < space.documents; document++) {
    forEachEntry(space, [document], (feature, occurrences) => {
      inAll[feature]! += occurrences
    })
    if (document % 2_048 === 2_047) yield
  }
  return Uint8Array.from(inAll, (all, feature) => Number(leavesOut(most[feature]!, all)))
}

function forEachEntry(
  { starts, entries }: VectorSpace,
  documents: readonly number[],
  visit: (feature: number, occurrences: number) => void,
): void {
  for (const document of documents) {
    for (let i = starts[document]!; i < starts[document + 1]!; i++) {
      const entry = entries[i]!
      visit(entry >>> OCCURRENCE_BITS, (entry & (MOST_OCCURRENCES - 1)) + 1)
    }
  }
}
