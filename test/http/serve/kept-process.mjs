/**
 * Runs the program again and again in one process, which loads most of it only once. Each run is a message; behind what
 * it has printed follow its exit code and a NUL, on both outputs.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** How long a run may keep the process alive after its end, as connections that are closing do. */
const PATIENCE_MS = 10_000

/** As `timeout` of the shell says it. */
const WOULD_NOT_END = 124

// They are made when they are first asked for, and count among what keeps a process from ending.
const outputs = [process.stdout, process.stderr]
const home = process.cwd()
let runs = 0

process.on('disconnect', () => process.exit())
process.on('message', async ({ program, cwd, args, env }) => {
  process.chdir(cwd)
  process.argv = [process.execPath, program, ...args]
  process.env = env
  await pause(1) // what began the process is over
  const before = alive()
  let code
  try {
    // The entry anew; what it imports is there.
    await import(`${pathToFileURL(program)}?run=${runs++}`)
    code = process.exitCode ?? 0
  } catch (error) {
    process.stderr.write(`${error.stack}\n`)
    code = 1
  }
  process.exitCode = undefined
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  for (const output of outputs) output.removeAllListeners('error')
  // A process of its own would end only now.
  const end = performance.now() + PATIENCE_MS
  while (alive().length > before.length && performance.now() < end) await pause(1)
  if (alive().length > before.length) {
    process.stderr.write(`It would not end: ${alive().join(', ')}\n`)
    code = WOULD_NOT_END
  }
  // The folder may be removed now.
  process.chdir(home)
  for (const output of outputs) output.write(`${code}\0`)
})

/** What keeps the process from ending. */
function alive() {
  return process.getActiveResourcesInfo()
}
