import { fileURLToPath } from 'node:url'
import { output } from './programs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** What decides how fast a search is. */
const fastPaths = ['src/fulltext', 'src/search', 'src/live', 'src/analysis', 'src/store'] as const

/** Below them, what no search, write or start runs: backups, and what saves a damaged store. */
const besides = [
  'src/store/backup/',
  'src/store/enclosing-folder.ts',
  'src/store/filled-folder.ts',
  'src/store/salvage.ts',
  'src/store/leveldb/salvaged.ts',
]

const isFastPath = (path: string): boolean =>
  fastPaths.some(folder => path.startsWith(`${folder}/`)) && !besides.some(one => path.startsWith(one))

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
 * Lines of code that came or went below the fast paths since a commit, files followed where they were moved; undefined if the
 * commit is not in the history at hand.
 */
export async function linesChangedSince(commit: string): Promise<number | undefined> {
  try {
    return linesIn(
      await git(
        'diff',
        '-U0',
        '-M',
        '--no-color',
        '--no-ext-diff',
        '--src-prefix=a/',
        '--dst-prefix=b/',
        commit,
        '--',
        'src',
      ),
    )
  } catch {
    return undefined
  }
}

function linesIn(diff: string): number {
  let lines = 0
  let [isFast, isInHunk] = [false, false]
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) {
      isFast = / a\/(\S+) b\/(\S+)$/.exec(line)?.slice(1).some(isFastPath) ?? false
      isInHunk = false
    } else if (line.startsWith('@@')) isInHunk = true
    else if (isFast && isInHunk && /^[+-]/.test(line) && isCode(line.slice(1).trim())) lines++
  }
  return lines
}

/** Comments take no time. */
const isCode = (line: string): boolean => line !== '' && !/^(\/\/|\/\*|\*( |\/|$))/.test(line)

export const git = (...args: readonly string[]): Promise<string> => output('git', ['-C', root, ...args])
