import type { Change } from '../store/transaction.ts'

/** A fault in a derived structure, as the doctor reports it. */
export interface Finding {
  /** What exactly: an id, a number. */
  readonly subject: string
  readonly message: string
}

/**
 * A structure that is made from the documents of one dataset, and can be discarded and rebuilt. While it is not in memory, it
 * receives no changes: the change log has them. It is loaded when it is needed, and then catches up with all that it has missed.
 */
export interface Derived {
  /** What it is, in words for people. */
  readonly kind: string
  /** The name of the dataset. */
  readonly name: string
  /** Memory that it takes; 0 while it is not loaded. */
  readonly bytes: number
  /** Applies the changes of a commit. Returns what the writers have to wait for, so that they do not get far ahead. */
  follow(changes: readonly Change[]): Promise<void> | undefined
  /** The settings have changed: what was made with the old ones can no longer be used. */
  redefined(): void
  /** Resolves when it is loaded, with every change so far. */
  settle(): Promise<void>
  /** Stores what it has applied. The change log need not keep changes up to the returned number. */
  catchUp(): Promise<number>
  /** Compares itself with the existing documents. */
  examine(ids: readonly string[]): Promise<Finding[]>
  /** Rebuilds it from the documents. */
  rebuild(): Promise<void>
  /** Frees its memory until it is needed again; false while it is in use. */
  release(): Promise<boolean>
  /** Stores what is not stored yet, unless the dataset is gone, and frees its memory for good. */
  close(): Promise<void>
}
