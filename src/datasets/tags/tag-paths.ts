import { attempt, FindlingError } from '../../errors.ts'
import { describeValue } from '../../input.ts'
import type { WriteOutcome } from '../job-steps.ts'
import type { OtherSpelling, PathTags, PlacedPaths } from '../path-tags.ts'
import { checkId } from '../schema/ids.ts'
import type { StoredTagTree } from './stored-tag-tree.ts'
import { isDigits, maxTagLevel, type Tag, type TagChange, type TagTree } from './tag-tree.ts'

/** Maximum number of tags that one import creates: a column with more does not hold categories. */
const mostMade = 20_000
const longestName = 500
const longestPath = 50_000
const mostPaths = 1000

type CreateTags = (tags: readonly Tag[]) => Promise<readonly WriteOutcome[]>

/**
 * Finds the tags that paths of names such as `Garden > Hoses` lead to, and creates missing ones. Names that differ only in case
 * and spaces are the same.
 */
export class TagPaths implements PathTags {
  readonly #tree: StoredTagTree
  readonly #separator: string
  readonly #create: CreateTags | undefined
  /** By parent, the ids by normalized name; the children of a parent are read when it first occurs. */
  #known = new Map<string | null, Map<string, string>>()
  #made = 0
  #lastNumber: number | undefined

  /** @param create creates tags if writes are handed over; by default they are created in the turn that finds them missing */
  constructor(tree: StoredTagTree, separator: string, create?: CreateTags) {
    this.#tree = tree
    this.#separator = separator
    this.#create = create
  }

  get made(): number {
    return this.#made
  }

  async place(documents: readonly (readonly string[])[]): Promise<PlacedPaths[]> {
    const paths = documents.map(texts => attempt(() => this.#pathsIn(texts)))
    let placed: PlacedPaths[] = []
    const current = await this.#tree.current()
    if (this.#hasAll(current, paths)) return this.#placeAll(current, paths, new Map())
    if (this.#create) return await this.#placeByOthers(paths, this.#create)
    await this.#tree.change((tree): TagChange => {
      const put = new Map<string, Tag>()
      this.#forgetMoved(tree)
      placed = this.#placeAll(tree, paths, put)
      this.#made += put.size
      return { put: [...put.values()], remove: [] }
    })
    return placed
  }

  /** Repeats until all tags exist, because others may create or remove tags meanwhile. */
  async #placeByOthers(
    paths: readonly (string[][] | FindlingError)[],
    create: CreateTags,
  ): Promise<PlacedPaths[]> {
    for (;;) {
      const tree = await this.#tree.current()
      const put = new Map<string, Tag>()
      this.#forgetMoved(tree)
      const placed = this.#placeAll(tree, paths, put)
      if (put.size === 0) return placed
      const refused = (await create([...put.values()])).flatMap(({ error }) => error ?? [])
      this.#made += put.size - refused.length
      if (refused.length === 0) return placed
      const other = refused.find(({ code }) => code !== 'TAG_EXISTS' && code !== 'TAG_PARENT_NOT_FOUND')
      if (other) throw other
    }
  }

  #pathsIn(texts: readonly string[]): string[][] {
    if (texts.length > mostPaths) throw unfit(`${texts.length} paths`, `at most ${mostPaths} paths`)
    return texts.map(text => this.#namesIn(text))
  }

  #namesIn(text: string): string[] {
    if (text.length > longestPath) throw unfit(text, `a path of at most ${longestPath} characters`)
    const names = text
      .split(this.#separator)
      .map(tidied)
      .filter(name => name !== '')
    if (names.length > maxTagLevel) throw unfit(text, `a path of at most ${maxTagLevel} levels`)
    if (names.some(name => name.length > longestName))
      throw unfit(text, `names of at most ${longestName} characters`)
    return names
  }

  #hasAll(tree: TagTree, paths: readonly (string[][] | FindlingError)[]): boolean {
    return paths.every(one => one instanceof FindlingError || one.every(names => this.#has(tree, names)))
  }

  #has(tree: TagTree, names: readonly string[]): boolean {
    let parent: string | null = null
    for (const name of names) {
      const id: string | undefined = this.#known.get(parent)?.get(compared(name))
      if (id === undefined || tree.parentOf(id) !== parent) return false
      parent = id
    }
    return true
  }

  /** Forgets the children of parents that others have removed or moved, so that they are read again. */
  #forgetMoved(tree: TagTree): void {
    for (const [parent, ids] of this.#known)
      if (![...ids.values()].every(id => tree.parentOf(id) === parent)) this.#known.delete(parent)
  }

  #placeAll(
    tree: TagTree,
    paths: readonly (string[][] | FindlingError)[],
    put: Map<string, Tag>,
  ): PlacedPaths[] {
    return paths.map(one =>
      one instanceof FindlingError ? one : attempt(() => this.#placeOne(tree, one, put)),
    )
  }

  #placeOne(tree: TagTree, paths: readonly string[][], put: Map<string, Tag>): PlacedPaths {
    const spellings: OtherSpelling[] = []
    const ids = paths.filter(names => names.length > 0).map(names => this.#walk(tree, names, put, spellings))
    return { ids: [...new Set(ids)], spellings }
  }

  #walk(tree: TagTree, names: readonly string[], put: Map<string, Tag>, spellings: OtherSpelling[]): string {
    const kept: string[] = []
    let parent: string | null = null
    for (const name of names) {
      const below = this.#below(tree, parent)
      const known: string | undefined = below.get(compared(name))
      const id: string = known ?? this.#make(tree, { name, parentId: parent }, [...kept, name], put)
      const own = known === undefined ? name : tidied(put.get(id)?.name ?? tree.nameOf(id) ?? name)
      if (own !== name) spellings.push({ given: name, tag: id })
      below.set(compared(name), id)
      kept.push(own)
      parent = id
    }
    return parent!
  }

