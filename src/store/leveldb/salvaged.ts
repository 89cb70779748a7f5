import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ByteReader } from './byte-reader.ts'
import { currentVersion, tableName, tablesOf } from './files.ts'
import { readableRecords } from './log.ts'
import { readableEntries } from './table.ts'

/** A version of an entry: of several under one key, the one with the highest sequence counts. */
interface Version {
  readonly key: Buffer
  readonly sequence: number
  /** Undefined if it was deleted. */
  readonly value: Uint8Array | undefined
}

type OnDamage = (file: string, what: string) => void

/**
 * What can still be read of a damaged folder, in the order of the keys: the entries of all blocks and records that match their
 * checksums. It reads the tables that the manifest names and later ones, or all if the manifest cannot be read or names others
 * than there are. LevelDB's own repair does not compare checksums, and crashes the process over some damage.
 */
export async function salvaged(
  folder: string,
  onDamage: OnDamage,
): Promise<Generator<{ readonly key: Buffer; readonly value: Uint8Array } | undefined>> {
  const names = await readdir(folder)
  const version = await currentVersion(folder, names, false).catch(
    error => `The manifest cannot be read: ${messageOf(error)}.`,
  )
  const tables = names.filter(name => TABLE.test(name))
  const logs = names.filter(name => LOG.test(name))
  if (typeof version === 'string') {
    onDamage('', version)
    return merged(folder, tables, logs, onDamage)
  }
  const { missing } = await tablesOf(folder, version, names)
  for (const what of missing) onDamage('', what)
  const named = [...version.tables.keys()]
  // A manifest that lacks its end names tables that are gone, and none of those that replaced them.
  const areThere = named.every(number => tableName(number, names))
  const last = named.reduce((a, b) => Math.max(a, b), 0)
  const isNamed = (name: string) => !areThere || version.tables.has(Number.parseInt(name, 10))
  const read = tables.filter(name => isNamed(name) || Number.parseInt(name, 10) > last)
  // A compaction that was cut short leaves a part of a table, whose entries are in others.
  return merged(folder, read, logs, (file, what) => {
    if (LOG.test(file) || isNamed(file)) onDamage(file, what)
  })
}

const TABLE = /^\d{6,}\.(ldb|sst)$/
const LOG = /^\d{6,}\.log$/

/**
 * Merges tables and logs. Most tables do not overlap, so a table is only held in memory from its first key on, which is known
 * beforehand. Yields undefined after each table that was opened, so that the caller may pause.
 */
function* merged(folder: string, tables: readonly string[], logs: readonly string[], onDamage: OnDamage) {
  const waiting: { first: Buffer; open: () => Source }[] = []
  for (const name of tables) {
    const first = new Source(tableVersions(folder, name, () => {})).head
    yield
    const open = () => new Source(tableVersions(folder, name, onDamage))
    if (first) waiting.push({ first: first.key, open })
    // Only to tell why nothing of it can be read.
    else open()
  }
  for (const name of logs) {
    const versions = logVersions(folder, name, onDamage)
    if (versions[0]) waiting.push({ first: versions[0].key, open: () => new Source(versions.values()) })
    yield
  }
  waiting.sort((a, b) => Buffer.compare(b.first, a.first))
  let active: Source[] = []
  for (;;) {
    let least = leastKey(active)
    while (waiting.length > 0 && (!least || Buffer.compare(waiting.at(-1)!.first, least) <= 0)) {
      active.push(waiting.pop()!.open())
      least = leastKey(active)
      yield
    }
    if (!least) return
    const { key, value } = newest(active, least)
    if (value) yield { key, value }
    active = active.filter(({ head }) => head)
  }
}

class Source {
  readonly #versions: Iterator<Version, unknown>
  head: Version | undefined

  constructor(versions: Iterator<Version, unknown>) {
    this.#versions = versions
    this.advance()
  }

  advance(): void {
    const { done, value } = this.#versions.next()
    this.head = done ? undefined : value
  }
}

function leastKey(sources: readonly Source[]): Buffer | undefined {
  let least: Buffer | undefined
  for (const { head } of sources)
    if (head && (!least || Buffer.compare(head.key, least) < 0)) least = head.key
  return least
}

/** The newest version of a key; all sources pass it. */
function newest(sources: readonly Source[], key: Buffer): Version {
  let found: Version | undefined
  for (const source of sources) {
    for (; source.head?.key.equals(key); source.advance()) {
      if (!found || source.head.sequence > found.sequence) found = source.head
    }
  }
  return found!
}

/** Eight bytes after the key: the sequence, and in the lowest byte whether there is a value. */
const STAMP = 8

function* tableVersions(folder: string, name: string, onDamage: OnDamage): Generator<Version> {
  const file = contentOf(folder, name, onDamage)
  if (!file) return
  let last: Buffer = Buffer.alloc(0)
  for (const [stamped, value] of readableEntries(file, what => onDamage(name, what))) {
    if (stamped.length < STAMP) continue
    const stamp = stamped.readBigUInt64LE(stamped.length - STAMP)
    const key = stamped.subarray(0, stamped.length - STAMP)
    // Where a table is cut off, nothing tells the blocks of its structure from those of its data.
    if (Buffer.compare(key, last) < 0) return
    last = key
    yield { key, sequence: Number(stamp >> 8n), value: (stamp & 255n) === 1n ? value : undefined }
  }
}

/** In the order of keys. */
function logVersions(folder: string, name: string, onDamage: OnDamage): Version[] {
  const file = contentOf(folder, name, onDamage)
  if (!file) return []
  const records = readableRecords(file, what => onDamage(name, what))
  const versions = records.flatMap(record => {
    try {
      return batchOf(record)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      onDamage(name, `it holds a record that is no batch: ${error.message}`)
      return []
    }
  })
  return versions.sort((a, b) => Buffer.compare(a.key, b.key))
}

/** A batch: the sequence of its first change (8), their number (4), and the changes. */
function batchOf(record: Uint8Array): Version[] {
  const versions: Version[] = []
  const first = Number(Buffer.from(record.buffer, record.byteOffset, record.length).readBigUInt64LE())
  const reader = new ByteReader(record, 12)
  while (!reader.isAtEnd) {
    const isValue = reader.byte() === 1
    const key = Buffer.from(reader.text())
    versions.push({ key, sequence: first + versions.length, value: isValue ? reader.text() : undefined })
  }
  return versions
}

function contentOf(folder: string, name: string, onDamage: OnDamage): Buffer | undefined {
  try {
    return readFileSync(join(folder, name))
  } catch (error) {
    onDamage(name, messageOf(error))
    return undefined
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
