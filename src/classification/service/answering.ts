import type { Analyzer } from '../../analysis/analyzer.ts'
import { shownText } from '../../analysis/shown-text.ts'
import type { TagTree } from '../../datasets/tags/tag-tree.ts'
import { problem, refuseIssues } from '../../input.ts'
import type { Deadline } from '../../scheduling/deadline.ts'
import { LoopTurn } from '../../scheduling/loop-turn.ts'
import { Stretch } from '../../scheduling/stretch.ts'
import type { Recommendation } from '../../services/service-definition.ts'
import { explaining } from '../dataset/explained.ts'
import type { LoadedClassifier } from '../dataset/stored-classifier.ts'
import type { Explanation } from '../model/explanation.ts'
import type { Activation } from './settings.ts'

/** A tag that a classifier service recommends. */
export interface ServiceRecommendation extends Recommendation {
  /**
   * How well the text fits the tag, regardless of other tags: about 1 for texts like those of the tag, below 0 for texts unlike
   * them. A text about something else altogether has a low margin for every tag.
   */
  margin: number
  /** The evidence for and against the tag; only with `explain`. */
  explanation?: Explanation
}

interface Asked {
  readonly count: number
  readonly explain?: boolean
  readonly emphasize: boolean
  readonly below?: readonly string[] | undefined
}

interface Parts {
  readonly loaded: LoadedClassifier
  readonly tree: TagTree
  readonly analyzer: Analyzer
  readonly activation: Activation
  /** Whether the dataset reads markup as what it displays. */
  readonly readsMarkup: () => boolean
}

/** A classifier service while it is active. */
export class ActiveClassifier {
  readonly #loaded: LoadedClassifier
  readonly #tree: TagTree
  readonly #analyzer: Analyzer
  /** By number of a tag: whether it may be recommended. */
  readonly #among: Uint8Array
  /** Numbers of the tags below each id, however far. */
  readonly #below = new Map<string, number[]>()
  /** By id of an emphasized tag: the words of its name. */
  readonly #names: ReadonlyMap<string, readonly string[]>
  readonly #readsMarkup: () => boolean
  readonly #turn = new LoopTurn()

  constructor({ loaded, tree, analyzer, activation, readsMarkup }: Parts) {
    this.#loaded = loaded
    this.#readsMarkup = readsMarkup
    this.#tree = tree
    this.#analyzer = analyzer
    const { tags } = loaded.contents
    const active = new Set(activation.tags ?? tags)
    this.#among = Uint8Array.from(tags, id => Number(active.has(id)))
    for (const [number, id] of tags.entries()) {
      for (const ancestor of tree.ancestors(id)) {
        const known = this.#below.get(ancestor)
        if (known) known.push(number)
        else this.#below.set(ancestor, [number])
      }
    }
    this.#names = new Map(
      activation.emphasizedTags.map(id => [id, analyzer.tokens(tree.get(id)?.name ?? '')]),
    )
  }

  get bytes(): number {
    return this.#loaded.classifier.bytes + this.#among.byteLength
  }

  /** INVALID_ARGUMENT, SEARCH_TIMEOUT, CANCELLED */
  async recommend(
    asked: string,
    { count, emphasize, below, explain = false }: Asked,
    deadline: Deadline | undefined,
  ): Promise<ServiceRecommendation[]> {
    const among = below ? this.#belowAny(below) : this.#among
    deadline?.begin()
    deadline?.check()
    const stretch = new Stretch(deadline, this.#turn)
    if (stretch.isOver) await stretch.pause()
    const text = this.#readsMarkup() ? shownText(asked) : asked
    const emphasized = emphasize ? this.#namedIn(text) : []
    const { classifier, contents } = this.#loaded
    // Emphasized tags move to the top from any position.
    const most = emphasized.length > 0 ? 0 : count
    const found = await stretch.through(classifier.recommending(text, { limit: most, among }))
    const isEmphasized = ({ tag }: { tag: number }) => emphasized.includes(contents.tags[tag]!)
    const ordered =
      emphasized.length === 0
        ? found
        : [...found.filter(isEmphasized), ...found.filter(one => !isEmphasized(one))]
    const shown = count === 0 ? ordered : ordered.slice(0, count)
    const explanations = explain ? await stretch.through(explaining(classifier, text, shown)) : undefined
    return shown.map((one, i): ServiceRecommendation => {
      const tagId = contents.tags[one.tag]!
      return {
        tagId,
        score: one.score,
        margin: one.margin,
        tag: this.#tree.get(tagId) ?? null,
        isEmphasized: isEmphasized(one),
        ...(explanations && { explanation: explanations[i]! }),
      }
    })
  }

  #belowAny(ids: readonly string[]): Uint8Array {
    const issues = ids.flatMap((id, i) =>
      this.#below.has(id)
        ? []
        : problem(`options.below[${i}]`, id, 'the id of a tag above one that the service was prepared for'),
    )
    refuseIssues('', issues)
    const among = new Uint8Array(this.#among.length)
    for (const id of ids) for (const number of this.#below.get(id)!) among[number] = this.#among[number]!
    return among
  }

  /** The emphasized tags all words of whose names occur in the text. */
  #namedIn(text: string): string[] {
    if (this.#names.size === 0) return []
    const words = new Set(this.#analyzer.tokens(text))
    const isNamed = (name: readonly string[]) => name.length > 0 && name.every(word => words.has(word))
    return [...this.#names].flatMap(([id, name]) => (isNamed(name) ? id : []))
  }
}