  #below(tree: TagTree, parent: string | null): Map<string, string> {
    let below = this.#known.get(parent)
    if (!below) {
      below = new Map()
      // Of equal names the first stays.
      for (const { id, name } of tree.children(parent)) {
        const key = compared(tidied(name))
        if (!below.has(key)) below.set(key, id)
      }
      this.#known.set(parent, below)
    }
    return below
  }

  #make(
    tree: TagTree,
    { name, parentId }: Omit<Tag, 'id'>,
    path: readonly string[],
    put: Map<string, Tag>,
  ): string {
    if (this.#made + put.size >= mostMade)
      throw unfit(name, `at most ${mostMade} new tags in one import; does this field hold categories?`)
    const isTaken = (id: string) => tree.has(id) || put.has(id)
    const id = tree.integerIds ? this.#nextNumber(tree, isTaken) : freeId(path.join(' > '), isTaken)
    checkId(id, 'tag')
    put.set(id, { id, name, parentId })
    return id
  }

  #nextNumber(tree: TagTree, isTaken: (id: string) => boolean): string {
    this.#lastNumber ??= [...tree.ids()].filter(isDigits).reduce((most, id) => Math.max(most, Number(id)), 0)
    do this.#lastNumber++
    while (isTaken(String(this.#lastNumber)))
    return String(this.#lastNumber)
  }
}

function freeId(path: string, isTaken: (id: string) => boolean): string {
  let id = path
  for (let number = 2; isTaken(id); number++) id = `${path} (${number})`
  return id
}

const tidied = (name: string): string => name.replace(/\s+/g, ' ').trim()

const compared = (name: string): string => name.normalize('NFKC').toLowerCase()

function unfit(text: string, expected: string): FindlingError {
  const received = describeValue(text)
  return new FindlingError('INVALID_ROW', `the path of tags has ${received}; expected ${expected}`, {
    received,
    expected,
  })
}
