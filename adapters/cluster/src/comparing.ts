import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { DatasetDigest, EngineDigest, JsonValue } from 'findling'
import { encodeComparison, encodeEntry, versions } from './commands.ts'
import type { Log } from './log.ts'
import { peersOf } from './presence.ts'
import type { Shared } from './shared.ts'
import { assertWritten } from './upgrading.ts'

/** What a node held at the place of the log where all were compared. */
export interface ComparedNode {
  readonly name: string
  /** Undefined when it did not tell in time. */
  readonly digest: EngineDigest | undefined
  /** Datasets that are not as most nodes have them, and `services`; empty for a node that is as most are. */
  readonly differs: readonly Difference[]
}

export interface Difference {
  /** A dataset; undefined for the definitions of services. */
  readonly dataset: string | undefined
  /** Of it: `content`, `tags`, `settings`; `missing` or `unknown` for a dataset that only the others, or only this node has. */
  readonly parts: readonly string[]
}

export interface Comparison {
  /** Where in the log they were compared. */
  readonly position: number
  /** By name. */
  readonly nodes: readonly ComparedNode[]
  /** Whether all that run have told, and hold the same. */
  readonly isSame: boolean
}

const DIGESTS = 'digest'
const LOOK_EVERY = 100
/** Milliseconds after which nobody asks for what a node has told any more. */
const FORGOTTEN_AFTER = 60 * 60 * 1000

/**
 * Has all nodes that run tell what they hold at one place of the log: documents, tags, settings, definitions of services. Writes wait
 * until each has counted, which takes longer only when it does so for the first time since it was opened. Nothing is repaired.
 * LOG_AWAY, FORMAT_UNSUPPORTED before all nodes know how to compare.
 * @param patience milliseconds that the slowest may take; 30,000 by default
 */
export async function compareNodes(
  log: Log,
  shared: Shared,
  { patience = 30_000 } = {},
): Promise<Comparison> {
  const peers = await peersOf(shared)
  const version = assertWritten(peers, versions.ofCompare)
  await forgetOld(shared)
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

/** For those who compare. */
export async function tellDigest(
  shared: Shared,
  comparison: string,
  name: string,
  digest: EngineDigest,
): Promise<void> {
  await shared.put(DIGESTS, keyOf(comparison, name), { ...digest } as unknown as JsonValue)
}

const keyOf = (comparison: string, name: string): string => `${comparison} ${name}`

async function digestsOf(shared: Shared, comparison: string): Promise<Map<string, EngineDigest>> {
  const prefix = keyOf(comparison, '')
  const rows = (await shared.list(DIGESTS)).filter(({ key }) => key.startsWith(prefix))
  return new Map(rows.map(({ key, value }) => [key.slice(prefix.length), value as unknown as EngineDigest]))
}

async function forgetOld(shared: Shared): Promise<void> {
  for (const { key, age } of await shared.list(DIGESTS))
    if (age > FORGOTTEN_AFTER) await shared.delete(DIGESTS, key)
}

function compared(
  position: number,
  names: readonly string[],
  told: ReadonlyMap<string, EngineDigest>,
): Comparison {
  const usual = mostFrequent([...told.values()])
  const nodes = names.map(name => {
    const digest = told.get(name)
    return { name, digest, differs: digest && usual ? differences(digest, usual) : [] }
  })
  return { position, nodes, isSame: nodes.every(({ digest }) => digest?.digest === usual?.digest) }
}

/** What most nodes hold; of several, what the first of them by name does. */
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
