import { First } from '../../arrays/first.ts'
import type { StoredTagTree } from '../../datasets/tags/stored-tag-tree.ts'
import type { TagTree, TagView } from '../../datasets/tags/tag-tree.ts'
import { Serial } from '../../scheduling/serial.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import type { Completion } from '../model/completion.ts'
import { Completions } from '../model/completions.ts'
import { counting, typedWordsOf } from '../model/title-words.ts'
import { typedRanges } from '../model/typed-ranges.ts'

/** Completion of a dataset's tag names. */
export class DatasetTags {
  readonly #tags: StoredTagTree
  /** The names as of the last correction: typing errors are too rare to keep the names up to date on every change. */
  readonly #names = new Completions()
  #ids = new Set<string>()
  readonly #updates = new Serial()

  constructor(tags: StoredTagTree) {
    this.#tags = tags
  }

  get bytes(): number {
    return this.#names.bytes
  }

  /** In the order of Tags.suggest(). @param known the only ones that count */
  async begunAs(text: string, limit: number, known?: ReadonlySet<string>): Promise<Completion[]> {
    const typed = typedWordsOf(text)
    const tags = await this.#tags.suggest(text, limit, known)
    return tags.map(({ id, name }) => {
      const ranges = typedRanges(counting(name), typed, false)
      return { text: name, kind: 'tag', id, ranges, corrected: false }
    })
  }

  /** In the order of titles; tags with the same name by id. @param known the only ones that count */
  async begunNear(text: string, limit: number, known?: ReadonlySet<string>): Promise<Completion[]> {
    const tree = await this.#tags.current()
    await this.#updates.run(() => inStretches(this.#take(tree, known)))
    const found = this.#names.complete(text, { limit, typoTolerance: 1 })
    const tags = await inStretches(this.#called(found, limit, tree))
    return found
      .flatMap(({ text: name, ranges, corrected }) =>
        tags
          .get(name)!
          .sorted()
          .map(tag => ({ text: tag.name, kind: 'tag' as const, id: tag.id, ranges, corrected })),
      )
      .slice(0, limit)
  }

  /** Updates the names to the current tags. Updates run one at a time, or an older tree might overwrite a newer one. */
  *#take(tree: TagTree, known: ReadonlySet<string> | undefined): Generator<void, void> {
    const ids = new Set<string>()
    for (const id of tree.ids()) {
      const tag = !known || known.has(id) ? tree.get(id) : undefined
      if (tag) {
        ids.add(id)
        this.#names.add(id, tag.name)
      }
      yield
    }
    for (const id of this.#ids) {
      if (!ids.has(id)) this.#names.remove(id)
      yield
    }
    this.#ids = ids
  }

  /** The first tags with each of the names that were found. */
  *#called(
    found: readonly Completion[],
    limit: number,
    tree: TagTree,
  ): Generator<void, Map<string, First<TagView>>> {
    const tags = new Map(found.map(({ text }) => [text, new First(limit, byId)]))
    if (tags.size === 0) return tags
    for (const id of [...this.#ids]) {
      const tag = tree.get(id)
      if (tag) tags.get(counting(tag.name))?.offer(tag)
      yield
    }
    return tags
  }
}

const byId = (a: TagView, b: TagView): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
