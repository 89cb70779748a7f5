import type { Change } from '../store/transaction.ts'

/** Something wrong with what is derived, as the doctor tells it. */
export interface Finding {
  /** What exactly: an id, a number. */
  readonly subject: string
  readonly message: string
}

/**
 * What is made from the documents of one dataset, and can be thrown away and made again. What is not in memory takes
 * nothing in: the change log has it. It is loaded when somebody asks for it, with all that it has missed.
 */
export interface Derived {
  /** What it is, in words for people. */
  readonly kind: string
  /** That of the dataset. */
  readonly name: string
  /** Memory that it takes, 0 while it is not loaded. */
  readonly bytes: number
  /** Takes in what a commit changed. Answers what the writers have to wait for, so that they do not get far ahead. */
  follow(changes: readonly Change[]): Promise<void> | undefined
  /** The settings are others now: what was made by the old ones is of no use any more. */
  redefined(): void
  /** Resolves when it is loaded, with every change so far. */
  settle(): Promise<void>
  /** Stores what it has applied. The change log need not keep the changes up to the number that it answers. */
  catchUp(): Promise<number>
  /** Compares itself with the documents that there are. */
  examine(ids: readonly string[]): Promise<Finding[]>
  /** Rebuilds it from the documents. */
  rebuild(): Promise<void>
  /** Lets its memory go until somebody asks again; false while it is in use. */
  release(): Promise<boolean>
  /** Stores what it has not yet, unless the dataset is gone, and lets its memory go for good. */
  close(): Promise<void>
}
