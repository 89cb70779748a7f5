import { sorting } from '../../arrays/sorting.ts'
import type { FeatureTable } from '../../fulltext/dictionary/feature-table.ts'
import { type FeatureScanner, SKIP } from './feature-scanner.ts'
import type { LinearModel } from './linear-model.ts'

/** The evidence of a part of a text for or against a tag. */
export interface Evidence {
  /** The words, or the characters of a part of a word. */
  readonly text: string
  /** Its number of words; 0 for a part of a word. */
  readonly words: number
  /** Its contribution to the margin. */
  readonly weight: number
}

/** Why a text has its margin: the sum of the bias and all weights. */
export interface Explanation {
  readonly margin: number
  readonly bias: number
  /** The strongest first. */
  readonly evidence: Evidence[]
}

/** A part of a text: its feature, and its share of the feature's value where the text has that several times. */
export interface TextPart {
  readonly text: string
  readonly words: number
  readonly id: number
  readonly share: number
}

/** Number of features and parts examined per piece. */
const AT_ONCE = 4_096

/** The parts of the scanned text whose features count, which are `ids` with their `values`; piece by piece. */
export function* countedParts(
  scanner: FeatureScanner,
  table: FeatureTable,
  ids: Uint32Array,
  values: Float64Array,
): Generator<void, TextPart[]> {
  const value = new Map<number, number>()
  for (let at = 0; at < ids.length; at++) value.set(ids[at]!, values[at]!)
  const times = new Map<number, number>()
  const found: [feature: number, id: number][] = []
  for (let i = 0; i < scanner.count; i++) {
    if (i % AT_ONCE === 0) yield
    const id = table.find(scanner.hashes[i]!)
    if (!value.has(id)) continue
    found.push([i, id])
    times.set(id, (times.get(id) ?? 0) + 1)
  }
  const parts = new Map<string, TextPart>()
  for (const [at, [i, id]] of found.entries()) {
    if (at % AT_ONCE === 0) yield
    const kind = scanner.kinds[i]!
    const words = kind > SKIP ? 0 : kind === SKIP ? 2 : kind
    const text = scanner.text(i)
    const key = `${words} ${text}`
    const share = (parts.get(key)?.share ?? 0) + value.get(id)! / times.get(id)!
    parts.set(key, { text, words, id, share })
  }
  return [...parts.values()]
}

/** What the parts of a text say about a class, piece by piece. */
export function* evidenceOf(
  parts: readonly TextPart[],
  linear: LinearModel,
  k: number,
): Generator<void, Evidence[]> {
  const telling: Evidence[] = []
  for (const [at, { text, words, id, share }] of parts.entries()) {
    if (at % AT_ONCE === 0) yield
    const weight = linear.weight(id, k) * share
    if (weight !== 0) telling.push({ text, words, weight })
  }
  return yield* sorting(telling, (a, b) => Math.abs(b.weight) - Math.abs(a.weight))
}
