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

/** Lines that came or went below the fast paths since a commit; undefined where it is not in the history at hand. */
export async function linesChangedSince(commit: string): Promise<number | undefined> {
  try {
    const changed = await git('diff', '--numstat', commit, '--', ...fastPaths)
    const counts = changed.split('\n').flatMap(line => line.split('\t').slice(0, 2))
    return counts.reduce((sum, count) => sum + (Number.parseInt(count, 10) || 0), 0)
  } catch {
    return undefined
  }
}

export const git = (...args: readonly string[]): Promise<string> => output('git', ['-C', root, ...args])
