import type { Clock } from './clock.ts'
import { Normal } from './normal.ts'
import { textOf } from './text.ts'

/** A call and what it answered, as text: equal texts are equal answers. */
export interface Recorded {
  readonly area: string
  readonly call: string
  readonly answer: string
}

/** Enough of a call to find it again. */
const CALL_LENGTH = 240

/** Makes calls of one area and writes down what they answer. */
export class Recorder {
  readonly calls: Recorded[] = []
  readonly #area: string
  readonly #clock: Clock
  readonly #normal: Normal

  constructor(area: string, clock: Clock, secrets: readonly string[]) {
    this.#area = area
    this.#clock = clock
    this.#normal = new Normal(secrets)
  }

  /** Records methods of an object by their names. Answers are handed on; undefined where a call has failed. */
  of<T extends object>(label: string, object: T) {
    return async <R = unknown>(method: keyof T & string, ...args: readonly unknown[]): Promise<R> => {
      const call = `${label}.${method}(${args.map(written).join(', ')})`
      // The names of methods that are called are those of functions.
      const work = object[method] as (...given: unknown[]) => unknown
      return await this.record<R>(call, () => work.call(object, ...args))
    }
  }

  /** Jobs and promises are awaited, generators read to their end. */
  async record<R = unknown>(call: string, work: () => unknown): Promise<R> {
    this.#clock.tick()
    let answer: unknown
    try {
      answer = await answered(work())
      this.#keep(call, textOf(answer))
    } catch (error) {
      this.#keep(call, `fails with ${textOf(error)}`)
    }
    return answer as R
  }

  #keep(call: string, answer: string): void {
    this.calls.push({
      area: this.#area,
      call: this.#normal.text(call).slice(0, CALL_LENGTH),
      answer: this.#normal.text(answer),
    })
  }
}

async function answered(made: unknown): Promise<unknown> {
  if (typeof made !== 'object' || made === null) return made
  if (!(Symbol.asyncIterator in made)) return await made
  const given: unknown[] = []
  for await (const one of made as AsyncIterable<unknown>) given.push(one)
  return given
}

const written = (value: unknown): string => (typeof value === 'function' ? '…' : textOf(value))
