import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { Afterwards } from '../../engine/engines.ts'

/** The built server: Node 20 starts no TypeScript. */
const built = fileURLToPath(new URL('../../../adapters/http/dist/serve.js', import.meta.url))
const keptProcess = fileURLToPath(new URL('kept-process.mjs', import.meta.url))
const cheapSecrets = new URL('cheap-secrets.mjs', import.meta.url).href

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ServerProcess {
  readonly url: string
  /** What it has printed so far. */
  stdout(): string
  stderr(): string
  /** The three calls that it offers to paste. */
  readonly calls: readonly string[]
  /** From now on nobody reads what it prints. */
  stopReading(): void
  end(signal: NodeJS.Signals): Promise<Ended>
}

export interface Run {
  readonly folder: string
  /** When it is killed, if it still runs; default: at the end of the test. */
  readonly afterwards?: Afterwards
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Default: the built one of the repository. */
  readonly program?: string
  /** Whether a secret costs what it costs users. Default: next to nothing. */
  readonly costlySecrets?: boolean
}

/** Starts the server on a free port, its store being `data` in the folder, and waits until it is ready. */
export async function startServer(run: Run): Promise<ServerProcess> {
  const child = launch(run)
  const calls = () => child.stdout().match(/^ {2}curl .*\n/gm) ?? []
  while (calls().length < 3) {
    const next = new Promise<'printed'>(resolve =>
      child.process.stdout?.once('data', () => resolve('printed')),
    )
    const what = await Promise.race([next, child.ended])
    if (what !== 'printed') throw new Error(`It ended with ${what}: ${child.stderr()}`)
  }
  const lines = child.stdout().split('\n')
  return {
    ...child,
    url: lines.find(line => line.startsWith('Findling listens on '))!.slice('Findling listens on '.length),
    calls: calls().map(call => call.trim()),
    stopReading() {
      child.process.stdout.destroy()
      child.process.stderr.destroy()
    },
    async end(signal) {
      child.process.kill(signal)
      return { code: await child.ended, stdout: child.stdout(), stderr: child.stderr() }
    },
  }
}

/** Runs the server until it ends by itself, or by a signal that it gets as soon as it has printed a text. */
export async function runServer(
  run: Run & { signalAt?: { readonly text: string; readonly signal: NodeJS.Signals } },
): Promise<Ended> {
  const child = launch(run)
  const { signalAt } = run
  if (signalAt !== undefined) {
    const look = () => {
      if (!child.stdout().includes(signalAt.text)) return
      child.process.stdout?.off('data', look)
      child.process.kill(signalAt.signal)
    }
    child.process.stdout?.on('data', look)
  }
  return { code: await child.ended, stdout: child.stdout(), stderr: child.stderr() }
}

/** Processes that wait for the next command. */
const waiting: ChildProcess[] = []

/**
 * Runs the program until it ends by itself, in a process in which others have been run: most of what a command takes is
 * to load the program. That it leaves nothing behind that would keep a process from ending is part of what is told.
 */
export async function runCommand({
  folder,
  args = [],
  env = {},
  program = built,
}: Pick<Run, 'folder' | 'args' | 'env' | 'program'>): Promise<Ended> {
  const child = waiting.pop() ?? keep()
  const outputs = [textOf(child.stdout!), textOf(child.stderr!)]
  child.send({ program, cwd: folder, args, env: environment(env) })
  const [stdout = '', stderr = ''] = await Promise.all(outputs)
  waiting.push(child)
  const ends = /\d+$/
  return {
    code: Number(ends.exec(stdout)![0]),
    stdout: stdout.replace(ends, ''),
    stderr: stderr.replace(ends, ''),
  }
}

/** Nobody waits for it, and it ends with this process. */
function keep(): ChildProcess {
  const child = fork(keptProcess, { execArgv: ['--import', cheapSecrets], silent: true })
  child.unref()
  child.channel!.unref()
  return child
}

/** What comes before the next NUL. */
function textOf(stream: NodeJS.ReadableStream & { ref?(): void; unref?(): void }): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const take = (piece: string) => {
      text += piece
      if (text.endsWith('\0')) finish(() => resolve(text.slice(0, -1)))
    }
    const fail = () => finish(() => reject(new Error(`It ended too soon: ${text}`)))
    const finish = (how: () => void) => {
      stream.off('data', take).off('end', fail)
      stream.unref?.()
      how()
    }
    stream.ref?.()
    stream.setEncoding('utf8').on('data', take).on('end', fail)
  })
}

const environment = (env: Readonly<Record<string, string>>) => ({
  PATH: process.env.PATH,
  PORT: '0',
  FINDLING_DISK_MINIMUM_MB: '0',
  ...env,
})

/** What a call prints when it is pasted into a shell. */
export function paste(call: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', call], { env: { ...process.env, ...env } }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
  })
}

function launch(run: Run) {
  const { folder, args = [], env = {}, afterwards = onTestFinished, program = built } = run
  const before = run.costlySecrets ? [] : ['--import', cheapSecrets]
  const child = spawn(process.execPath, [...before, program, ...args], {
    cwd: folder,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  // Gone before its folder goes.
  afterwards(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)]
  return { process: child, stdout, stderr, ended }
}

function gather(stream: NodeJS.ReadableStream): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', piece => {
    text += piece
  })
  return () => text
}
