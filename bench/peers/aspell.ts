import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { inTemporaryFolder } from '../temporary.ts'

export const aspell = {
  name: 'aspell',
  /** Why it cannot take part here, undefined when it can. */
  missing: (): Promise<string | undefined> =>
    run(['dump', 'dicts'], '').then(
      names => (/^en$/m.test(names) ? undefined : howToGet),
      () => howToGet,
    ),
  correctAll,
}

const howToGet = 'aspell with English is not installed; `apt-get install aspell aspell-en`'

/** The first suggestion for each word, of a dictionary that has these words; it knows nothing of their frequency. */
function correctAll(dictionary: readonly string[], words: readonly string[]): Promise<string[]> {
  return inTemporaryFolder(async folder => {
    const master = join(folder, 'dictionary.rws')
    await run(['--lang=en', 'create', 'master', master], dictionary.join('\n'))
    // "^" keeps a word from being taken for a command.
    const printed = await run(
      ['-a', '--lang=en', `--master=${master}`],
      words.map(word => `^${word}\n`).join(''),
    )
    const [, ...answers] = printed.split('\n')
    return answersByLine(answers, words)
  })
}

/** Each word is answered by a line per part of it, `*` where it is known, and an empty line behind the last. */
function answersByLine(lines: readonly string[], words: readonly string[]): string[] {
  const byWord: string[][] = [[]]
  for (const line of lines)
    if (line === '') byWord.push([])
    else byWord.at(-1)!.push(line)
  return words.map((word, at) => /^&[^:]*: ([^,]*)/.exec(byWord[at]?.[0] ?? '')?.[1]?.toLowerCase() ?? word)
}

function run(args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('aspell', args, { maxBuffer: 1 << 28 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
    child.stdin!.on('error', reject)
    child.stdin!.end(input)
  })
}
