import * as z from 'zod'
import { sorting } from '../../arrays/sorting.ts'
import { type ErrorCode, FindlingError } from '../../errors.ts'
import { describeValue, parseInput } from '../../input.ts'
import { atOnce } from '../../scheduling/at-once.ts'
import { eachInPieces } from '../../scheduling/each-in-pieces.ts'
import { type ContentSum, noContent, withContent } from '../../store/content-sum.ts'
import { checkId } from '../schema/ids.ts'

/** A tag as it is stored. */
export interface Tag {
  readonly id: string
  readonly name: string
  /** null for a root. */
  readonly parentId: string | null
}

export interface PathStep {
  readonly id: string
  readonly name: string
  readonly level: number
}

/** A tag with its position in the tree. */
export interface TagView extends Tag {
  /** Its ancestors, from the root down to the parent. */
  readonly path: readonly PathStep[]
  /** 1 for a root. */
  readonly level: number
  readonly isLeaf: boolean
}

/** A change to the tree that must be stored as one atomic batch. */
export interface TagChange {
  readonly put: readonly Tag[]
  readonly remove: readonly string[]
}

/** A tag that does not fit into the tree, and why. */
export interface RefusedTag {
  readonly id: string
  readonly code: ErrorCode
  readonly message: string
}

/** Maximum depth of the tag tree. */
export const maxTagLevel = 99

/** Maximum length of a tag's name in UTF-16 units. */
const longestName = 1_000

interface TreeOptions {
  readonly integerIds: boolean
  /** Whether the sum over all tags is kept. Default: true. */
  readonly isSummed?: boolean
}

export type Children = ReadonlyMap<string | null, ReadonlySet<string>>

const text = z.union([z.string(), z.int()], 'text').transform(value => String(value).trim())
const idInput = text
const nameInput = text
  .refine(name => name !== '', 'text that is not blank')
  .refine(name => name.length <= longestName, `text of at most ${longestName} characters`)
const parentInput = text.nullish().transform(parent => parent || null)

export const newTag = z.strictObject({ id: idInput, name: nameInput, parentId: parentInput })
const tagUpdate = z.strictObject({
  id: idInput.optional(),
  name: nameInput.optional(),
  parentId: z.union([text, z.null()]).optional(),
})

/**
 * The tags of one dataset. Every `plan` method checks a change and returns what must be stored, without changing anything;
 * `apply` makes the change. Levels and paths follow from the parent links.
 */
export class TagTree {
  readonly integerIds: boolean
  readonly #isSummed: boolean
  #tags = new Map<string, Tag>()
  #children = new Map<string | null, Set<string>>()
  #content = noContent
  /** Path down to and including a tag; kept until the next change. */
  readonly #paths = new Map<string, readonly PathStep[]>()

  /** Takes tags that were checked when they were planned. */
  constructor(tags: Iterable<Tag>, { integerIds, isSummed = true }: TreeOptions) {
    this.integerIds = integerIds
    this.#isSummed = isSummed
    for (const tag of tags) this.#put(tag)
  }

  get size(): number {
    return this.#tags.size
  }

  /** A sum over all tags, to compare trees; of no tags where it is not kept. */
  get content(): ContentSum {
    return this.#content
  }

  has(id: string): boolean {
    return this.#tags.has(id)
  }

  get(id: string): TagView | undefined {
    const tag = this.#tags.get(id)
    return tag && this.#view(tag)
  }

  /** Null for a root, undefined for an unknown tag. */
  parentOf(id: string): string | null | undefined {
    return this.#tags.get(id)?.parentId
  }

  nameOf(id: string): string | undefined {
    return this.#tags.get(id)?.name
  }

