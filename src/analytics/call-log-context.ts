import { FindlingError } from '../errors.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'
import type { Store } from '../store/store.ts'
import type { Calendar } from './model/hours-and-days.ts'

export interface CallLogContext {
  readonly store: Store
  readonly dataset: DatasetNumber
  readonly clock: () => number
  readonly calendar: Calendar
  readonly mode: 'counts' | 'full'
  /** Days after which everything, or only texts, are dropped. */
  readonly days: number
  readonly textDays: number | undefined
  readonly hashOf: (user: string) => number
  warn(message: string, details: Record<string, unknown>): void
}

/** A stored text of analytics. A damaged value counts as missing. */
export async function storedText({ store, warn }: CallLogContext, key: string): Promise<string | undefined> {
  try {
    return (await store.get(key))?.toString()
  } catch (error) {
    if (!(error instanceof FindlingError) || error.code !== 'STORE_CORRUPT') throw error
    warn('Some of the stored call counts are damaged and left out.', { error, key })
    return undefined
  }
}
