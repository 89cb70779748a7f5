/** One entry of a log. */
export interface Entry {
  /** From 1 on, without gaps. */
  readonly position: number
  /** The batch id that it was appended with; unique in the log. */
  readonly batch: string
  /** When it was appended, in milliseconds since 1970; never less than the time of the previous entry. */
  readonly at: number
  readonly data: Uint8Array
}

/** How much is read at once: at least one entry, if there is one, and otherwise no more than this. */
export interface ReadLimit {
  readonly entries: number
  readonly bytes: number
}

export interface Head {
  /** Position of the newest entry; 0 while there is none. */
  readonly position: number
  /** Position of the oldest entry that is still there, or in an empty log of the next one. */
  readonly first: number
}

/**
 * An ordered, durable log that several processes append to and read. Its order is all that nodes agree on. While the log cannot be
 * reached, calls are retried until they time out with LOG_AWAY.
 */
export interface Log {
  /** Id of the history that the log had when it was opened or begun here. Every history gets a new one. */
  readonly id: string
  /**
   * Grows whenever the log may have been replaced: after a lost connection, another server may answer that lacks the newest
   * entries.
   */
  readonly connections: number
  /**
   * Resolves with the position of the entry as soon as it is durable. Appending again with the same batch id gives the same
   * entry. After LOG_AWAY it may or may not have been appended.
   */
  append(batch: string, data: Uint8Array): Promise<number>
  /**
   * Entries after a position, in order and without gaps. LOG_CUT if the next one was already removed, LOG_DIVERGED if the
   * log ends before the position.
   */
  read(after: number, limit?: ReadLimit): Promise<Entry[]>
  /** Resolves as soon as there may be an entry after the position, or the log may have been replaced. */
  wait(after: number, signal?: AbortSignal): Promise<void>
  /** Whether the entry at a position has this batch id, as far as that is known. */
  holds(position: number, batch: string): Promise<boolean>
  head(): Promise<Head>
  /** Removes the entries before a position, if the history is still the same. */
  cut(before: number): Promise<void>
  /**
   * Replaces this history by a new one with the given id: its entries come after the given position, which this history has not
   * passed, and the entries of this history are removed. From then on, everybody who has opened the log before gets LOG_DIVERGED.
   * Repeating it with the same id changes nothing. LOG_DIVERGED if somebody else has begun a history meanwhile, LOG_IN_USE if this one
   * has got new entries.
   * @param head position of the newest entry of this history, as far as the caller knows
   */
  begin(id: string, position: number, head: number): Promise<void>
  /** Pending calls are refused with CLOSED. */
  close(): Promise<void>
}

export const defaultLimit: ReadLimit = { entries: 256, bytes: 8 * 2 ** 20 }
