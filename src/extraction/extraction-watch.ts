import { kill, memoryUsage, pid } from 'node:process'
import { workerData } from 'node:worker_threads'

// A thread beside the one that reads: it ends the process when nobody waits for it any more, and when it grows too large
// where the parent cannot see that.

const { parent, memory } = workerData as { readonly parent: number; readonly memory: number }
const everyMs = 100

setInterval(() => {
  if (process.ppid !== parent || !isAlive(parent)) kill(pid, 'SIGKILL')
  // What V8 itself does with a process that has no memory left.
  else if (memoryUsage.rss() > memory) kill(pid, 'SIGABRT')
}, everyMs)

/** Where a process keeps the parent that it had, its number still tells. */
function isAlive(process: number): boolean {
  try {
    return kill(process, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
