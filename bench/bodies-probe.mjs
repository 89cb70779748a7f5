import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Asks for `/health` and for a small search, one after the other each, and keeps the longest that it had to wait, and
 * the most that the server's main thread computed before `/health` was answered, which nothing else adds to.
 */
const { address, secret, dataset, pid } = workerData
const longest = { health: 0, search: 0, computed: 0 }
const started = { health: 0, search: 0, computed: 0 }

/** Milliseconds that the server's main thread has computed; where nobody tells, those that went by. */
function computed() {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}

const clocks = { health: () => performance.now(), search: () => performance.now(), computed }
const clocksOf = { health: ['health', 'computed'], search: ['search'] }

function start(names) {
  for (const name of names) started[name] = clocks[name]()
}

function lengthen(names) {
  for (const name of names) longest[name] = Math.max(longest[name], clocks[name]() - started[name])
}

parentPort.on('message', () => {
  const all = Object.keys(longest)
  lengthen(all)
  parentPort.postMessage({ ...longest })
  for (const name of all) longest[name] = 0
  // What is still under way has been told of so far.
  start(all)
})

async function ask(name, path, options, body) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (;;) {
    start(clocksOf[name])
    await new Promise((resolve, reject) => {
      const call = request(address + path, { agent, ...options }, answer =>
        answer.resume().once('end', resolve),
      )
      call.once('error', reject)
      call.end(body)
    })
    lengthen(clocksOf[name])
    await pause(3)
  }
}

const headers = {
  Authorization: `Findling ${secret}`,
  'X-DataSet': dataset,
  'Content-Type': 'application/json',
}
void ask('health', '/health', { method: 'GET' })
void ask(
  'search',
  '/api/Documents/Search',
  { method: 'POST', headers },
  JSON.stringify({ Text: 'drill', Limit: 3 }),
)
