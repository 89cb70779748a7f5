import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Asks for `/health` and for a small search, one after the other each, and keeps the longest that it had to wait. */
const { address, secret, dataset } = workerData
const longest = { health: 0, search: 0 }
const started = { health: 0, search: 0 }

parentPort.on('message', () => {
  const now = performance.now()
  for (const name of ['health', 'search']) longest[name] = Math.max(longest[name], now - started[name])
  parentPort.postMessage({ ...longest })
  longest.health = 0
  longest.search = 0
  // What is still under way has been told of so far.
  started.health = now
  started.search = now
})

async function ask(name, path, options, body) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (;;) {
    started[name] = performance.now()
    await new Promise((resolve, reject) => {
      const call = request(address + path, { agent, ...options }, answer =>
        answer.resume().once('end', resolve),
      )
      call.once('error', reject)
      call.end(body)
    })
    longest[name] = Math.max(longest[name], performance.now() - started[name])
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
