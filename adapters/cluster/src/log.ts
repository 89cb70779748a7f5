/** One entry of a log. */
export interface Entry {
  /** From 1 on, without gaps. */
  readonly position: number
  /** What it was appended as; unique in the log. */
  readonly batch: string
  /** Milliseconds since 1970 when it was appended; never less than that of the entry before. */
  readonly at: number
  readonly data: Uint8Array
}

/** How much is read at once: at least one entry, if there is one, and then no more than this. */
export interface ReadLimit {
  readonly entries: number
  readonly bytes: number
}

export interface Head {
  /** Of the newest entry; 0 while there is none. */
  readonly position: number
  /** Of the oldest entry that is still there, or will be the first. */
  readonly first: number
}

/**
 * An ordered, durable log that several processes append to and read. All that nodes agree on is its order. What is asked
 * while the log cannot be reached is asked again, until its time is over: LOG_AWAY.
 */
export interface Log {
  /** Of the history that it had when it was opened, or begun here: made with it, and never used again. */
  readonly id: string
  /**
   * Grows whenever the log may have been another one since: after a lost connection a server may answer that has not heard
   * of everything.
   */
  readonly connections: number
  /**
   * Resolves with the position of the entry as soon as it is durable. Appended again under the same batch it is the
   * same entry. After LOG_AWAY it may have been appended or not.
   */
  append(batch: string, data: Uint8Array): Promise<number>
  /**
   * Entries after a position, in order and without gaps. LOG_CUT when the next one is not there any more, LOG_DIVERGED when the
   * log does not reach as far as the position.
   */
  read(after: number, limit?: ReadLimit): Promise<Entry[]>
  /** Resolves when there may be an entry after the position, or the log may be another one: at once, or when that comes. */
  wait(after: number, signal?: AbortSignal): Promise<void>
  /** Whether the entry at a position is the one of this batch, as far as that can be told. */
  holds(position: number, batch: string): Promise<boolean>
  head(): Promise<Head>
  /** Removes the entries before a position, if the history is still the same. */
  cut(before: number): Promise<void>
  /**
   * Begins another history, of a new id, in place of this one: its entries come behind a position that this one has not passed, and
   * those of this one are gone. Who has opened the log before is told LOG_DIVERGED from then on. Begun again with the same id it is
   * the same; LOG_DIVERGED when somebody else has begun one meanwhile, LOG_IN_USE when this one has got entries.
   * @param head the newest entry of this one, as far as is known
   */
  begin(id: string, position: number, head: number): Promise<void>
  /** What waits for it is refused with CLOSED. */
  close(): Promise<void>
}

export const defaultLimit: ReadLimit = { entries: 256, bytes: 8 * 2 ** 20 }
