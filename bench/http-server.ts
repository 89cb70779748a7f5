import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../adapters/http/dist/serve.js', import.meta.url))

export const secret = 's3cr3t-of-the-bench'

/**
 * Gives `work` the address and the number of the process of the built server, in a process of its own as `npm start` would run it, with an empty
 * store in the folder; every request is logged, to nowhere.
 */
export async function withServer<Result>(
  folder: string,
  work: (address: string, pid: number) => Promise<Result>,
  { args = [], env = {} }: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Promise<Result> {
  const child = spawn(process.execPath, [program, '--empty', ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      FINDLING_STORE: folder,
      FINDLING_SECRET: secret,
      // The same questions are asked again and again.
      FINDLING_ANSWER_CACHE_KB: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    return await work(await addressOf(child), child.pid!)
  } finally {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill()) await ended
  }
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  const greeting = 'Findling listens on '
  for await (const line of createInterface(stdout!)) {
    if (line.startsWith(greeting)) return line.slice(greeting.length)
  }
  throw new Error('the server did not start: run `npm run build -w adapters/http` first')
}
