import { MemoryLevel } from 'memory-level'

// The types of memory-level leave out what an implementation overrides.
declare module 'memory-level' {
  interface MemoryLevel<KDefault, VDefault> {
    _batch(operations: readonly unknown[], options: object): Promise<void>
  }
}

/** A database in memory that counts its batches, lets them wait, and fails when it is told to. */
export class FaultyLevel extends MemoryLevel<string, Uint8Array> {
  /** Number of operations of each batch that was written. */
  readonly batches: number[] = []
  /** Each batch waits for what this returns. */
  beforeBatch: () => Promise<void> | void = () => {}
  /** What the next batch fails with, after which all is well again. */
  failNext: Error | undefined

  override async _batch(operations: readonly unknown[], options: object): Promise<void> {
    await this.beforeBatch()
    const failure = this.failNext
    this.failNext = undefined
    if (failure) throw failure
    await super._batch(operations, options)
    this.batches.push(operations.length)
  }
}
