import { spawn } from 'node:child_process'

export interface CommandOptions {
  readonly timeoutSeconds: number
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface CommandResult {
  readonly code: number
  /** The first 64 KB of standard output. */
  readonly output: string
}

const mostOutput = 64 * 1024

/**
 * Runs a program without a shell. Rejects if it cannot be started, was ended by a signal or took too long; in the last
 * case it is killed together with all processes that it started.
 */
export function runCommand(
  argv: readonly string[],
  { timeoutSeconds, env }: CommandOptions,
): Promise<CommandResult> {
  const [program = '', ...args] = argv
  return new Promise((resolve, reject) => {
    // Its own process group, so that its child processes can be killed with it.
    const child = spawn(program, args, {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    const pieces: Buffer[] = []
    let bytes = 0
    child.stdout.on('data', (piece: Buffer) => {
      if (bytes < mostOutput) pieces.push(piece)
      bytes += piece.byteLength
    })
    const limit = setTimeout(() => {
      reject(new Error(`${program} took longer than ${timeoutSeconds} s`))
      endGroup(child.pid)
    }, timeoutSeconds * 1000)
    child.once('error', error => {
      clearTimeout(limit)
      reject(new Error(`${program} could not be started: ${error.message}`))
    })
    child.once('exit', (_, signal) => {
      if (signal !== null) reject(new Error(`${program} was terminated by ${signal}`))
    })
    child.once('close', code => {
      clearTimeout(limit)
      resolve({ code: code ?? 1, output: Buffer.concat(pieces).subarray(0, mostOutput).toString() })
    })
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
