import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFine, storesToFlip, tablesOf, type Verdict, verdictsOn } from './flips.ts'

/** Flips so many bits (20,000) of stores, one at a time, and prints what became of each; fails when anything was wrong. */
const flips = Number(process.argv[2] ?? 20_000)
const from = Number(process.argv[3] ?? 0)
const BATCH = 500

const folder = await mkdtemp(join(tmpdir(), 'findling-flips-'))
try {
  const stores = await storesToFlip(folder)
  await cp(stores.closed, join(folder, 'looked-at'), { recursive: true })
  console.log((await tablesOf(join(folder, 'looked-at'))).replace(/\n[^-].*/g, '\n  a table').trim())
  const bad: Verdict[] = []
  for (const [name, store] of Object.entries(stores)) {
    const counts: Record<string, number> = {}
    for (let at = from; at < from + flips / 2; at += BATCH) {
      const verdicts = await verdictsOn(store, at, Math.min(at + BATCH, from + flips / 2))
      for (const verdict of verdicts) {
        const outcome = outcomeOf(verdict)
        counts[outcome] = (counts[outcome] ?? 0) + 1
        if (!isFine(verdict)) bad.push(verdict)
      }
      console.log(
        `${name}: ${at - from + verdicts.length} flips, seeds from ${from}: ${JSON.stringify(counts)}`,
      )
    }
  }
  for (const verdict of bad) console.log(JSON.stringify(verdict))
  console.log(`${bad.length} of ${flips} flips were neither told nor harmless.`)
  if (bad.length > 0) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}

function outcomeOf({ file, opened, code, isTold, isWell }: Verdict): string {
  const kind = /\.\w+$/.exec(file)?.[0] ?? file.replace(/-\d+/, '')
  if (opened === undefined) return `${kind} aborted`
  if (!opened) return `${kind} ${code}`
  return `${kind} opened, ${isTold ? 'told' : isWell ? 'harmless' : 'SILENT'}`
}
