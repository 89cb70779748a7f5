import { kill, memoryUsage, pid } from 'node:process'
import { workerData } from 'node:worker_threads'

// Runs in a thread beside the one that reads files. It ends the process when the parent is gone and, on systems where the
// parent cannot measure the memory of the process, when the process grows too large.

const { parent, memory } = workerData as { readonly parent: number; readonly memory: number }
const everyMs = 100

setInterval(() => {
  if (process.ppid !== parent || !isAlive(parent)) kill(pid, 'SIGKILL')
  // As V8 itself ends a process that is out of memory.
  else if (memoryUsage.rss() > memory) kill(pid, 'SIGABRT')
}, everyMs)

/** Checks the parent's process id, for systems on which an orphan keeps it. */
function isAlive(process: number): boolean {
  try {
    return kill(process, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
