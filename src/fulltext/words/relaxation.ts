import type { QueryText } from './query-text.ts'
import type { ResolvedQuery } from './resolve-words.ts'
import { withPlaces } from './word-rules.ts'

/** A query and what its words stand for. */
export interface ResolvedText {
  readonly text: QueryText
  readonly resolved: ResolvedQuery
}

/** A query without the words that kept it from matching anything. */
export interface Relaxed extends ResolvedText {
  /** In query order. */
  readonly dropped: readonly string[]
}

/**
 * Drops words until some document matches all that remain: first words that stand for nothing, then the most frequent,
 * so that the rarest stay. Words of phrases stay. Undefined if nothing matches, whatever is dropped.
 */
export function relax(asked: ResolvedText, matches: (words: ResolvedText) => boolean): Relaxed | undefined {
  const { text, resolved } = asked
  const quoted = new Set(text.phrases.flatMap(({ words }) => words.map(place => text.words[place]!)))
  // Of equally rare words, later ones are dropped first: sorting is stable.
  const order = resolved.words.filter(({ word }) => !quoted.has(word)).sort((a, b) => b.idf - a.idf)
  const keep = (count: number): Relaxed => {
    const kept = new Set([...quoted, ...order.slice(0, count).map(({ word }) => word)])
    return without(asked, kept)
  }
  // A document that matches some words also matches fewer of them.
  let [least, most] = [quoted.size > 0 ? 0 : 1, order.length - 1]
  let best: Relaxed | undefined
  while (least <= most) {
    const middle = (least + most + 1) >> 1
    const relaxed = keep(middle)
    if (matches(relaxed)) {
      best = relaxed
      least = middle + 1
    } else most = middle - 1
  }
  return best
}

function without({ text, resolved }: ResolvedText, kept: ReadonlySet<string>): Relaxed {
  const { slots, words } = resolved
  const left = withPlaces(
    text,
    text.words.map(word => kept.has(word)),
  )
  const ofWords = new Map(slots.map(slot => [slot.word, slot]))
  return {
    text: left,
    resolved: {
      ...resolved,
      slots: slots.filter(({ word }) => kept.has(word)),
      sequence: left.words.map(word => ofWords.get(word)),
      words: words.filter(({ word }) => kept.has(word)),
    },
    dropped: words.flatMap(({ word }) => (kept.has(word) ? [] : [word])),
  }
}
