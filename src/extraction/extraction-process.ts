import { Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { FindlingError } from '../errors.ts'
import { closeInheritedFiles } from './descriptors.ts'
import { answerTo, CHANNEL, filesFrom, READY } from './exchange.ts'
import { readFile } from './reading.ts'

// The entry of a process that reads files, one after the other, until the channel closes.

closeInheritedFiles(CHANNEL)

const [parent, memory] = process.argv.slice(2).map(Number)
// In a separate thread, because a file may keep this one busy when the parent is gone.
new Worker(new URL('./extraction-watch.js', import.meta.url), {
  workerData: { parent, memory },
  env: {},
  execArgv: [],
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4, stackSizeMb: 1 },
})

const channel = new Socket({ fd: CHANNEL })
channel.on('error', () => process.exit())
channel.write(READY)
for await (const file of filesFrom(channel)) {
  const outcome = await readFile(file).catch(failureOf)
  for (const piece of answerTo(outcome)) channel.write(piece)
}
process.exit()

function failureOf(error: unknown): FindlingError {
  if (error instanceof FindlingError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new FindlingError('WORKER_FAILED', `a process that reads files failed: ${reason.slice(0, 300)}`)
}
