import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { aFunction } from '../function-schema.ts'
import { invalid, parseInput, problem, readingList } from '../input.ts'
import { toJsonObject } from '../json.ts'
import type { Given } from '../options-reader.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { sealText, verified } from './checksum.ts'
import { keysWithin, namespaceOf, namespacePrefix, namespacesPrefix } from './keyspace.ts'
import type { Store } from './store.ts'
import type { Mutation, Transaction } from './transaction.ts'

const nameSchema = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,50}$/, 'text of 1 to 50 letters, digits, hyphens and underscores')
const keySchema = z
  .string()
  .min(1)
  .max(1024)
  // In UTF-8 all lone surrogates are the same, so different keys would collide.
  .refine(key => !/\p{Surrogate}/u.test(key), 'text without lone surrogates')

/** What an entry to be written has besides its key. */
export const entryMembers = {
  value: z.unknown().optional(),
  ifAbsent: z.boolean().optional(),
  ifPresent: z.boolean().optional(),
  ifValue: z.unknown().optional(),
}

const entriesSchema = z.array(z.object({ key: z.unknown(), ...entryMembers }))
const listenerSchema = aFunction<(keys: readonly string[]) => void>()
const putOptions = z.strictObject({
  ifAbsent: z.boolean().default(false),
  ifPresent: z.boolean().default(false),
  ifValue: z.unknown().optional(),
})

/** One entry to be written; without a value its key is deleted. */
export interface EntryWrite {
  key: string
  value?: unknown
  /** Write only if the key has no value yet. */
  ifAbsent?: boolean
  /** Write only if the key has a value. */
  ifPresent?: boolean
  /** Write only if the key still has this value. */
  ifValue?: unknown
}

/** Resolves with whether each entry was written. */
type HandOver = (entries: readonly EntryWrite[]) => Promise<boolean[]>

/** Values of your own program, stored with the data: JSON values under text keys, as durable as documents. */
export class Namespace {
  readonly #store: Store
  readonly #prefix: string
  readonly #handOver: HandOver | undefined

  /** @param handOver makes its writes in its place */
  constructor(store: Store, name: string, handOver?: HandOver) {
    this.#store = store
    this.#prefix = namespacePrefix(parseInput(nameSchema, name, 'namespace'))
    this.#handOver = handOver
  }

  /**
   * Reads the value of a key; undefined when there is none.
   * @example
   * console.log(await engine.namespace('my-app').get('never-stored')) // undefined
   */
  async get(key: string): Promise<unknown> {
    const payload = await this.#store.get(this.#prefix + parseInput(keySchema, key, 'key'))
    return payload && JSON.parse(payload.toString())
  }

  /**
   * Stores a JSON value under a key of 1 to 1,024 characters, replacing any earlier one: with `ifAbsent` only if there is none,
   * with `ifPresent` only if there is one, with `ifValue` only if it is still this one. Returns whether it was stored.
   * INVALID_ARGUMENT.
   * @example
   * const notes = engine.namespace('my-app')
   * await notes.put('theme', 'dark')
   * console.log(await notes.put('theme', 'light', { ifAbsent: true })) // false
   * console.log(await notes.put('theme', 'light', { ifValue: 'dark' })) // true
   * console.log(await notes.get('theme')) // light
   */
  async put(
    key: string,
    value: unknown,
    options: Given<{ ifAbsent?: boolean; ifPresent?: boolean; ifValue?: unknown }> = {},
  ): Promise<boolean> {
    if (value === undefined) throw invalid('INVALID_ARGUMENT', '', [problem('value', value, 'a JSON value')])
    const conditions = parseInput(putOptions, options, 'options')
    const [isStored] = await this.#write([{ key, value, ...conditions }])
    return isStored!
  }

  /**
   * Removes the value of a key, if there is one.
   * @example
   * const notes = engine.namespace('my-app')
   * await notes.put('theme', 'dark')
   * await notes.delete('theme')
   * console.log(await notes.get('theme')) // undefined
   */
  async delete(key: string): Promise<void> {
    await this.write([{ key }])
  }

  /**
   * Writes several values atomically; an entry without a value deletes its key.
   * @example
   * const notes = engine.namespace('my-app')
   * await notes.write([{ key: 'theme', value: 'dark' }, { key: 'draft' }])
   * console.log(await notes.get('theme')) // dark
   */
  async write(entries: readonly EntryWrite[]): Promise<void> {
    await this.#write(entries)
  }

  async #write(entries: readonly EntryWrite[]): Promise<boolean[]> {
    const checked = atOnce(readingList(entriesSchema, entries, 'entries'))
    const write = this.writing(checked)
    return await (this.#handOver ? this.#handOver(checked as EntryWrite[]) : this.#store.write(write))
  }

