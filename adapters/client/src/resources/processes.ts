import type { Process } from '../api/models.ts'
import { getProcesses, getProcessesById, postProcessesByIdCancel } from '../api/operations.ts'
import type { CallOptions, Connection } from '../connection.ts'
import { failed, type Result } from '../result.ts'
import { pause } from '../retry.ts'

export interface ProcessesAsked {
  /** Whether to list processes that have ended, too. Default false. */
  readonly allStatus?: boolean | undefined
  /** Whether to list processes that began more than 30 days ago, too. Default false. */
  readonly allTime?: boolean | undefined
  /** Whether to list processes of types that 1.5.0 does not have, too. Default false. */
  readonly extensions?: boolean | undefined
}

export interface WaitOptions extends CallOptions {
  /** Called with the process at every poll. */
  readonly onProgress?: ((process: Process) => void) | undefined
  /** Whether the signal cancels the process and waits for its end, instead of only ending the waiting. Default false. */
  readonly cancelOnAbort?: boolean | undefined
}

/** What can be waited for: a process, its id, or the call that begins it. */
export type Awaited = string | Process | Result<Process> | PromiseLike<Result<Process>>

const firstPause = 50
const longestPause = 2000

/** The background processes of an installation. */
export class Processes {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Lists processes in progress, or more. */
  list(query: ProcessesAsked = {}, options?: CallOptions): Promise<Result<Process[]>> {
    return this.#connection.send(getProcesses, { query }, options)
  }

  get(id: string, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(getProcessesById, { path: { id } }, options)
  }

  /** Asks a process to stop, which it does a little later. */
  cancel(id: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(postProcessesByIdCancel, { path: { id } }, options)
  }

  /**
   * Waits until a process has ended. The result is successful if it has finished; otherwise `process` of the failure is its
   * last state, and `errors` are its messages.
   *
   * @example
   * await unwrap(client.processes.wait(shop.optimize(), { onProgress: ({ percent }) => console.log(percent) }))
   */
  async wait(awaited: Awaited, options: WaitOptions = {}): Promise<Result<Process>> {
    const begun = typeof awaited === 'string' ? undefined : await awaited
    if (begun && 'isSuccessful' in begun && !begun.isSuccessful) return begun
    const id = typeof awaited === 'string' ? awaited : idOf(begun!)
    const { onProgress, cancelOnAbort, ...call } = options
    let { signal } = options
    for (let ms = firstPause; ; ms = Math.min(ms * 1.5, longestPause)) {
      if (signal?.aborted && cancelOnAbort) {
        signal = undefined
        const cancelled = await this.cancel(id, { ...call, signal })
        // Refused if the process has ended meanwhile.
        if (!cancelled.isSuccessful && cancelled.httpStatusCode !== 400) return cancelled
      }
      const looked = await this.get(id, { ...call, signal })
      if (looked.isSuccessful) {
        const process = looked.responseObject
        onProgress?.(process)
        if (process.status === 'Finished') return looked
        if (process.status === 'Error' || process.status === 'Cancelled') return unfinished(looked, process)
      } else if (looked.failure !== 'aborted' || !cancelOnAbort) return looked
      if (!(await pause(ms, signal)) && !cancelOnAbort) {
        return failed('aborted', 'Waiting for the process was aborted.', signal?.reason)
      }
    }
  }
}

function idOf(begun: Process | Result<Process>): string {
  if (!('isSuccessful' in begun)) return begun.id
  return begun.isSuccessful ? begun.responseObject.id : ''
}

function unfinished(looked: Result<Process>, process: Process): Result<Process> {
  const errors =
    process.errorMessages.length > 0 ? process.errorMessages : [`The process is ${process.status}.`]
  const { responseObject: _, ...about } = looked
  return { ...about, isSuccessful: false, errors: { errors }, serverMessage: errors.join('\n'), process }
}
