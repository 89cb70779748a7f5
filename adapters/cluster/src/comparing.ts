import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { DatasetDigest, EngineDigest, JsonValue } from 'findling'
import { encodeComparison, encodeEntry, versions } from './commands.ts'
import type { Log } from './log.ts'
import { type Peer, peersOf } from './presence.ts'
import type { Shared } from './shared.ts'
import { assertWritten } from './upgrading.ts'

/** The contents of a node at the position of the log where all were compared. */
export interface ComparedNode {
  readonly name: string
  /** Undefined if it did not report in time, or cannot. */
  readonly digest: EngineDigest | undefined
  /** Why it cannot report, such as a damaged document. */
  readonly failure: string | undefined
  /** Datasets, and definitions of services, that differ from those of most nodes; empty for a node that agrees with most. */
  readonly differs: readonly Difference[]
}

export interface Difference {
  /** A dataset; undefined for the definitions of services. */
  readonly dataset: string | undefined
  /**
   * Which parts of the dataset differ: `content`, `tags`, `settings`; `missing` if only the others have it, `unknown` if only this
   * node has it. For services: `definitions`.
   */
  readonly parts: readonly string[]
}

export interface Comparison {
  /** Where in the log they were compared. */
  readonly position: number
  /** Ordered by name. */
  readonly nodes: readonly ComparedNode[]
  /** Whether all running nodes have reported, and have the same contents. */
  readonly isSame: boolean
}

const DIGESTS = 'digest'
const LOOK_EVERY = 100
/** Milliseconds after which nobody reads the report of a node any more. */
const FORGOTTEN_AFTER = 60 * 60 * 1000

/** What a node reports. */
export type ToldState = EngineDigest | { readonly failure: string }

/**
 * Compares the contents of all running nodes at one position of the log: documents, tags, settings, definitions of services. Waits
 * until each node has counted its contents once since it was opened; writes do not wait. Nothing is repaired. LOG_AWAY;
 * FORMAT_UNSUPPORTED while the cluster writes a version of commands that cannot compare.
 * @param patience milliseconds that the slowest node may take to count, and again to report; 30,000 by default
 */
export async function compareNodes(
  log: Log,
  shared: Shared,
  { patience = 30_000 } = {},
): Promise<Comparison> {
  assertWritten(await peersOf(shared), versions.ofCompare)
  await forgetOld(shared)
  const peers = await counted(shared, patience)
  const version = assertWritten(peers, versions.ofCompare)
  const id = randomUUID()
  const position = await log.append(randomUUID(), encodeEntry([encodeComparison(id)], version))
  const names = peers.map(({ name }) => name)
  const until = performance.now() + patience
  let told = await digestsOf(shared, id)
  while (!names.every(name => told.has(name)) && performance.now() < until) {
    await pause(LOOK_EVERY)
    told = await digestsOf(shared, id)
  }
  for (const name of told.keys()) await shared.delete(DIGESTS, keyOf(id, name))
  return compared(position, [...new Set([...names, ...told.keys()])].sort(), told)
}

/** The running nodes, once all have counted or the time is over. */
async function counted(shared: Shared, patience: number): Promise<Peer[]> {
  const until = performance.now() + patience
  for (;;) {
    const peers = await peersOf(shared)
    if (!peers.some(({ isCounting }) => isCounting) || performance.now() > until) return peers
    await pause(LOOK_EVERY)
  }
}

/** Reports the contents of a node to whoever compares. */
export async function tellState(
  shared: Shared,
  comparison: string,
  name: string,
  told: ToldState,
): Promise<void> {
  // All of it is JSON, which the type of an interface does not say.
  await shared.put(DIGESTS, keyOf(comparison, name), { ...told } as unknown as JsonValue)
}

const keyOf = (comparison: string, name: string): string => `${comparison} ${name}`

async function digestsOf(shared: Shared, comparison: string): Promise<Map<string, ToldState>> {
  const prefix = keyOf(comparison, '')
  const rows = (await shared.list(DIGESTS)).filter(({ key }) => key.startsWith(prefix))
  // Only nodes write these rows.
  return new Map(rows.map(({ key, value }) => [key.slice(prefix.length), value as ToldState]))
}

async function forgetOld(shared: Shared): Promise<void> {
  for (const { key, age } of await shared.list(DIGESTS))
    if (age > FORGOTTEN_AFTER) await shared.delete(DIGESTS, key)
}

function compared(
  position: number,
  names: readonly string[],
  told: ReadonlyMap<string, ToldState>,
): Comparison {
  const usual = mostFrequent([...told.values()].filter(isDigest))
  const nodes = names.map(name => {
    const one = told.get(name)
    const digest = one && isDigest(one) ? one : undefined
    const failure = one && !isDigest(one) ? one.failure : undefined
    return { name, digest, failure, differs: digest && usual ? differences(digest, usual) : [] }
  })
  const isSame = usual !== undefined && nodes.every(({ digest }) => digest?.digest === usual.digest)
  return { position, nodes, isSame }
}

const isDigest = (told: ToldState): told is EngineDigest => !('failure' in told)

/** The most frequent digest; in a tie, that of the first node by name. */
function mostFrequent(digests: readonly EngineDigest[]): EngineDigest | undefined {
  const count = (one: EngineDigest) => digests.filter(({ digest }) => digest === one.digest).length
  return digests.toSorted((one, other) => count(other) - count(one))[0]
}

const partsOfDataset = ['content', 'tags', 'settings'] as const

function differences(own: EngineDigest, usual: EngineDigest): Difference[] {
  const byName = (digest: EngineDigest) => new Map(digest.datasets.map(one => [one.name, one]))
  const [here, there] = [byName(own), byName(usual)]
  const datasets = [...new Set([...here.keys(), ...there.keys()])].sort()
  const found: Difference[] = datasets.map(dataset => ({
    dataset,
    parts: partsThatDiffer(here.get(dataset), there.get(dataset)),
  }))
  if (own.services !== usual.services) found.push({ dataset: undefined, parts: ['definitions'] })
  return found.filter(({ parts }) => parts.length > 0)
}

function partsThatDiffer(own: DatasetDigest | undefined, usual: DatasetDigest | undefined): string[] {
  if (!own) return ['missing']
  if (!usual) return ['unknown']
  return partsOfDataset.filter(part => own[part] !== usual[part])
}
