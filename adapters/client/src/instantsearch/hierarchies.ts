import type { DatasetSearch } from '../dataset-search.ts'
import { unwrap } from '../result.ts'

/** The tags of a dataset as facets by level, as hierarchical menus request them. */
export interface Hierarchy {
  /** The field of tags. Default `tags`. */
  readonly field?: string | undefined
  /** Separates the names in a path. Default ` > `. */
  readonly separator?: string | undefined
}

/** A facet that is a level of the tags: `categories.lvl1` of the hierarchy `categories`. */
export interface Level {
  readonly hierarchy: string
  readonly field: string
  readonly separator: string
  /** From 0 on, which is the level of tags without a parent. */
  readonly depth: number
}

/** The level that a facet stands for, or undefined. */
export function levelOf(facet: string, hierarchies: Readonly<Record<string, Hierarchy>>): Level | undefined {
  const at = facet.lastIndexOf('.lvl')
  if (at <= 0) return undefined
  const hierarchy = facet.slice(0, at)
  const depth = Number(facet.slice(at + 4))
  if (!Object.hasOwn(hierarchies, hierarchy) || !Number.isInteger(depth) || depth < 0) return undefined
  const { field = 'tags', separator = ' > ' } = hierarchies[hierarchy]!
  return { hierarchy, field, separator, depth }
}

const mostKept = 1000

/** The ids of tags by the names in their paths, as far as they have been requested. */
export class TagPaths {
  readonly #search: Pick<DatasetSearch, 'multi'>
  readonly #ids = new Map<string, string>()

  constructor(search: Pick<DatasetSearch, 'multi'>) {
    this.#search = search
  }

  clear(): void {
    this.#ids.clear()
  }

  /** Remembers the tags that were found below a path. */
  learn(
    dataset: string,
    field: string,
    parents: readonly string[],
    tags: Iterable<readonly [name: string, id: string]>,
  ) {
    for (const [name, id] of tags) this.#keep(keyOf(dataset, field, [...parents, name]), id)
  }

  /** The id of the tag at the end of a path; undefined if no document has it. */
  async find(dataset: string, field: string, path: readonly string[]): Promise<string | undefined> {
    let parent: string | null = null
    for (let depth = 0; depth < path.length; depth++) {
      const key = keyOf(dataset, field, path.slice(0, depth + 1))
      const id: string | undefined =
        this.#ids.get(key) ?? (await this.#ask(dataset, field, parent, path[depth]!))
      if (id === undefined) return undefined
      this.#keep(key, id)
      parent = id
    }
    return parent ?? undefined
  }

  async #ask(
    dataset: string,
    field: string,
    parent: string | null,
    name: string,
  ): Promise<string | undefined> {
    const facets = [{ field, parent, search: name, limit: 100 }]
    const { results } = await unwrap(this.#search.multi([{ dataSet: dataset, text: '', limit: 0, facets }]))
    const found = results[0]?.facets?.[field]?.values.find(value => (value.name ?? value.value) === name)
    return found === undefined ? undefined : String(found.value)
  }

  #keep(key: string, id: string): void {
    if (this.#ids.size >= mostKept) this.#ids.clear()
    this.#ids.set(key, id)
  }
}

const keyOf = (dataset: string, field: string, path: readonly string[]): string =>
  JSON.stringify([dataset, field, path])
