import { kill, memoryUsage, pid } from 'node:process'
import { workerData } from 'node:worker_threads'

// A thread beside the one that reads. It ends the process when the parent is gone, and, on systems where the parent cannot
// measure its memory, when the process grows too large.

const { parent, memory } = workerData as { readonly parent: number; readonly memory: number }
const everyMs = 100

setInterval(() => {
  if (process.ppid !== parent || !isAlive(parent)) kill(pid, 'SIGKILL')
  // What V8 itself does with a process that has no memory left.
  else if (memoryUsage.rss() > memory) kill(pid, 'SIGABRT')
}, everyMs)

/** Checks the process id, for systems on which an orphan keeps its parent id. */
function isAlive(process: number): boolean {
  try {
    return kill(process, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