  /**
   * The same as a mutation, to be committed together with other writes.
   * @internal
   */
  writing(
    entries: readonly {
      key?: unknown
      value?: unknown
      ifAbsent?: boolean | undefined
      ifPresent?: boolean | undefined
      ifValue?: unknown
    }[],
  ): Mutation<boolean[]> {
    const sealed = entries.map(({ key, value, ifAbsent, ifPresent, ifValue }) => {
      const full = this.#prefix + parseInput(keySchema, key, 'key')
      const conditions = {
        ifAbsent,
        ifPresent,
        ifText: ifValue === undefined ? undefined : jsonText(ifValue, 'ifValue'),
      }
      if (value === undefined) return { key: full, value: undefined, ...conditions }
      return { key: full, value: sealText(full, jsonText(value)), ...conditions }
    })
    return {
      reads: sealed.flatMap(entry => (isConditional(entry) ? entry.key : [])),
      bytes: sealed.reduce((sum, { value }) => sum + (value?.byteLength ?? 0), 0),
      apply: transaction => {
        const written: string[] = []
        const are = sealed.map(({ key, value, ...conditions }) => {
          if (isConditional(conditions) && !isMet(conditions, readIn(transaction, key))) return false
          if (value) transaction.put(key, value)
          else transaction.delete(key)
          written.push(key.slice(this.#prefix.length))
          return true
        })
        if (written.length > 0)
          transaction.whenDurable(() => this.#store.watchers.tell(this.#prefix, written))
        return are
      },
    }
  }

  /**
   * Calls a function with the keys after each write to this namespace, whoever makes it; returns a function that ends this.
   * Errors that yours throws are not caught.
   * @example
   * const notes = engine.namespace('my-app')
   * const end = notes.watch(keys => console.log(keys)) // [ 'theme' ]
   * await notes.put('theme', 'dark')
   * end()
   */
  watch(listener: (keys: readonly string[]) => void): () => void {
    return this.#store.watchers.add(this.#prefix, parseInput(listenerSchema, listener, 'listener'))
  }

  /**
   * Yields the entries by key, in byte order, as of one moment.
   * @example
   * const notes = engine.namespace('my-app')
   * await notes.put('theme', 'dark')
   * for await (const { key, value } of notes.entries()) console.log(`${key}: ${value}`) // theme: dark
   */
  async *entries(): AsyncGenerator<{ key: string; value: unknown }> {
    for await (const batch of this.#store.entries(keysWithin(this.#prefix))) {
      for (const [key, payload] of batch) {
        yield { key: key.slice(this.#prefix.length), value: JSON.parse(payload.toString()) }
      }
    }
  }
}

/** The conditions of an entry, with the value as JSON. */
interface Conditions {
  readonly ifAbsent: boolean | undefined
  readonly ifPresent: boolean | undefined
  readonly ifText: string | undefined
}

const isConditional = ({ ifAbsent, ifPresent, ifText }: Conditions): boolean =>
  ifAbsent === true || ifPresent === true || ifText !== undefined

function readIn(transaction: Transaction, key: string): string | undefined {
  const stored = transaction.read(key)
  return stored && verified(key, stored).toString()
}

function isMet({ ifAbsent, ifPresent, ifText }: Conditions, stored: string | undefined): boolean {
  if (stored === undefined) return !ifPresent && ifText === undefined
  return !ifAbsent && (ifText === undefined || isSame(ifText, stored))
}

/** Whether two JSON values are equal, whatever the order of members. */
const isSame = (one: string, other: string): boolean =>
  one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other))

/** @param name names the value in errors */
const jsonText = (value: unknown, name = 'value'): string =>
  JSON.stringify(toJsonObject({ [name]: value }, '', 'INVALID_ARGUMENT')[name])

/** Names of the namespaces that have entries; takes one read per namespace, however many entries it has. */
export async function namespacesIn(store: Store): Promise<string[]> {
  const names: string[] = []
  const all = keysWithin(namespacesPrefix)
  for (let from = all.gte; ; ) {
    const name = await firstWithin(store, { gte: from, lt: all.lt })
    if (name === undefined) return names.sort()
    names.push(name)
    from = keysWithin(namespacePrefix(name)).lt
  }
}

async function firstWithin(store: Store, range: { gte: string; lt: string }): Promise<string | undefined> {
  for await (const batch of store.entries(range, { onDamage: () => {} }))
    for (const [key] of batch) return namespaceOf(key)
  return undefined
}
