import { Index } from 'flexsearch'
import { fold } from '../../analysis/fold.ts'
import { First } from '../../arrays/first.ts'
import type { TagChange, TagTree } from './tag-tree.ts'

interface Entry {
  readonly id: string
  /** The words of the name, folded and joined by spaces. */
  readonly name: string
}

interface Found extends Entry {
  readonly exact: boolean
  readonly level: number
}

/** Maximum number of characters of a name, and of the typed text, that count. */
const longestText = 1000
/** Words are looked up by at most this many leading characters; then the whole word is compared. */
const longestPrefix = 40
/** The index is rebuilt when it has more dead entries than this, and more than living ones. */
const deadAllowed = 200
/** Tags that are examined at a time. */
const atOnce = 32

/**
 * Finds tags in whose names every typed word is the beginning of a word, ignoring case and accents. The index follows the tree:
 * notify it of every change that the tree has applied, and let it catch up before you query it.
 */
export class TagSuggestions {
  readonly #tree: TagTree
  /** Numbers are never reused: a changed tag gets a new one, since removing from the index would require searching all of it. */
  readonly #numbers = new Map<string, number>()
  /** Replaced when the numbers begin again: running readers keep the old map. */
  #entries = new Map<number, Entry>()
  /** Tags that have changed and are not indexed again yet. */
  readonly #due = new Set<string>()
  #index = emptyIndex()
  #nextNumber = 0

  constructor(tree: TagTree) {
    this.#tree = tree
    this.#lookAt(tree.ids())
  }

  /** Indexes changed tags one by one, including those that change meanwhile. */
  *catchUp(): Generator<void, void> {
    for (const id of this.#due) {
      this.#due.delete(id)
      const tag = this.#tree.get(id)
      if (tag) this.#add(id, tag.name)
      else this.#remove(id)
      if (this.#nextNumber - this.#entries.size > Math.max(deadAllowed, this.#entries.size)) this.#renew()
      yield
    }
  }

  /**
   * Ids, best first: the exact name, then shorter names, then tags nearer to a root; none for an empty text.
   * @param known restricts the result to these ids
   */
  *suggest(text: string, limit: number, known?: ReadonlySet<string>): Generator<void, string[]> {
    const typed = wordsOf(text)
    if (typed.length === 0 || limit === 0) return []
    const wanted = typed.join(' ')
    const best = new First(limit, inOrder)
    const entries = this.#entries
    for (const [i, number] of this.#candidates(typed).entries()) {
      if (i % atOnce === 0) yield
      const entry = entries.get(Number(number))
      if (!entry || (known && !known.has(entry.id)) || !begins(entry.name, typed)) continue
      const { id, name } = entry
      best.offer({ id, name, exact: name === wanted, level: this.#tree.get(id)?.level ?? 0 })
    }
    return best.sorted().map(({ id }) => id)
  }

  /** To be called after the tree has applied the change. */
  apply(change: TagChange): void {
    this.#lookAt(change.remove)
    this.#lookAt(change.put.map(({ id }) => id))
  }

  #lookAt(ids: Iterable<string>): void {
    for (const id of ids) this.#due.add(id)
  }

  #candidates(typed: readonly string[]) {
    const query = typed.map(word => word.slice(0, longestPrefix)).join(' ')
    return this.#index.search(query, { limit: this.#nextNumber })
  }

  #add(id: string, name: string): void {
    const entry = { id, name: wordsOf(name).join(' ') }
    const before = this.#numbers.get(id)
    if (before !== undefined && this.#entries.get(before)?.name === entry.name) return
    this.#remove(id)
    const number = this.#nextNumber++
    this.#numbers.set(id, number)
    this.#entries.set(number, entry)
    this.#index.add(number, entry.name)
  }

  #remove(id: string): void {
    const number = this.#numbers.get(id)
    if (number === undefined) return
    this.#numbers.delete(id)
    this.#entries.delete(number)
  }

  /** Starts with an empty index: all tags have to be indexed again. */
  #renew(): void {
    this.#lookAt(this.#numbers.keys())
    this.#index = emptyIndex()
    this.#numbers.clear()
    this.#entries = new Map()
    this.#nextNumber = 0
  }
}

function emptyIndex(): Index {
  return new Index({ tokenize: 'forward', resolution: 1, encode: prefixes })
}

function prefixes(name: string): string[] {
  return name.split(' ').map(word => word.slice(0, longestPrefix))
}

function wordsOf(text: string): string[] {
  return fold(text.slice(0, longestText)).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

function begins(name: string, typed: readonly string[]): boolean {
  const words = name.split(' ')
  return typed.every(start => words.some(word => word.startsWith(start)))
}

function inOrder(a: Found, b: Found): number {
  return (
    Number(b.exact) - Number(a.exact) ||
    a.name.length - b.name.length ||
    a.level - b.level ||
    compare(a.name, b.name) ||
    compare(a.id, b.id)
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
