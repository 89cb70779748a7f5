/** State of a server that shares its data with others. */
export interface ClusterStatus {
  /** Position of the newest entry of the log that is applied here. */
  readonly position: number
  /** Position of the newest entry of the log, as far as it is known. */
  readonly head: number
  /** Milliseconds since it was last up to date with the log. */
  readonly lag: number
  /** Whether it has caught up since the start, has loaded the models of the services active then, and reaches the log. */
  readonly isReady: boolean
  /** Number of services whose models are still to be loaded before it is ready for the first time. */
  readonly loading: number
  /** Version of the commands that it writes. */
  readonly commands: number
  /** Why it has stopped following the log. */
  readonly failure: Error | null
}

/** A server's place in its cluster: its status, and ways to wait for the log. */
export interface Membership {
  /** The name of this server. */
  readonly name: string
  /** Milliseconds behind the log from which it is not ready. */
  readonly readyLag: number
  status(): ClusterStatus
  /** Resolves when it has applied the log up to a position. BEHIND if that takes longer than `patience` milliseconds. */
  reach(position: number, patience: number): Promise<void>
  /** Resolves when it has applied everything that is in the log now. LOG_AWAY, BEHIND */
  latest(): Promise<void>
}
