// Starts threads that take in the worker of the package as the pool does, and stops each a random while later.
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

const [url, threads] = process.argv.slice(2)
const code = `require(${JSON.stringify(fileURLToPath(url))})`

async function startAndStop() {
  const worker = new Worker(code, { eval: true })
  await delay(20 + Math.random() * 80)
  await worker.terminate()
}

for (let stopped = 0; stopped < Number(threads); stopped += 4)
  await Promise.all(Array.from({ length: 4 }, startAndStop))
