/**
 * Asks a server again and again, in a thread of its own, and tells the longest wait since it was last asked for it: as
 * it went by, and what the server's main thread computed meanwhile, which other work on the machine does not add to.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const { url, key, dataset, pid } = workerData
const none = () => ({ wall: 0, computed: 0 })
const longest = { health: none(), search: none() }
/** When calls were made that have no answer yet. */
const open = { health: undefined, search: undefined }
const failures = []

const search = {
  method: 'POST',
  headers: { Authorization: `Findling ${key}`, 'X-DataSet': dataset, 'Content-Type': 'application/json' },
  body: JSON.stringify({ Text: 'cordles drill', Limit: 5 }),
}

/** Milliseconds that the main thread has computed; where nobody tells, those that went by. */
function computed() {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}

const now = () => ({ wall: performance.now(), computed: computed() })

function lengthen(what) {
  if (!open[what]) return
  const { wall, computed } = now()
  longest[what].wall = Math.max(longest[what].wall, wall - open[what].wall)
  longest[what].computed = Math.max(longest[what].computed, computed - open[what].computed)
}

async function ask(what, path, init) {
  for (;;) {
    open[what] = now()
    try {
      const response = await fetch(url + path, init)
      await response.text()
      if (response.status !== 200) failures.push(`${what}: ${response.status}`)
    } catch (error) {
      failures.push(`${what}: ${error.cause?.code ?? error.message}`)
    }
    lengthen(what)
    open[what] = undefined
    await pause(5)
  }
}

parentPort.on('message', () => {
  for (const what of ['health', 'search']) lengthen(what)
  parentPort.postMessage({ ...longest, failures: failures.splice(0) })
  for (const what of ['health', 'search']) longest[what] = none()
})

ask('health', '/health')
ask('search', '/api/Documents/Search', search)
