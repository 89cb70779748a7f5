import * as z from 'zod'
import { deadlineMembers } from '../jobs/watching.ts'
import type { Answered, Observation, Observer, ShownHit, WriteObservation } from './observation.ts'

const shortText = z.string().max(200)

/** What a call says of itself, as members of its options. */
export const contextMembers = {
  context: z
    .strictObject({
      user: shortText.optional(),
      tags: z.array(shortText).max(100).optional(),
      key: shortText.optional(),
    })
    .optional(),
}

/** What calls of services take that take nothing else. */
export const callOptions = z.strictObject({ ...deadlineMembers, ...contextMembers })

/** What of an observation the answering code does not know. */
type Timed = 'at' | 'took'
type Untimed<T> = T extends Answered ? Omit<T, Timed> : never

interface Watched {
  readonly observer: Observer
  /** Milliseconds since 1970. */
  readonly clock: () => number
  failed(error: unknown, type: Observation['type']): void
}

/** Notifies an observer after the caller has the answer. Does not exist without an observer. */
export class Observing {
  readonly #clock: () => number
  readonly #tell: (observation: Observation) => void

  static by({ observer, clock, failed }: Watched): Observing {
    const tell = async (observation: Observation) => {
      try {
        await observer(observation)
      } catch (error) {
        failed(error, observation.type)
      }
    }
    // A logger that throws does not end the process, either.
    const afterwards = (observation: Observation) => void tell(observation).catch(() => undefined)
    return new Observing(clock, observation => void setImmediate(afterwards, observation))
  }

  private constructor(clock: () => number, tell: (observation: Observation) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** When a call begins, for `answered`. */
  begin(): number {
    return performance.now()
  }

  /** @param began what `begin` gave */
  answered(began: number | undefined, what: Untimed<Observation>): void {
    const took = began === undefined ? 0 : performance.now() - began
    this.#tell({ ...what, at: this.#clock(), took } as Observation) // with what was left out
  }

  wrote({ dataset, changes }: Pick<WriteObservation, 'dataset' | 'changes'>): void {
    const told = changes.map(({ id, seq, kind }) => ({ id, seq, kind }))
    this.#tell({ type: 'write', dataset, at: this.#clock(), changes: told })
  }

  /** Resolves when the observer has been called for all that was answered; what it does then is not waited for. */
  async told(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
  }

  /** The same for answers that are given together: nothing is reported before `release`. */
  together(): { observing: Observing; release(): void } {
    const kept: Observation[] = []
    const observing = new Observing(this.#clock, observation => kept.push(observation))
    return { observing, release: () => kept.forEach(this.#tell) }
  }
}

/** @param before how many hits were shown on earlier pages or skipped */
export const shownHits = (hits: readonly { readonly id: string }[], before = 0): ShownHit[] =>
  hits.map(({ id }, i) => ({ id, place: before + i + 1 }))
