import * as z from 'zod'
import { deadlineMembers } from '../jobs/watching.ts'
import type {
  Answered,
  IdentifiedAnswer,
  Observation,
  Observer,
  ShownHit,
  WriteObservation,
} from './observation.ts'

const shortText = z.string().max(200)

/** The context of a call, as members of its options. */
export const contextMembers = {
  context: z
    .strictObject({
      user: shortText.optional(),
      tags: z.array(shortText).max(100).optional(),
      key: shortText.optional(),
    })
    .optional(),
}

/** The options of service calls that have no others. */
export const callOptions = z.strictObject({ ...deadlineMembers, ...contextMembers })

/** The parts of an observation that the answering code does not know. */
type Timed = 'at' | 'took'
type Untimed<T> = T extends Answered ? Omit<T, Timed> : never

/** Counts answers. */
export interface Recorder {
  /** @returns the id of the answer, if it is counted */
  record(observation: Observation): string | undefined
}

interface Watched {
  readonly observer?: Observer | undefined
  readonly recorder?: Recorder | undefined
  /** Milliseconds since 1970. */
  readonly clock: () => number
  failed(error: unknown, type: Observation['type']): void
}

/** What the caller gets. */
type Answer = IdentifiedAnswer | readonly unknown[]

/** Counts answers, and notifies an observer once the caller has the answer. Exists only if there is a recorder or an observer. */
export class Observing {
  readonly #clock: () => number
  readonly #tell: (observation: Observation, answer?: Answer) => void
  /** Whether there is an observer. */
  readonly isObserved: boolean

  static by({ observer, recorder, clock, failed }: Watched): Observing {
    const tell = async (observation: Observation) => {
      try {
        await observer?.(observation)
      } catch (error) {
        failed(error, observation.type)
      }
    }
    // A logger that throws does not end the process either.
    const afterwards = (observation: Observation) => void tell(observation).catch(() => undefined)
    const answered = (observation: Observation, answer?: Answer) => {
      const id = recorder?.record(observation)
      if (id !== undefined && answer) identify(answer, id)
      if (observer) setImmediate(afterwards, observation)
    }
    return new Observing(clock, answered, observer !== undefined)
  }

  private constructor(
    clock: () => number,
    tell: (observation: Observation, answer?: Answer) => void,
    isObserved: boolean,
  ) {
    this.#clock = clock
    this.#tell = tell
    this.isObserved = isObserved
  }

  /** The time at which a call begins, for `answered`. */
  begin(): number {
    return performance.now()
  }

  /**
   * @param began what `begin` returned
   * @param answer gets a `queryId` if it is counted
   */
  answered(began: number | undefined, what: Untimed<Observation>, answer?: Answer): void {
    const took = began === undefined ? 0 : performance.now() - began
    // The object was made for this call alone; copying it would cost more than all the rest.
    const observation = what as Observation & { at: number; took: number }
    observation.at = this.#clock()
    observation.took = took
    this.#tell(observation, answer)
  }

  wrote({ dataset, changes }: Pick<WriteObservation, 'dataset' | 'changes'>): void {
    const told = changes.map(({ id, seq, kind }) => ({ id, seq, kind }))
    this.#tell({ type: 'write', dataset, at: this.#clock(), changes: told })
  }

  /** Resolves when the observer has been called for all answers; it does not wait for what the observer does then. */
  async told(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
  }

  /** The same for answers that are returned together: nothing is reported before `release`. */
  together(): { observing: Observing; release(): void } {
    const kept: [Observation, Answer | undefined][] = []
    const keep = (observation: Observation, answer?: Answer) => void kept.push([observation, answer])
    const observing = new Observing(this.#clock, keep, this.isObserved)
    const release = () => {
      for (const [one, answer] of kept) this.#tell(one, answer)
    }
    return { observing, release }
  }
}

/** On an array the id is not enumerable, so that enumerating it yields only its entries. */
function identify(answer: Answer, queryId: string): void {
  if (Array.isArray(answer)) Object.defineProperty(answer, 'queryId', { value: queryId })
  else (answer as IdentifiedAnswer).queryId = queryId
}

/** @param before number of hits that were shown on earlier pages or skipped */
export const shownHits = (hits: readonly { readonly id: string }[], before = 0): ShownHit[] =>
  hits.map(({ id }, i) => ({ id, place: before + i + 1 }))
