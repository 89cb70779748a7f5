import type { FeatureTable } from '../fulltext/dictionary/feature-table.ts'
import { type FeatureScanner, SKIP } from './feature-scanner.ts'
import type { LinearModel } from './linear-model.ts'

/** What a part of a text says about a tag. */
export interface Evidence {
  /** The words as they were read, or the characters. */
  readonly text: string
  /** Of how many words it is; 0 where it is a part of a word. */
  readonly words: number
  /** What it adds to the margin. */
  readonly weight: number
}

/** Why a text lies where it does: the bias and all weights make the margin. */
export interface Explanation {
  readonly margin: number
  readonly bias: number
  /** The strongest first. */
  readonly evidence: Evidence[]
}

/** A part of a text: its feature, and its share of the feature's value where the text has that several times. */
interface Part {
  readonly text: string
  readonly words: number
  readonly id: number
  readonly share: number
}

/** The parts of the text that was scanned, of those features that count: `ids` with their `values`. */
export function partsOf(
  scanner: FeatureScanner,
  table: FeatureTable,
  ids: Uint32Array,
  values: Float64Array,
): Part[] {
  const value = new Map<number, number>()
  for (let at = 0; at < ids.length; at++) value.set(ids[at]!, values[at]!)
  const times = new Map<number, number>()
  const found: [feature: number, id: number][] = []
  for (let i = 0; i < scanner.count; i++) {
    const id = table.find(scanner.hashes[i]!)
    if (!value.has(id)) continue
    found.push([i, id])
    times.set(id, (times.get(id) ?? 0) + 1)
  }
  const parts = new Map<string, Part>()
  for (const [i, id] of found) {
    const kind = scanner.kinds[i]!
    const words = kind > SKIP ? 0 : kind === SKIP ? 2 : kind
    const text = scanner.text(i)
    const key = `${words} ${text}`
    const share = (parts.get(key)?.share ?? 0) + value.get(id)! / times.get(id)!
    parts.set(key, { text, words, id, share })
  }
  return [...parts.values()]
}

/** What parts of a text say of a class. */
export function evidenceOf(parts: readonly Part[], linear: LinearModel, k: number): Evidence[] {
  const all = parts.map(({ text, words, id, share }) => ({
    text,
    words,
    weight: linear.weight(id, k) * share,
  }))
  return all.filter(({ weight }) => weight !== 0).sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
}
