import { fileURLToPath } from 'node:url'
import { output } from './programs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What decides how fast a search is. */
export const fastPaths = ['src/fulltext', 'src/search', 'src/live', 'src/analysis', 'src/store'] as const

/** The commit that is measured; undefined where the sources are not those of a commit. */
export async function measuredCommit(): Promise<string | undefined> {
  try {
    const changed = await git('status', '--porcelain', '--', 'src', 'adapters', 'package-lock.json')
    return changed === '' ? (await git('rev-parse', 'HEAD')).trim() : undefined
  } catch {
    return undefined
  }
}

/**
 * Lines that came or went below the fast paths since a commit, files followed where they were moved; undefined where it is
 * not in the history at hand.
 */
export async function linesChangedSince(commit: string): Promise<number | undefined> {
  try {
    return linesIn(await git('diff', '--numstat', '-z', '-M', commit, '--', 'src'))
  } catch {
    return undefined
  }
}

/** Of what `git diff --numstat -z` prints: for each file "added, deleted, path", the path empty where an old and a new one follow. */
function linesIn(numstat: string): number {
  const records = numstat.split('\0')[Symbol.iterator]()
  let lines = 0
  for (const record of records) {
    const [added = '', deleted = '', path] = record.split('\t')
    const paths = path === '' ? [records.next().value, records.next().value] : [path]
    const isFast = paths.some(one => fastPaths.some(folder => one?.startsWith(`${folder}/`)))
    if (isFast) lines += (Number.parseInt(added, 10) || 0) + (Number.parseInt(deleted, 10) || 0)
  }
  return lines
}

export const git = (...args: readonly string[]): Promise<string> => output('git', ['-C', root, ...args])
