import type { StoredTagTree } from '../datasets/tags/stored-tag-tree.ts'
import type { TagView } from '../datasets/tags/tag-tree.ts'
import { Serial } from '../serial.ts'
import { Stretch } from '../stretch.ts'
import { type Completion, Completions } from './completions.ts'
import { counting, typedWordsOf } from './title-words.ts'
import { typedRanges } from './typed-ranges.ts'

/** Completion of a dataset's tag names. */
export class DatasetTags {
  readonly #tags: StoredTagTree
  /** The names as they were when something was last corrected: typing errors are rarer than changes are dear. */
  readonly #names = new Completions()
  #ids = new Set<string>()
  readonly #updates = new Serial()

  constructor(tags: StoredTagTree) {
    this.#tags = tags
  }

  get bytes(): number {
    return this.#names.bytes
  }

  /** In the order of Tags.suggest(). */
  async begunAs(text: string, limit: number): Promise<Completion[]> {
    const typed = typedWordsOf(text)
    const tags = await this.#tags.suggest(text, limit)
    return tags.map(({ id, name }) => {
      const ranges = typedRanges(counting(name), typed, false)
      return { text: name, kind: 'tag', id, ranges, corrected: false }
    })
  }

  /** In the order of titles; tags of one name by id. */
  async begunNear(text: string, limit: number): Promise<Completion[]> {
    const tags = await this.#update()
    return this.#names
      .complete(text, { limit, typoTolerance: 1 })
      .flatMap(({ text: found, ranges, corrected }) =>
        tags
          .filter(({ name }) => counting(name) === found)
          .map(({ id, name }): Completion => ({ text: name, kind: 'tag', id, ranges, corrected })),
      )
      .slice(0, limit)
  }

  /** One after the other: an older list must not come after a newer one. */
  #update(): Promise<TagView[]> {
    return this.#updates.run(() => this.#take())
  }

  async #take(): Promise<TagView[]> {
    const tags = (await this.#tags.current()).list()
    const ids = new Set(tags.map(({ id }) => id))
    for (const id of this.#ids) if (!ids.has(id)) this.#names.remove(id)
    this.#ids = ids
    const stretch = new Stretch()
    for (const { id, name } of tags) {
      this.#names.add(id, name)
      if (stretch.isOver) await stretch.pause()
    }
    return tags
  }
}
