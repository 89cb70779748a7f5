import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { pick, random } from '../../../bench/random.ts'
import type { HistoryEvent, Violation } from '../history.ts'
import { PostgresServer } from '../postgres-server.ts'
import { readViolations } from '../read-rules.ts'
import { violationsIn } from '../violations.ts'
import { type Asked, Clients, questions } from './clients.ts'
import { Gate } from './gate.ts'
import { NodeProcess } from './node-process.ts'

export interface ChaosOptions {
  readonly seconds: number
  readonly seed: number
  readonly progress?: (text: string) => void
  /** A node program of an earlier release, which all nodes run at first; they are upgraded one after the other. */
  readonly older?: string | undefined
}

export interface ChaosReport {
  /** How often each thing was done to nodes and to the database. */
  readonly happened: Readonly<Record<string, number>>
  readonly acknowledged: number
  readonly refused: number
  readonly unanswered: number
  /** Acknowledged writes that went with the end of a log that an asynchronous standby had not heard of. */
  readonly lostWithTheEnd: number
  readonly reads: number
  readonly documents: number
  readonly codes: Readonly<Record<string, number>>
  /** Everything that was promised otherwise. */
  readonly wrong: readonly string[]
}

const CLIENTS = 8
const DOCUMENTS = 6
/** How far the numbers of two positions are apart. */
const APART = 2 ** 20

/** A machine with a store, a way to the database, and mostly a process. */
class Machine {
  readonly #folder: string
  readonly #name: string
  readonly gate: Gate
  /** Its program; without one, that of this release. */
  program: string | undefined
  #generation = 0
  #process: NodeProcess | undefined
  #isUp = false

  constructor(folder: string, name: string, gate: Gate) {
    this.#folder = folder
    this.#name = name
    this.gate = gate
  }

  get asked(): Asked | undefined {
    return this.#isUp && this.#process ? { store: this.#store, process: this.#process } : undefined
  }

  get process(): NodeProcess {
    return this.#process!
  }

