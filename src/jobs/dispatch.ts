import { move, transferableSymbol, valueSymbol } from 'piscina'
import { type ErrorCode, type ErrorDetails, errorCodes, FindlingError } from '../errors.ts'

/** What a worker can do, by name: pure functions of one input that can be sent to a worker. */
export type TaskTable = Readonly<Record<string, (input: never) => unknown>>

/** The same, each loaded when it is first called. */
export type LoadedTasks = Readonly<Record<string, () => Promise<(input: never) => unknown>>>

export interface TaskCall {
  readonly task: string
  readonly input: unknown
}

/** An error's class and code are lost between threads, so a coded error is sent as data. */
export type Outcome =
  | { readonly value: unknown }
  | {
      readonly failure: { readonly code: ErrorCode; readonly message: string; readonly details: ErrorDetails }
    }

/** The function a worker exports: performs calls by name and moves the result's buffers instead of copying. */
export function dispatcher(tasks: LoadedTasks): (call: TaskCall) => Promise<unknown> {
  return async ({ task, input }) => {
    const outcome = await perform(tasks, task, input)
    return move({ [transferableSymbol]: buffersIn(outcome), [valueSymbol]: outcome })
  }
}

async function perform(tasks: LoadedTasks, task: string, input: unknown): Promise<Outcome> {
  const load = tasks[task]
  if (!load) throw new Error(`the worker has no task ${JSON.stringify(task)}`)
  const work = await load()
  try {
    // The type of the pool ensures that this is the task's own input.
    return { value: await work(input as never) }
  } catch (error) {
    if (!isCoded(error)) throw error
    return { failure: { code: error.code, message: error.message, details: error.details } }
  }
}

function isCoded(error: unknown): error is FindlingError {
  return error instanceof FindlingError && errorCodes.includes(error.code)
}

/** Every ArrayBuffer reachable through plain objects, lists and Maps; shared ones need no moving. */
function buffersIn(root: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  const seen = new Set<object>()
  const open: unknown[] = [root]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null || seen.has(value)) continue
    seen.add(value)
    if (value instanceof ArrayBuffer) buffers.add(value)
    else if (ArrayBuffer.isView(value)) open.push(value.buffer)
    else for (const member of membersOf(value)) open.push(member)
  }
  return [...buffers]
}

function membersOf(value: object): Iterable<unknown> {
  return value instanceof Map ? value.values() : Object.values(value)
}
