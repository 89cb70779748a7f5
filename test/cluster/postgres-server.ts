import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** Debian's place, or the path. */
function findServer(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const installed = existsSync(versions) ? readdirSync(versions).filter(one => Number(one) >= 15) : []
  const folders = [
    ...installed.sort().map(version => join(versions, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ]
  return folders.find(folder => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

const programs = findServer()

/** Says so where there is none. */
export const hasPostgres = programs !== undefined
if (!hasPostgres) console.warn('PostgreSQL 15 or later is not installed: its log is not tested.')

/** PostgreSQL does not run as root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** A PostgreSQL of its own, on loopback, in a folder that is gone at the end. */
export class PostgresServer {
  readonly #folder: string
  readonly #port: number
  #process: ChildProcess | undefined

  static async start(): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'findling-postgres-'))
    if (user.uid !== undefined) await chown(folder, user.uid, user.gid!)
    const options = ['-D', join(folder, 'data'), '-U', 'findling', '-A', 'trust', '-E', 'UTF8', '--locale=C']
    await run(join(programs!, 'initdb'), [...options, '--no-sync'], { ...user, cwd: folder })
    const server = new PostgresServer(folder, await freePort())
    await server.begin()
    return server
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
  }

  get url(): string {
    return `postgres://findling@127.0.0.1:${this.#port}/postgres`
  }

  async begin(): Promise<void> {
    const settings = {
      port: this.#port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      shared_buffers: '32MB',
    }
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(join(programs!, 'postgres'), ['-D', join(this.#folder, 'data'), ...options], {
      ...user,
      cwd: this.#folder,
      stdio: 'ignore',
    })
    this.#process = child
    for (let tries = 0; ; tries++) {
      const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 1000 })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.query('select 1')
        return
      } catch (error) {
        if (tries > 200 || child.exitCode !== null) throw error
        await new Promise(resolve => setTimeout(resolve, 50))
      } finally {
        await client.end().catch(() => {})
      }
    }
  }

  /** Ends at once, as in a power cut: all its processes, none of which writes anything more. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT')
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT')
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Cuts all connections but its own. */
  async cutConnections(): Promise<void> {
    await this.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')
  }

  async query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (!child || child.exitCode !== null) return
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}
