import type { TermDictionary } from '../dictionary/dictionary.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import { IndexMoment } from '../words/index-moment.ts'
import type { KnownSegment } from '../words/known-segments.ts'
import { type KnownWords, wordMemories } from '../words/meaning.ts'
import type { KnownStandings } from '../words/standing.ts'
import type { Selection } from './selection.ts'
import { VisibleFrequencies } from './visible-frequencies.ts'

/** The index as seen by somebody to whom only some documents are visible, on one state of it. */
export interface View {
  /** The visible documents. */
  readonly selection: Selection
  /** The known words: those that a visible document has. */
  readonly words: KnownWords
}

interface ViewedParts {
  readonly dictionary: TermDictionary
  readonly segments: SegmentList<Segment>
  /** The same with their forward lists. */
  readonly whole: { readonly segments: readonly LiveSegment[] }
  /** What does not depend on visibility. */
  readonly standings: KnownStandings
  readonly common: Pick<KnownWords, 'language' | 'units' | 'typed' | 'texts'>
}

interface KeptView extends View {
  /** Without what is remembered of words. */
  readonly bytes: number
}

/** Maximum number of views kept. */
const MOST_KEPT = 16

/** The views of the current state of an index by name, those used last. */
export class Views {
  readonly #parts: ViewedParts
  /** In order of use, the most recent last. */
  readonly #kept = new Map<string, KeptView>()
  readonly #moment = new IndexMoment()

  constructor(parts: ViewedParts) {
    this.#parts = parts
  }

  get bytes(): number {
    let bytes = 0
    for (const { bytes: own, words } of this.#kept.values())
      bytes += own + words.memory.bytes + words.joined.bytes + words.parts.bytes
    return bytes
  }

  /** Undefined where it has yet to be made. */
  get(name: string): View | undefined {
    if (this.#moment.follow(this.#parts.segments)) this.#kept.clear()
    const view = this.#kept.get(name)
    if (!view) return undefined
    this.#kept.delete(name)
    this.#kept.set(name, view)
    return view
  }

  /** Makes the view of a selection of the current state. @param keeps whether to keep it for later calls */
  add(name: string, selection: Selection, keeps: boolean): View {
    const { dictionary, segments, whole, standings, common } = this.#parts
    const { vocabulary } = dictionary
    const there = whole.segments.map(
      ({ segment }, place): KnownSegment<(typeof whole.segments)[number]['segment']> => ({
        segment,
        dead: selection.hidden[place],
      }),
    )
    const frequencies = new VisibleFrequencies(segments, selection, vocabulary)
    const words: KnownWords = {
      ...common,
      dictionary,
      segments: { segments: there, size: selection.size, frequencies },
      standing: terms => standings.of(terms, there),
      ...wordMemories(),
      written: undefined,
    }
    const bytes = selection.hidden.reduce((sum, bits) => sum + (bits?.byteLength ?? 0), frequencies.bytes)
    const view = { selection, words, bytes }
    if (keeps) this.#kept.set(name, view)
    if (this.#kept.size > MOST_KEPT) this.#forgetOldest()
    return view
  }

  #forgetOldest(): void {
    for (const name of this.#kept.keys()) {
      this.#kept.delete(name)
      return
    }
  }
}
