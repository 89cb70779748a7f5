import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { JsonObject, JsonValue } from 'findling'
import type { Log } from './log.ts'
import type { Shared } from './shared.ts'

/** A snapshot that other nodes may restore. */
export interface Snapshot {
  /** Name of its folder, within that of all snapshots. */
  readonly name: string
  /** It contains everything up to this position. */
  readonly position: number
  /** Batch id of the entry at this position. */
  readonly batch: string
  /** Size of all keys and values. */
  readonly bytes: number
  /** Name of the node that has made it. */
  readonly node: string
}

export interface ListedSnapshot extends Snapshot {
  /** Milliseconds since it was registered. */
  readonly age: number
}

const SNAPSHOTS = 'snapshot'
const CLAIMS = 'snapshot-claim'
/** Milliseconds without renewal after which a claim has expired. */
const CLAIM_LASTS = 60_000
const RENEWED_EVERY = 10_000

/** The snapshots of one log, newest first, and who is loading them: rows that nodes share. */
export class SnapshotList {
  readonly #shared: Shared
  readonly #log: string
  readonly #prefix: string

  constructor(shared: Shared, log: Log) {
    this.#shared = shared
    this.#log = log.id
    this.#prefix = `snapshot-${createHash('sha256').update(log.id).digest('hex').slice(0, 12)}-`
  }

  nameAt(position: number): string {
    return `${this.#prefix}${position}-${randomUUID()}`
  }

  /** Whether the folder is that of a snapshot of this log. */
  isOwn(name: string): boolean {
    return name.startsWith(this.#prefix)
  }

  async all(): Promise<ListedSnapshot[]> {
    const rows = await this.#shared.list(SNAPSHOTS)
    return rows
      .flatMap(({ key, value, age }) => this.#read(key, value, age) ?? [])
      .sort((one, other) => other.position - one.position)
  }

  /** Removes snapshots of earlier histories from the list. @returns their names: the folders stay */
  async forgetOthers(): Promise<string[]> {
    const forgotten: string[] = []
    for (const { key, value } of await this.#shared.list(SNAPSHOTS)) {
      if ((value as JsonObject | null)?.log === this.#log) continue
      await this.#shared.delete(SNAPSHOTS, key)
      forgotten.push(key)
    }
    return forgotten
  }

  async has({ name }: Snapshot): Promise<boolean> {
    return (await this.#shared.get(SNAPSHOTS, name)) !== undefined
  }

  async register({ name, position, batch, bytes, node }: Snapshot): Promise<void> {
    await this.#shared.put(SNAPSHOTS, name, { log: this.#log, position, batch, bytes, node })
  }

  /**
   * Removes a snapshot from the list, unless somebody is loading it. After claiming, a node checks whether the snapshot is still
   * listed; after removing, whether it was claimed: so at least one of the two notices the other.
   */
  async remove(snapshot: Snapshot): Promise<boolean> {
    if ((await this.#claimed()).has(snapshot.name)) return false
    await this.#shared.delete(SNAPSHOTS, snapshot.name)
    if (!(await this.#claimed()).has(snapshot.name)) return true
    await this.register(snapshot)
    return false
  }

  /** Undefined if the snapshot is gone. */
  async claim(snapshot: Snapshot): Promise<Claim | undefined> {
    const claim = await Claim.on(this.#shared, snapshot.name)
    if (await this.has(snapshot)) return claim
    await claim.release()
    return undefined
  }

  async #claimed(): Promise<Set<string>> {
    const claimed = new Set<string>()
    for (const { key, age } of await this.#shared.list(CLAIMS)) {
      if (age < CLAIM_LASTS) claimed.add(key.slice(0, key.indexOf(' ')))
      else await this.#shared.delete(CLAIMS, key)
    }
    return claimed
  }

  #read(name: string, value: JsonValue, age: number): ListedSnapshot | undefined {
    const { log, position, batch, bytes, node } = (value ?? {}) as JsonObject
    if (log !== this.#log || !this.isOwn(name)) return undefined
    return {
      ...{ name, position: Number(position), batch: String(batch), bytes: Number(bytes) },
      ...{ node: String(node), age },
    }
  }
}

/** Keeps a snapshot, and the log behind it, while it is loaded. */
export class Claim {
  readonly #shared: Shared
  readonly #key: string
  #renewing: Promise<void> = Promise.resolve()
  readonly #timer: NodeJS.Timeout

  static async on(shared: Shared, name: string): Promise<Claim> {
    const key = `${name} ${randomUUID()}`
    await shared.put(CLAIMS, key, null)
    return new Claim(shared, key)
  }

  private constructor(shared: Shared, key: string) {
    this.#shared = shared
    this.#key = key
    this.#timer = setInterval(() => {
      // A failed renewal is tried again.
      this.#renewing = this.#renewing.then(() => shared.put(CLAIMS, key, null)).catch(() => {})
    }, RENEWED_EVERY).unref()
  }

  async release(): Promise<void> {
    clearInterval(this.#timer)
    await this.#renewing
    // If this fails, the claim expires by itself.
    await this.#shared.delete(CLAIMS, this.#key).catch(() => {})
  }
}

export const folderOf = (folder: string, { name }: Snapshot): string => join(folder, name)
