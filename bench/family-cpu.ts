import { readdirSync, readFileSync } from 'node:fs'

/** Of `/proc`, in all Linux there is. */
const TICKS_PER_SECOND = 100

/**
 * Seconds of CPU that this process and all that it began have taken, those that ended among them; undefined where there is
 * no `/proc`. In steps of ten milliseconds.
 */
export function familyCpuSeconds(): number | undefined {
  const parents = new Map<number, number>()
  const ticks = new Map<number, number>()
  for (const name of names()) {
    const pid = Number(name)
    const stat = Number.isInteger(pid) ? statOf(pid) : undefined
    if (!stat) continue
    parents.set(pid, stat.parent)
    ticks.set(pid, stat.ticks)
  }
  if (!ticks.has(process.pid)) return undefined
  const isOurs = (pid: number): boolean =>
    pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)!))
  let sum = 0
  for (const [pid, taken] of ticks) if (isOurs(pid)) sum += taken
  return sum / TICKS_PER_SECOND
}

function names(): string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}

/** Undefined for a process that has just ended. */
function statOf(pid: number): { parent: number; ticks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // Its name may have blanks and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system, usersOfEnded, systemsOfEnded] = fields.slice(11, 15).map(Number)
    return { parent: Number(fields[1]), ticks: user! + system! + usersOfEnded! + systemsOfEnded! }
  } catch {
    return undefined
  }
}
