import { sealText } from '../store/checksum.ts'
import { JOB_PREFIX, jobKey, keysWithin } from '../store/keyspace.ts'
import type { Store } from '../store/store.ts'
import type { Transaction } from '../store/transaction.ts'
import type { JobState } from './job.ts'
import type { JobRunner, JobStore } from './runner.ts'

/** The state of a job as it is stored. */
export function jobRecord(state: JobState): { key: string; value: Buffer } {
  const key = jobKey(state.id)
  return { key, value: sealText(key, JSON.stringify(state)) }
}

/**
 * Adds to the last write that a job makes that it has finished. Otherwise a job whose process is killed between the two writes
 * would seem to have failed.
 */
export type Finish = (transaction: Transaction) => void

export const finishing =
  (runner: JobRunner, id: string): Finish =>
  transaction => {
    const state = runner.asFinished(id)
    if (!state) return
    const { key, value } = jobRecord(state)
    transaction.put(key, value)
  }

/** Keeps job states in the store. */
export class StoredJobs implements JobStore {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  async put(state: JobState): Promise<void> {
    const { key, value } = jobRecord(state)
    await this.#store.writeWhenRoom({
      reads: [],
      bytes: value.byteLength,
      apply: transaction => void transaction.put(key, value),
    })
  }

  async list(): Promise<JobState[]> {
    const states: JobState[] = []
    // A damaged state is skipped; the doctor names it.
    const onDamage = () => {}
    for await (const batch of this.#store.entries(keysWithin(JOB_PREFIX), { onDamage })) {
      for (const [, payload] of batch) states.push(JSON.parse(payload.toString()) as JobState)
    }
    return states
  }

  async remove(ids: string[]): Promise<void> {
    await this.#store.amend(transaction => {
      for (const id of ids) transaction.delete(jobKey(id))
    })
  }
}
