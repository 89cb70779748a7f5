import { inspect } from 'node:util'
import { fuzz } from '../test/http/fuzzed.ts'
import { print, progress, short, table, writeResults } from './report.ts'

const seed = 1
const count = 100_000
const minutes = 15
const step = 10_000

/** Is every one of a hundred thousand requests made from the table of routes answered as the contract says? */
export async function httpFuzz(): Promise<void> {
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1_000
  let next = step
  const { requests, byStatus, faults, failures, doctor } = await fuzz({
    seed,
    count,
    enough: done => {
      if (done >= next) {
        progress(`http: ${done} requests, ${Math.round(elapsed())} seconds`)
        next += step
      }
      return elapsed() > minutes * 60
    },
  })
  const statuses = [...byStatus].sort(([one], [other]) => one - other)
  const rate = short(requests / elapsed())
  print(`# http: ${requests} requests made from the table of routes, seed ${seed}, ${rate} per second`)
  print(
    table(
      ['status', 'answers'],
      statuses.map(([status, answers]) => [`${status}`, `${answers}`]),
    ),
  )
  await writeResults('http-fuzz', { seed, requests, byStatus: Object.fromEntries(byStatus), faults, doctor })
  if (faults.length > 0) {
    for (const failure of failures) progress(inspect(failure))
    throw new Error(`${faults.length} wrong answers: ${JSON.stringify(faults, null, 2)}`)
  }
  if (!doctor.ok) throw new Error(`the engine is not sound afterwards: ${JSON.stringify(doctor.faults)}`)
}