  get #store(): string {
    return `${this.#name}${this.#generation}`
  }

  /** Begins a process, again and again while the database is not there. @param backup to begin from */
  async begin(backup?: string): Promise<void> {
    const store = join(this.#folder, this.#store)
    for (let isFirst = true; ; isFirst = false) {
      this.#process = new NodeProcess(this.program)
      try {
        const from = isFirst && backup ? { backup } : {}
        await this.#process.ask('open', { store, url: this.gate.url, name: this.#name, ...from })
        this.#isUp = true
        return
      } catch (error) {
        await this.#process.kill()
        if ((error as { code?: string }).code !== 'LOG_AWAY') throw error
        await pause(50)
      }
    }
  }

  async kill(): Promise<void> {
    this.#isUp = false
    await this.#process?.kill()
  }

  /** Its store is set aside, and another one joins from a backup. */
  async joinAnew(backup: string): Promise<void> {
    await this.kill()
    await rename(join(this.#folder, this.#store), join(this.#folder, `${this.#store}-aside`))
    this.#generation++
    await this.begin(backup)
  }
}

/**
 * Clients of three nodes in processes of their own, on a PostgreSQL with a synchronous standby, while both come to harm; then the
 * loss of the end of the log. Everything that was answered is held against what is promised.
 */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-chaos-'))
  const run = new Run(folder, options)
  try {
    return await run.all()
  } finally {
    await run.end()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

class Run {
  readonly #folder: string
  readonly #options: ChaosOptions
  readonly #next: () => number
  readonly #happened: Record<string, number> = {}
  readonly #wrong: string[] = []
  readonly #machines: Machine[] = []
  #server!: PostgresServer
  #standby: PostgresServer | undefined
  #backups = 0
  /** When faults end. */
  #until = 0
  /** When the next node is begun with this release. */
  #upgradeAt = 0

  constructor(folder: string, options: ChaosOptions) {
    this.#folder = folder
    this.#options = options
    this.#next = random(options.seed)
  }

  async all(): Promise<ChaosReport> {
    const { seconds, progress = () => {} } = this.#options
    this.#server = await PostgresServer.start()
    this.#standby = await this.#server.standby({ synchronous: true })
    for (const name of ['a', 'b', 'c'])
      this.#machines.push(new Machine(this.#folder, name, await Gate.open(this.#server.port)))
    for (const machine of this.#machines) machine.program = this.#options.older
    await Promise.all(this.#machines.map(machine => machine.begin()))
    await this.#machines[0]!.process.ask('create')
    // A document of a dataset that a node has not heard of is none.
    for (const { process } of this.#machines) await process.ask('state', { queries: [] })
    progress('three nodes, PostgreSQL and its synchronous standby are up')
    const clients = new Clients(
      random(this.#options.seed + 1),
      () => this.#machines.flatMap(({ asked }) => asked ?? []),
      DOCUMENTS,
    )
    this.#until = performance.now() + seconds * 1000
    this.#upgradeAt = performance.now() + seconds * 300
    const endClients = clients.run(CLIENTS)
    const told = setInterval(() => progress(`${clients.history.length} calls`), 5000)
    await Promise.all([this.#harmNodes(), this.#harmServer()])
    clearInterval(told)
    await endClients()
    progress('the harm is over')
    if (this.#options.older !== undefined) await this.#upgrade()
    await this.#readAll(clients)
    await this.#compare()
    const { history } = clients
    const violations = violationsIn(history)
    this.#tell(violations)
    progress(`${history.length} calls were checked`)
    const lost = await this.#loseTheEnd(clients)
    progress('a log that had lost its end was noticed')
    return this.#report(clients, lost)
  }

  async end(): Promise<void> {
    for (const machine of this.#machines) {
      await machine.kill()
      await machine.gate.close()
    }
    await this.#standby?.stop()
    await this.#server?.stop()
  }

  #count(what: string): void {
    this.#happened[what] = (this.#happened[what] ?? 0) + 1
  }

  #tell(violations: readonly Violation[]): void {
    for (const { rule, document, message } of violations) this.#wrong.push(`${rule}, ${document}: ${message}`)
  }

  /** A while between two bounds, in milliseconds. */
  #while(least: number, most: number): Promise<void> {
    return pause(least + this.#next() * (most - least))
  }

  async #harmNodes(): Promise<void> {
    while (performance.now() < this.#until) {
      await this.#while(100, 1200)
      const older = this.#machines.find(({ program }) => program !== undefined)
      if (older && performance.now() > this.#upgradeAt) {
        this.#upgradeAt += this.#options.seconds * 200
        this.#count('node of the earlier release killed, and begun as one of this')
        await older.kill()
        older.program = undefined
        await older.begin()
        continue
      }
      const machine = pick(this.#next, this.#machines)
      const kind = this.#next()
      if (kind < 0.4) {
        this.#count('node killed')
        await machine.kill()
        await this.#while(0, 600)
        await machine.begin()
      } else if (kind < 0.6) {
        this.#count('node stood still')
        machine.process.pause()
        await this.#while(100, 1500)
        machine.process.resume()
      } else if (kind < 0.8) {
        this.#count('node cut off from the log')
        machine.gate.cut()
        await this.#while(100, 1500)
        machine.gate.lead(this.#server.port)
      } else {
        const other = pick(
          this.#next,
          this.#machines.filter(one => one !== machine),
        )
        const backup = await this.#backup(other)
        await machine.joinAnew(backup)
        this.#count('node joined from a backup')
      }
    }
  }

  /** All are of this release by now; then they may write what only it knows. */
  async #upgrade(): Promise<void> {
    for (const machine of this.#machines) {
      if (machine.program === undefined) continue
      machine.program = undefined
      await machine.kill()
      await machine.begin()
    }
    const [first] = this.#machines
    const { from, to } = await first!.process.ask<{ from: number; to: number }>('upgrade')
    this.#count(`commands of version ${to} instead of ${from}`)
    await first!.process.ask('state', { queries: [] })
    for (const { process } of this.#machines) {
      await process.ask('state', { queries: [] })
      const { commands } = await process.ask<{ commands: number }>('status')
      if (commands !== to) this.#wrong.push(`a node writes commands of version ${commands} after the upgrade`)
    }
  }

  async #backup({ process }: Machine): Promise<string> {
    const folder = join(this.#folder, `backup-${this.#backups++}`)
    await process.ask('backup', { folder })
    return folder
  }

  async #harmServer(): Promise<void> {
    while (performance.now() < this.#until) {
      await this.#while(500, 2500)
      const kind = this.#next()
      if (kind < 0.35) {
        const signal = this.#next() < 0.5 ? 'SIGKILL' : 'SIGQUIT'
        this.#count(`PostgreSQL ended by ${signal}`)
        await this.#server.kill(signal)
        await this.#while(0, 500)
        await this.#server.begin()
      } else if (kind < 0.55) {
        this.#count('PostgreSQL stood still')
        await this.#server.pause()
        await this.#while(100, 1500)
        await this.#server.resume()
      } else if (kind < 0.7) {
        this.#count('standby stood still')
        await this.#standby!.pause()
        await this.#while(100, 1500)
        await this.#standby!.resume()
      } else if (kind < 0.85) {
        this.#count('standby promoted')
        await this.#failOver()
      } else {
        this.#count('PostgreSQL ended while its standby stood still, then the standby promoted')
        await this.#standby!.pause()
        await this.#while(100, 600)
        await this.#server.kill('SIGKILL')
        await this.#server.begin()
        await this.#while(300, 1000)
        await this.#failOver()
      }
    }
  }

  /** The server is lost, and its standby, which then gets one of its own. */
  async #failOver(): Promise<void> {
    const lost = this.#server
    await lost.kill('SIGKILL')
    await this.#standby!.resume()
    await this.#standby!.promote()
    this.#server = this.#standby!
    for (const { gate } of this.#machines) gate.lead(this.#server.port)
    this.#standby = undefined
    await lost.stop()
    this.#standby = await this.#server.standby({ synchronous: true })
  }

  /** What every document is at last, on every node. */
  async #readAll(clients: Clients, position?: number): Promise<HistoryEvent[]> {
    const events: HistoryEvent[] = []
    const call =
      position === undefined ? ({ type: 'latest' } as const) : ({ type: 'read', position } as const)
    for (const machine of this.#machines) {
      for (const id of clients.ids) {
        const event = await clients.call(machine.asked!, id, call)
        if (event) events.push(event)
        else this.#wrong.push(`${machine.asked!.store} did not tell what ${id} is when all was over`)
      }
    }
    return events
  }

  async #compare(): Promise<void> {
    const states = []
    for (const { process } of this.#machines)
      states.push(await process.ask<object>('state', { queries: questions }))
    for (const state of states)
      if (!isDeepStrictEqual(state, states[0])) this.#wrong.push(`nodes differ: ${JSON.stringify(states)}`)
  }

  /** An asynchronous standby takes over that had not heard of everything. @returns how many acknowledged writes went with it */
  async #loseTheEnd(clients: Clients): Promise<number> {
    const { process } = this.#machines[0]!
    const backup = await this.#backup(this.#machines[0]!)
    await this.#standby!.stop()
    await this.#server.query(`alter system set synchronous_standby_names = ''`)
    await this.#server.query('select pg_reload_conf()')
    this.#standby = await this.#server.standby({ synchronous: false })
    await this.#write(clients, 100)
    // If it only stood still, it would get what lies in its sockets.
    await this.#standby.kill('SIGKILL')
    await this.#write(clients, 100)
    await process.ask('state', { queries: [] })
    const ahead = []
    for (const machine of this.#machines)
      ahead.push((await machine.process.ask<{ position: number }>('status')).position)
    await this.#server.kill('SIGKILL')
    await this.#standby.begin()
    await this.#standby.promote()
    await this.#server.stop()
    this.#server = this.#standby
    this.#standby = undefined
    const [head] = await this.#server.query('select position from findling_head')
    const end = Number(head!.position)
    for (const { gate } of this.#machines) gate.lead(this.#server.port)
    this.#count('asynchronous standby promoted')
    for (const [i, machine] of this.#machines.entries()) {
      if (ahead[i]! <= end) continue
      if ((await failureOf(machine.process)) !== 'LOG_DIVERGED')
        this.#wrong.push(
          `node ${i} had applied ${ahead[i]} of a log that ends with ${end}, and did not say so`,
        )
      this.#count('node told LOG_DIVERGED')
      await machine.joinAnew(backup)
    }
    clients.forget(end)
    const before = clients.history.filter(event => !isOfLostEnd(event, end))
    const lost = clients.history.filter(
      ({ outcome }) => outcome.type === 'ok' && outcome.position > end,
    ).length
    const final = await this.#readAll(clients, end)
    this.#tell(readViolations([...before.map(event => unsure(event, end)), ...final]))
    for (const { outcome, document } of final)
      if (outcome.type === 'found' && outcome.found && outcome.found.seq >= APART * (end + 1))
        this.#wrong.push(`${document} is of the lost end`)
    await this.#write(clients, 50)
    await this.#compare()
    return lost
  }

  async #write(clients: Clients, calls: number): Promise<void> {
    const wanted = clients.history.length + calls
    const end = clients.run(CLIENTS)
    while (clients.history.length < wanted) await pause(10)
    await end()
  }

  #report(clients: Clients, lostWithTheEnd: number): ChaosReport {
    const count = (isMeant: (event: HistoryEvent) => boolean) => clients.history.filter(isMeant).length
    return {
      happened: this.#happened,
      acknowledged: count(({ outcome }) => outcome.type === 'ok'),
      refused: count(({ outcome }) => outcome.type === 'refused'),
      unanswered: count(({ outcome }) => outcome.type === 'unknown'),
      lostWithTheEnd,
      reads: count(({ outcome }) => outcome.type === 'found'),
      documents: clients.ids.length,
      codes: Object.fromEntries(clients.codes),
      wrong: this.#wrong,
    }
  }
}

async function failureOf(process: NodeProcess): Promise<string | null> {
  for (let tries = 0; tries < 200; tries++) {
    const { failure } = await process.ask<{ failure: string | null }>('status')
    if (failure) return failure
    await pause(50)
  }
  return null
}

/** Reads that have seen what went with the end. */
const isOfLostEnd = ({ outcome }: HistoryEvent, end: number): boolean =>
  outcome.type === 'found' && (outcome.found?.seq ?? 0) >= APART * (end + 1)

/** Whether a write that went with the end had an effect nobody knows. */
const unsure = (event: HistoryEvent, end: number): HistoryEvent =>
  event.outcome.type === 'ok' && event.outcome.position > end
    ? { ...event, answered: Number.POSITIVE_INFINITY, outcome: { type: 'unknown' } }
    : event
