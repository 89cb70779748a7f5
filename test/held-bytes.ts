import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** What is held in memory once all else is collected. */
export function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