  /** Tags directly below one, or roots. */
  *children(id: string | null): Generator<Tag> {
    for (const child of this.#children.get(id) ?? []) yield this.#tags.get(child)!
  }

  ids(): Iterable<string> {
    return this.#tags.keys()
  }

  /** All tags in the order of their ids (by UTF-16 code units), as they are when this begins. */
  *list(): Generator<void, TagView[]> {
    const tags = yield* this.sorted()
    const byId = new Map<string, Tag>()
    yield* eachInPieces(tags, tag => byId.set(tag.id, tag))
    const inner = yield* parentsIn(tags)
    const paths = new Map<string, readonly PathStep[]>()
    const views: TagView[] = []
    yield* eachInPieces(tags, ({ id, name, parentId }) => {
      const path = pathTo(parentId, byId, paths)
      views.push({ id, name, parentId, path, level: path.length + 1, isLeaf: !inner.has(id) })
    })
    return views
  }

  /** The same without their positions. */
  *sorted(): Generator<void, Tag[]> {
    return yield* sorting([...this.#tags.values()], (one, other) => (one.id < other.id ? -1 : 1))
  }

  /** Ids of the tags with none below them, and of the others, each in their order, as they are when this begins. */
  *leavesAndInner(): Generator<void, { leaves: string[]; inner: string[] }> {
    const tags = yield* this.sorted()
    const parents = yield* parentsIn(tags)
    const [leaves, inner]: [string[], string[]] = [[], []]
    yield* eachInPieces(tags, ({ id }) => (parents.has(id) ? inner : leaves).push(id))
    return { leaves, inner }
  }

  /**
   * Pairs of each tag, except roots, and its parent, piece by piece: as JSON lists, since a few long texts are quick to pass to
   * another thread.
   */
  *parents(): Generator<void, string[]> {
    const texts: string[] = []
    let pairs: [string, string][] = []
    for (const { id, parentId } of this.#tags.values()) {
      if (parentId !== null) pairs.push([id, parentId])
      if (pairs.length < LISTED_AT_ONCE) continue
      texts.push(JSON.stringify(pairs))
      pairs = []
      yield
    }
    return [...texts, JSON.stringify(pairs)]
  }

  /** Ids from the root down to the parent; none for an unknown tag. */
  ancestors(id: string): string[] {
    return this.get(id)?.path.map(step => step.id) ?? []
  }

  /** Ids of everything below a tag, parents before their children. */
  descendants(id: string): string[] {
    return [...below(this.#children, [id])].slice(1)
  }

  /** The given ids and those of everything below them, each once. */
  within(ids: readonly string[]): string[] {
    return [...below(this.#children, ids)]
  }

  /** TAG_NOT_FOUND for the first unknown id, with its position in the list of that name. */
  assertThere(ids: readonly string[], list: string): void {
    const place = ids.findIndex(id => !this.has(id))
    if (place >= 0) throw noTag(ids[place]!, `${list}[${place}]`)
  }

  /** TAG_EXISTS, TAG_PARENT_NOT_FOUND, INVALID_ARGUMENT. */
  planCreate(input: unknown): TagChange {
    const tag = parseInput(newTag, input, 'tag')
    this.#checkId(tag.id)
    if (this.has(tag.id)) throw tagExists(tag.id)
    if (tag.parentId !== null) this.#checkParent(tag.parentId, 1)
    return { put: [tag], remove: [] }
  }

  /**
   * Changes name, parent or id; members left out stay. Children follow a changed id.
   * INVALID_ARGUMENT, TAG_NOT_FOUND, TAG_EXISTS, TAG_PARENT_NOT_FOUND, TAG_CYCLE.
   */
  planUpdate(id: string, input: unknown): TagChange {
    const given = parseInput(tagUpdate, input, 'tag')
    if (given.id !== undefined) this.#checkId(given.id)
    const old = this.#existing(id)
    const tag = {
      id: given.id ?? id,
      name: given.name ?? old.name,
      parentId: given.parentId === undefined ? old.parentId : given.parentId || null,
    }
    if (tag.id !== id && this.has(tag.id)) throw tagExists(tag.id)
    if (tag.parentId !== old.parentId) this.#checkMove(id, tag)
    if (tag.id === id) return { put: [tag], remove: [] }
    const children = this.#childrenOf(id).map(child => ({ ...child, parentId: tag.id }))
    return { put: [tag, ...children], remove: [id] }
  }

  /** With `force` everything below goes too. TAG_NOT_FOUND, TAG_HAS_CHILDREN. */
  planRemove(id: string, options: { readonly force: boolean }): TagChange {
    this.#existing(id)
    const inner = this.descendants(id)
    if (inner.length > 0 && !options.force) {
      const below =
        inner.length === 1
          ? '1 tag below it; force removes it'
          : `${inner.length} tags below it; force removes them`
      const received = describeValue(id)
      throw new FindlingError('TAG_HAS_CHILDREN', `The tag ${received} has ${below} too.`, {
        field: 'id',
        received,
        expected: 'a tag with none below it, or the option force',
      })
    }
    return { put: [], remove: [id, ...inner] }
  }

  /** Replaces the whole tree by tags that form one (readTags) and have these ids. */
  *planReplaceAll(tags: readonly Tag[], ids: { has(id: string): boolean }): Generator<void, TagChange> {
    const remove: string[] = []
    yield* eachInPieces(this.#tags.keys(), id => {
      if (!ids.has(id)) remove.push(id)
    })
    return { put: tags, remove }
  }

  apply(change: TagChange): void {
    atOnce(this.applying(change))
  }

  /** The same piece by piece; until it ends, the tree is in between. */
  *applying({ put, remove }: TagChange): Generator<void, void> {
    yield* eachInPieces(remove, id => this.#remove(id))
    yield* eachInPieces(put, tag => this.#put(tag))
    this.#paths.clear()
  }

  /** The change that undoes a change, also a part of it, as long as no other came after it. */
  *inverse({ put, remove }: TagChange): Generator<void, TagChange> {
    const before: Tag[] = []
    const made: string[] = []
    yield* eachInPieces(put, ({ id }) => {
      const tag = this.#tags.get(id)
      if (tag) before.push(tag)
      else made.push(id)
    })
    yield* eachInPieces(remove, id => {
      const tag = this.#tags.get(id)
      if (tag) before.push(tag)
    })
    return { put: before, remove: made }
  }

  /** Exchanges all tags with those of another tree. */
  exchange(other: TagTree): void {
    const [tags, children] = [this.#tags, this.#children]
    this.#tags = other.#tags
    this.#children = other.#children
    other.#tags = tags
    other.#children = children
    const content = this.#content
    this.#content = other.#content
    other.#content = content
    this.#paths.clear()
    other.#paths.clear()
  }

  /** Builds a tree piece by piece from tags that form one. */
  static *building(tags: readonly Tag[], options: TreeOptions): Generator<void, TagTree> {
    const tree = new TagTree([], options)
    yield* eachInPieces(tags, tag => tree.#put(tag))
    return tree
  }

  #put(tag: Tag): void {
    this.#remove(tag.id)
    this.#tags.set(tag.id, tag)
    if (this.#isSummed) this.#content = withContent(this.#content, tag.id, undefined, bytesOfTag(tag))
    addChild(this.#children, tag)
  }

  #remove(id: string): void {
    const tag = this.#tags.get(id)
    if (!tag) return
    this.#tags.delete(id)
    if (this.#isSummed) this.#content = withContent(this.#content, id, bytesOfTag(tag), undefined)
    const siblings = this.#children.get(tag.parentId)
    siblings?.delete(id)
    if (siblings?.size === 0) this.#children.delete(tag.parentId)
  }

  #view(tag: Tag): TagView {
    const path = this.#pathTo(tag.parentId)
    return { ...tag, path, level: path.length + 1, isLeaf: !this.#children.has(tag.id) }
  }

  #pathTo(id: string | null): readonly PathStep[] {
    return pathTo(id, this.#tags, this.#paths)
  }

  #childrenOf(id: string): Tag[] {
    return [...this.children(id)]
  }

  #existing(id: string): Tag {
    const tag = this.#tags.get(id)
    if (!tag) throw noTag(id, 'id')
    return tag
  }

  #checkId(id: string): void {
    checkId(id, 'id')
    if (!this.integerIds || isDigits(id)) return
    const { code, message } = notDigits({ id })
    throw new FindlingError(code, message, {
      field: 'id',
      received: describeValue(id),
      expected: 'digits only',
    })
  }

  #checkParent(parentId: string, height: number): void {
    const parent = this.get(parentId)
    const received = describeValue(parentId)
    if (!parent)
      throw new FindlingError('TAG_PARENT_NOT_FOUND', `There is no tag ${received} to be the parent.`, {
        field: 'parentId',
        received,
        expected: 'the id of a tag that exists',
      })
    if (parent.level + height <= maxTagLevel) return
    const message = `Below the tag ${received}, the tree would have more than ${maxTagLevel} levels.`
    throw new FindlingError('INVALID_ARGUMENT', message, {
      field: 'parentId',
      received,
      expected: `a parent higher in the tree, which has at most ${maxTagLevel} levels`,
    })
  }

  #checkMove(id: string, { id: newId, parentId }: Tag): void {
    if (parentId === null) return
    const branch = [id, ...this.descendants(id)]
    if (parentId === newId || branch.includes(parentId)) {
      const received = describeValue(parentId)
      const message = `The tag ${describeValue(id)} cannot be below itself: its parent would be ${received}.`
      throw new FindlingError('TAG_CYCLE', message, {
        field: 'parentId',
        received,
        expected: 'a tag that is not below this one',
      })
    }
    const levels = branch.map(inner => this.#pathTo(inner).length)
    this.#checkParent(parentId, Math.max(...levels) - levels[0]! + 1)
  }
}

const LISTED_AT_ONCE = 4_096

/** Ids that tags name as their parents. */
function* parentsIn(tags: readonly Tag[]): Generator<void, ReadonlySet<string>> {
  const parents = new Set<string>()
  yield* eachInPieces(tags, ({ parentId }) => {
    if (parentId !== null) parents.add(parentId)
  })
  return parents
}

/** The path down to and including a tag. @param known paths found before; new ones are added */
function pathTo(
  id: string | null,
  tags: ReadonlyMap<string, Tag>,
  known: Map<string, readonly PathStep[]>,
): readonly PathStep[] {
  const unknown: Tag[] = []
  let at = id
  while (at !== null && !known.has(at)) {
    const tag = tags.get(at)!
    unknown.push(tag)
    at = tag.parentId
  }
  let path = at === null ? [] : known.get(at)!
  for (const { id, name } of unknown.reverse()) {
    path = Object.freeze([...path, Object.freeze({ id, name, level: path.length + 1 })])
    known.set(id, path)
  }
  return path
}

export function addChild(children: Map<string | null, Set<string>>, { id, parentId }: Tag): void {
  const siblings = children.get(parentId)
  if (siblings) siblings.add(id)
  else children.set(parentId, new Set([id]))
}

/** The given tags and all below them, level by level. The Set grows while it is iterated. */
export function below(children: Children, from: Iterable<string>): Set<string> {
  const reached = new Set(from)
  for (const id of reached) for (const child of children.get(id) ?? []) reached.add(child)
  return reached
}

export function isDigits(id: string): boolean {
  return /^[0-9]+$/.test(id)
}

export function notDigits({ id }: { readonly id: string }): RefusedTag {
  const message = `tag ids of this dataset must be whole numbers in digits; ${describeValue(id)} is not`
  return { id, code: 'INVALID_ARGUMENT', message }
}

export function noTag(id: string, field: string): FindlingError {
  const received = describeValue(id)
  return new FindlingError('TAG_NOT_FOUND', `There is no tag ${received}.`, {
    field,
    received,
    expected: 'the id of a tag that exists',
  })
}

function tagExists(id: string): FindlingError {
  const received = describeValue(id)
  return new FindlingError('TAG_EXISTS', `There is already a tag ${received}.`, {
    field: 'id',
    received,
    expected: 'an id that is not taken',
  })
}

const bytesOfTag = ({ name, parentId }: Tag): Uint8Array => Buffer.from(JSON.stringify([name, parentId]))
