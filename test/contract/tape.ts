import assert from 'node:assert/strict'
import { test } from 'vitest'

type Body = (t: Tape) => unknown

/** Runs tests written for tape: the assertions that abstract-level's suite calls, under vitest. */
export function tape(name: string, body: Body): void {
  test(name, () => new Tape().run(body))
}

class Tape {
  #planned: number | undefined
  #made = 0
  #done!: () => void
  readonly #over = new Promise<void>(resolve => {
    this.#done = resolve
  })
  #inner: Promise<void> = Promise.resolve()
  #failure: unknown

  /** A test is over when its promise is, and when as many assertions were made as it had planned. */
  async run(body: Body): Promise<void> {
    const returned = body(this)
    if (returned instanceof Promise) await returned
    await this.#inner
    if (this.#planned !== undefined || !(returned instanceof Promise)) await this.#over
    if (this.#failure) throw this.#failure
    if (this.#planned !== undefined) assert.equal(this.#made, this.#planned, 'planned assertions')
  }

  plan(assertions: number): void {
    this.#planned = assertions
    if (assertions === this.#made) this.#done()
  }

  end(): void {
    this.#done()
  }

  test(_: string, body: Body): void {
    this.#inner = this.#inner.then(() => new Tape().run(body))
    this.#check(() => {})
  }

  readonly is = (one: unknown, other: unknown, message?: string) =>
    this.#check(() => assert.equal(one, other, message))
  readonly isNot = (one: unknown, other: unknown, message?: string) =>
    this.#check(() => assert.notEqual(one, other, message))
  readonly same = (one: unknown, other: unknown, message?: string) =>
    this.#check(() => assert.deepEqual(one, other, message))
  readonly ok = (value: unknown, message?: string) => this.#check(() => assert.ok(value, message))
  readonly pass = (_?: string) => this.#check(() => {})
  readonly fail = (reason?: unknown) => this.#check(() => assert.fail(String(reason)))
  readonly throws = (call: () => unknown, expected?: RegExp) =>
    this.#check(() => (expected ? assert.throws(call, expected) : assert.throws(call)))
  readonly doesNotThrow = (call: () => unknown) => this.#check(() => assert.doesNotThrow(call))

  #check(assertion: () => void): void {
    this.#made++
    try {
      assertion()
    } catch (error) {
      this.#failure ??= error
      this.#done()
    }
    if (this.#made === this.#planned) this.#done()
  }
}
