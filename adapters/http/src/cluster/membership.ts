/** How far a server is that shares its data with others. */
export interface ClusterStatus {
  /** Of the newest entry of the log that is applied here. */
  readonly position: number
  /** Of the newest entry of the log, as far as it is known. */
  readonly head: number
  /** Milliseconds since everything was applied that the log has. */
  readonly lag: number
  /** Whether it has caught up since the start, has loaded what was active then, and reaches the log. */
  readonly isReady: boolean
  /** Services whose models are still to be loaded before it is ready for the first time. */
  readonly loading: number
  /** Version of the commands that it writes. */
  readonly commands: number
  /** Why it has stopped following the log. */
  readonly failure: Error | null
}

/** What a server of a cluster can say of itself, and be asked to wait for. */
export interface Membership {
  /** The name of this server. */
  readonly name: string
  /** Milliseconds behind the log from which on it is not ready. */
  readonly readyLag: number
  status(): ClusterStatus
  /** Resolves when it has applied the log up to a position. BEHIND when that takes longer than so many milliseconds. */
  reach(position: number, patience: number): Promise<void>
  /** Resolves when it has applied all that the log has by now. LOG_AWAY, BEHIND */
  latest(): Promise<void>
}
