import * as z from 'zod'
import { invalid, parseInput, problem } from '../input.ts'
import { toJsonObject } from '../json.ts'
import { sealText } from './checksum.ts'
import { keysWithin, namespacePrefix } from './keyspace.ts'
import type { Store } from './store.ts'
import type { Mutation } from './transaction.ts'

const nameSchema = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,50}$/, 'text of 1 to 50 letters, digits, hyphens and underscores')
const keySchema = z
  .string()
  .min(1)
  .max(1024)
  // In UTF-8 lone surrogates are all the same: different keys would meet.
  .refine(key => !/\p{Surrogate}/u.test(key), 'text without lone surrogates')

const entriesSchema = z.array(z.object({ key: z.unknown(), value: z.unknown().optional() }))

/** Values of your own program, stored with the data: JSON values under text keys, as durable as documents. */
export class Namespace {
  readonly #store: Store
  readonly #prefix: string

  constructor(store: Store, name: string) {
    this.#store = store
    this.#prefix = namespacePrefix(parseInput(nameSchema, name, 'namespace'))
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
   * Stores a JSON value under a key of 1 to 1,024 characters, replacing any earlier one. INVALID_ARGUMENT.
   * @example
   * const notes = engine.namespace('my-app')
   * await notes.put('theme', 'dark')
   * console.log(await notes.get('theme')) // dark
   */
  async put(key: string, value: unknown): Promise<void> {
    if (value === undefined) throw invalid('INVALID_ARGUMENT', '', [problem('value', value, 'a JSON value')])
    await this.write([{ key, value }])
  }

  /**
   * Removes the value of a key, if there is one.
   * @example
   * const notes = engine.namespace('my-app')
   * await notes.put('theme', 'dark')
   * await notes.delete('theme')
   * console.log(await notes.get('theme')) // undefined
   */
  delete(key: string): Promise<void> {
    return this.write([{ key }])
  }

  /**
   * Writes several values atomically; an entry without a value deletes its key.
   * @example
   * const notes = engine.namespace('my-app')
   * await notes.write([{ key: 'theme', value: 'dark' }, { key: 'draft' }])
   * console.log(await notes.get('theme')) // dark
   */
  async write(entries: readonly { key: string; value?: unknown }[]): Promise<void> {
    await this.#store.write(this.writing(parseInput(entriesSchema, entries, 'entries')))
  }

  /**
   * The same, to be made in one commit with other writes.
   * @internal
   */
  writing(entries: readonly { key?: unknown; value?: unknown }[]): Mutation<void> {
    const sealed = entries.map(({ key, value }): [string, Buffer | undefined] => {
      const full = this.#prefix + parseInput(keySchema, key, 'key')
      if (value === undefined) return [full, undefined]
      const { value: json } = toJsonObject({ value }, '', 'INVALID_ARGUMENT')
      return [full, sealText(full, JSON.stringify(json))]
    })
    return {
      reads: [],
      bytes: sealed.reduce((sum, [, value]) => sum + (value?.byteLength ?? 0), 0),
      apply(transaction) {
        for (const [key, value] of sealed) {
          if (value) transaction.put(key, value)
          else transaction.delete(key)
        }
      },
    }
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
