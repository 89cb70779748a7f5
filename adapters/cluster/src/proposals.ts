import { randomUUID } from 'node:crypto'
import { FindlingError, type WriteOutcome } from 'findling'

/** The result of a write: its position in the log, and the results of its operations. */
export interface Written<Results> {
  /** Once any node has reached this position (`node.reach`), its reads see the write. */
  position: number
  results: Results
}

/** A command to be appended. */
export interface Proposal {
  readonly text: string
  /**
   * Whether it has to be the last of its entry because later commands have to see it: operations are checked against the state before
   * their entry.
   */
  readonly isLast: boolean
  /** Whether it needs an entry of its own: adoptions are applied before all operations of their entry. */
  readonly isAlone: boolean
}

interface Waiting extends Proposal {
  readonly resolve: (written: Written<WriteOutcome[]>) => void
  readonly reject: (error: unknown) => void
}

/** Appends commands as an entry, and returns its position. */
export type Append = (batch: string, commands: readonly string[]) => Promise<number>

/** Maximum number and size of the commands in one entry; a larger command gets an entry of its own. */
const MOST_COMMANDS = 1000
export const MOST_BYTES = 4 * 2 ** 20
/** Maximum size of the commands that wait to be appended. */
const MOST_WAITING = 64 * 2 ** 20

/** Commands of a node's callers, from the call until they are in the log and applied. */
export class Proposals {
  readonly #append: Append
  readonly #patience: number
  readonly #late: (position: number) => FindlingError
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #isAppending = false
  /** By batch id, the callers that wait for its result. */
  readonly #asked = new Map<string, readonly Waiting[]>()

  /**
   * @param patience milliseconds that an entry in the log may wait to be applied here
   * @param late makes the error after that
   */
  constructor(append: Append, patience: number, late: (position: number) => FindlingError) {
    this.#append = append
    this.#patience = patience
    this.#late = late
  }

  /** Resolves when the command is applied here. WRITE_QUEUE_FULL */
  propose(proposal: Proposal): Promise<Written<WriteOutcome[]>> {
    const { length } = proposal.text
    if (this.#waitingBytes + length > MOST_WAITING && this.#waitingBytes > 0) {
      const message = `Too many bytes are waiting for the log: ${this.#waitingBytes}. Await earlier writes.`
      throw new FindlingError('WRITE_QUEUE_FULL', message, { expected: `at most ${MOST_WAITING}` })
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...proposal, resolve, reject })
      this.#waitingBytes += length
      if (!this.#isAppending) void this.#appendAll()
    })
  }

  /**
   * Answers the callers of an entry, if it was proposed here.
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

  /** Group commit: while one entry is being appended, commands for the next one are collected. */
  async #appendAll(): Promise<void> {
    this.#isAppending = true
    // Lets writes that the caller makes synchronously share one entry.
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
        // If it is in the log after all, it will be applied, but nobody waits for it any more.
        this.#giveUp(batch, error)
      }
    }
    // In the same turn as the last check, so that the next caller starts it again.
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
