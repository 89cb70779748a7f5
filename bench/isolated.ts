import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** A message that starts an isolated measurement: the exported function of a module and its one argument. */
export interface Assignment {
  readonly module: string
  readonly measurement: string
  readonly argument: unknown
}

/** The message at its end: the result of itself may be undefined, which is no message. */
export interface Outcome {
  readonly result: unknown
}

/**
 * Runs an exported function of a module in a Node process of its own, so that heaps, caches and compiled code
 * of one contestant do not disturb the next. Argument and result travel as structured clones.
 */
export async function isolated<Argument, Result>(
  module: string,
  measurement: (argument: Argument) => Promise<Result>,
  argument: Argument,
): Promise<Result> {
  const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), {
    execArgv: [...process.execArgv, '--expose-gc', '--max-old-space-size=8192'],
    serialization: 'advanced',
  })
  try {
    return await new Promise<Result>((resolve, reject) => {
      // child.ts sends the function's result, nothing else.
      child.once('message', message => resolve((message as Outcome).result as Result))
      child.once('error', reject)
      child.once('exit', code =>
        reject(new Error(`${measurement.name} ended with code ${code}, see its output above`)),
      )
      child.send({ module, measurement: measurement.name, argument } satisfies Assignment)
    })
  } finally {
    child.kill()
  }
}
