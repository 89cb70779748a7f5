import { randomUUID } from 'node:crypto'
import { FindlingError, type WriteOutcome } from 'findling'

/** The result of a write: where in the log it is, and what became of its operations. */
export interface Written<Results> {
  /** Reads that ask for this position see it, on any node. */
  position: number
  results: Results
}

/** A command that is to be appended. */
export interface Proposal {
  readonly text: string
  /** Whether those behind it have to see it: operations of one entry are checked against what was before. */
  readonly isLast: boolean
  /** Whether it has an entry of its own: what is adopted comes before all operations of its entry. */
  readonly isAlone: boolean
}

interface Waiting extends Proposal {
  readonly resolve: (written: Written<WriteOutcome[]>) => void
  readonly reject: (error: unknown) => void
}

/** Appends commands as an entry, and tells its position. */
export type Append = (batch: string, commands: readonly string[]) => Promise<number>

/** Commands of one entry, together at most; one that is larger has an entry of its own. */
const MOST_COMMANDS = 1000
export const MOST_BYTES = 4 * 2 ** 20
/** Bytes of commands that wait to be appended. */
const MOST_WAITING = 64 * 2 ** 20

/** What callers of a node want to have in the log, until it is there and applied. */
export class Proposals {
  readonly #append: Append
  readonly #patience: number
  readonly #late: (position: number) => FindlingError
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #isAppending = false
  /** By batch, who waits for what becomes of it here. */
  readonly #asked = new Map<string, readonly Waiting[]>()

  /**
   * @param patience milliseconds that an entry in the log may wait to be applied here
   * @param late what is then told
   */
  constructor(append: Append, patience: number, late: (position: number) => FindlingError) {
    this.#append = append
    this.#patience = patience
    this.#late = late
  }

  /** Resolves when it is applied here. WRITE_QUEUE_FULL */
  propose(proposal: Proposal): Promise<Written<WriteOutcome[]>> {
    const { length } = proposal.text
    if (this.#waitingBytes + length > MOST_WAITING && this.#waitingBytes > 0) {
      const message = `Too much is waiting for the log: ${this.#waitingBytes} bytes. Await earlier writes.`
      throw new FindlingError('WRITE_QUEUE_FULL', message, { expected: `at most ${MOST_WAITING}` })
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...proposal, resolve, reject })
      this.#waitingBytes += length
      if (!this.#isAppending) void this.#appendAll()
    })
  }

  /**
   * Tells what became of an entry, if it was proposed here.
   * @param counts how many outcomes each of its commands has
   */
  answer(
    batch: string,
    position: number,
    outcomes: readonly WriteOutcome[],
    counts: readonly number[],
  ): void {
    let from = 0
    for (const [i, { resolve }] of this.#taken(batch).entries()) {
      const results = outcomes.slice(from, from + counts[i]!)
      from += results.length
      resolve({ position, results })
    }
  }

  /** Rejects all. */
  refuse(error: unknown): void {
    const groups = [...this.#asked.values(), this.#waiting]
    this.#asked.clear()
    this.#waiting = []
    this.#waitingBytes = 0
    for (const { reject } of groups.flat()) reject(error)
  }

  /** Group commit: while one entry is on its way to the log the next one gathers. */
  async #appendAll(): Promise<void> {
    this.#isAppending = true
    // Lets the writes of one synchronous stretch of the caller's code become one entry.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const group = this.#nextGroup()
      const batch = randomUUID()
      this.#asked.set(batch, group)
      try {
        const position = await this.#append(
          batch,
          group.map(({ text }) => text),
        )
        setTimeout(() => this.#giveUp(batch, this.#late(position)), this.#patience).unref()
      } catch (error) {
        // If it is in the log after all, it is applied, and nobody waits for it.
        this.#giveUp(batch, error)
      }
    }
    // In the same turn as the last look: who comes next begins again.
    this.#isAppending = false
  }

  #giveUp(batch: string, error: unknown): void {
    for (const { reject } of this.#taken(batch)) reject(error)
  }

  #taken(batch: string): readonly Waiting[] {
    const group = this.#asked.get(batch) ?? []
    this.#asked.delete(batch)
    return group
  }

  #nextGroup(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const { text, isLast, isAlone } of this.#waiting) {
      if (count === MOST_COMMANDS || (count > 0 && (isAlone || bytes + text.length > MOST_BYTES))) break
      bytes += text.length
      count++
      if (isLast) break
    }
    this.#waitingBytes -= bytes
    return this.#waiting.splice(0, count)
  }
}
