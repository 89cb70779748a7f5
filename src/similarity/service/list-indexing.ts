import { recordIn } from '../../datasets/record.ts'
import { allDocuments, readDocuments } from '../../datasets/stored-documents.ts'
import { FindlingError } from '../../errors.ts'
import type { Progress } from '../../jobs/job.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import { changesSince } from '../../store/change-log.ts'
import { everyDocument } from '../dataset/nearest-matching.ts'
import { Neighbours } from '../model/neighbours.ts'
import { type StoredList, writeLists } from '../model/stored-neighbours.ts'
import type { ListsPart } from '../tasks.ts'
import type { ActiveSimilar, Compared } from './active-similar.ts'
import { matching } from './conditions.ts'
import { madeByCrew } from './list-crew.ts'
import type { CheckedFilter } from './settings.ts'
import { type ListsHead, partOf, partsFor, StoredLists, type StoredPart } from './stored-lists.ts'

interface Watched {
  readonly parallel: number
  readonly signal: AbortSignal
}

/** If more than this share of all documents has changed, all lists are rebuilt, which is done in threads. */
const TOO_MANY = 1 / 10
/** Number of documents read at once. */
const READ_TOGETHER = 64

const listsOf = (active: ActiveSimilar, { dataset }: Compared): StoredLists =>
  new StoredLists(dataset.documents.store, active.stored.prefix)

/** Makes the lists of all members of all tags beside those in use, and replaces these. If it fails, no lists are left. */
export async function* indexAll(
  active: ActiveSimilar,
  filter: CheckedFilter,
  watched: Watched,
): AsyncGenerator<Progress, void> {
  const compared = await active.current()
  const lists = listsOf(active, compared)
  let isMade = false
  try {
    yield* makeAll(active, compared, lists, filter, watched)
    isMade = true
  } finally {
    if (!isMade) await lists.remove().catch(() => undefined)
  }
}

async function* makeAll(
  active: ActiveSimilar,
  { dataset, index, seq }: Compared,
  lists: StoredLists,
  filter: CheckedFilter,
  { parallel, signal }: Watched,
): AsyncGenerator<Progress, void> {
  const before = await lists.head()
  const run = runAfter(before)
  await lists.begin(run)
  const all = index.ids()
  const passed = await passing({ dataset, index, seq }, filter, signal)
  // Copied in pieces, but as of the first: the next partial index applies what is written meanwhile.
  const saved = await inStretches(index.save())
  const tags = filter.tags?.length ? [...new Set(filter.tags)] : active.contents.tags.map(([id]) => id)
  const groups = await grouped(tags, all, id => (passed(id) ? index.tagsOf(id) : []))
  const parts = groups.flatMap((members, group) => partsOf(members, group, all))
  const total = groups.reduce((sum, members) => sum + members.length, 0)
  const stored: StoredPart[][] = groups.map(() => [])
  let done = 0
  yield { done, total, phase: 'comparing' }
  for await (const { group, part, lists: made, bytes } of madeByCrew(
    dataset.pool,
    { saved, groups, parts },
    { parallel, signal },
  )) {
    stored[group]![part] = await lists.keep(run, `${group}-${part}`, bytes)
    done += made
    yield { done, total, phase: 'comparing' }
  }
  signal.throwIfAborted()
  const named = tags.map((tag, group): [string, StoredPart[]] => [tag, stored[group]!])
  await lists.put({ seq, dataset: dataset.state.dataset, filter, run, groups: named }, before)
}

const runAfter = (before: ListsHead | undefined): number => (before?.run ?? 0) + 1

/** By tag, the places of its documents. */
async function grouped(
  tags: readonly string[],
  ids: readonly string[],
  tagsOf: (id: string) => readonly string[],
): Promise<Uint32Array[]> {
  const places = new Map(tags.map((tag, at) => [tag, at]))
  const groups: number[][] = tags.map(() => [])
  const stretch = new Stretch()
  for (const [document, id] of ids.entries()) {
    if (stretch.isOver) await stretch.pause()
    for (const tag of tagsOf(id)) {
      const group = places.get(tag)
      if (group !== undefined) groups[group]!.push(document)
    }
  }
  return groups.map(members => Uint32Array.from(members))
}

function partsOf(members: Uint32Array, group: number, ids: readonly string[]): ListsPart[] {
  const parts: number[][] = Array.from({ length: partsFor(members.length) }, () => [])
  for (const document of members) parts[partOf(ids[document]!, parts.length)]!.push(document)
  return parts.map((documents, part) => ({ group, part, documents: Uint32Array.from(documents) }))
}

/** The documents that match the query. QUERY_INVALID */
async function passing(
  { dataset }: Compared,
  { query }: CheckedFilter,
  signal: AbortSignal,
): Promise<(id: string) => boolean> {
  const { documents, state } = dataset
  const stretch = new Stretch()
  const matches = await stretch.through(matching(state, { query }, 'filter.query'))
  if (matches === everyDocument) return () => true
  const passed = new Set<string>()
  for await (const batch of allDocuments(documents, { signal, onDamage: () => undefined })) {
    for (const [id, payload] of batch) {
      if (await stretch.through(matches.deciding(recordIn(payload).document))) passed.add(id)
      if (stretch.isOver) await stretch.pause()
    }
  }
  return id => passed.has(id)
}

/** Applies later writes to the lists, with the same result as rebuilding all. */
export async function* indexChanges(active: ActiveSimilar, watched: Watched): AsyncGenerator<Progress, void> {
  const compared = await active.current()
  const lists = listsOf(active, compared)
  const before = await lists.head()
  if (!before) throw notIndexed()
  const isSame = before.dataset === compared.dataset.state.dataset
  const changed = isSame ? await changedSince(before, compared, watched.signal) : undefined
  const run = runAfter(before)
  let isDone = false
  try {
    const groups = changed && (yield* mended(compared, lists, before, changed, watched.signal))
    if (groups) {
      compared.dataset.documents.state.assertThere()
      await lists.put({ ...before, seq: compared.seq, run, groups }, before)
    } else yield* makeAll(active, compared, lists, before.filter, watched)
    isDone = true
  } finally {
    if (!isDone) await lists.abandon(run).catch(() => undefined)
  }
}

/** The groups with their lists repaired; undefined where too many documents would have to be compared again. */
async function* mended(
  compared: Compared,
  lists: StoredLists,
  before: ListsHead,
  changed: Changed,
  signal: AbortSignal,
): AsyncGenerator<Progress, ListsHead['groups'] | undefined> {
  const { index } = compared
  const most = Math.max(64, index.size * TOO_MANY)
  if (changed.others.size > most) return undefined
  const run = runAfter(before)
  await lists.begin(run)
  const passed = await changedPassing(changed, compared, before.filter)
  const groups: ListsHead['groups'] = []
  const total = before.groups.length
  const comparedAnew = new Set<string>()
  for (const [group, [tag, parts]] of before.groups.entries()) {
    yield { done: group, total, phase: 'comparing' }
    const neighbours = new Neighbours()
    const prints = new Map<string, number>()
    const stretch = new Stretch()
    for (const part of parts) {
      for (const list of await lists.read([part])) {
        neighbours.take(list)
        prints.set(list.id, list.print)
      }
      if (stretch.isOver) await stretch.pause()
    }
    const hasTag = (id: string) => index.tagsOf(id).includes(tag)
    // A document that only lost tags is compared as before, unless that hides an earlier change.
    const isAsBefore = (id: string) => changed.tidied.has(id) && prints.get(id) === index.fingerprint(id)
    const come = new Set([...passed].filter(id => hasTag(id) && !isAsBefore(id)))
    for (const id of come) comparedAnew.add(id)
    if (comparedAnew.size > most) return undefined
    const isGone = (id: string) => !hasTag(id) || (isIn(changed, id) && !passed.has(id))
    const removed = new Set([...prints.keys()].filter(isGone))
    const members = new Set([...[...prints.keys()].filter(id => !removed.has(id)), ...come])
    const touched = new Set([...removed, ...come].map(id => partOf(id, parts.length)))
    for (const id of neighbours.update(index, members, { changed: come, removed })) {
      signal.throwIfAborted()
      if (id !== undefined) {
        touched.add(partOf(id, parts.length))
        if (come.has(id)) prints.set(id, index.fingerprint(id))
      }
      if (stretch.isOver) await stretch.pause()
    }
    const made = function* () {
      for (const list of neighbours.lists()) yield { ...list, print: prints.get(list.id)! }
    }
    groups.push([tag, await keepTouched({ lists, group, run }, parts, touched, made())])
  }
  return groups
}

function notIndexed(): FindlingError {
  const message = 'Nothing has been indexed: call index() before indexPartial().'
  return new FindlingError('SERVICE_STATE', message, { field: 'index' })
}

interface Place {
  readonly lists: StoredLists
  readonly group: number
  readonly run: number
}

async function keepTouched(
  { lists, group, run }: Place,
  parts: readonly StoredPart[],
  touched: ReadonlySet<number>,
  made: Iterable<StoredList>,
): Promise<StoredPart[]> {
  const kept = [...parts]
  const byPart = new Map<number, StoredList[]>(Array.from(touched, part => [part, []]))
  for (const list of made) byPart.get(partOf(list.id, parts.length))?.push(list)
  const stretch = new Stretch()
  for (const [part, some] of byPart) {
    kept[part] = await lists.keep(run, `${group}-${part}`, writeLists(some))
    if (stretch.isOver) await stretch.pause()
  }
  return kept
}

/** Documents that have changed or are gone, and those whose newest change only removed tags that no longer exist. */
interface Changed {
  readonly others: ReadonlySet<string>
  readonly tidied: ReadonlySet<string>
}

const isIn = ({ others, tidied }: Changed, id: string): boolean => others.has(id) || tidied.has(id)

/** Undefined where the change log no longer reaches back that far. */
async function changedSince(
  { seq }: ListsHead,
  { dataset }: Compared,
  signal: AbortSignal,
): Promise<Changed | undefined> {
  const { store } = dataset.documents
  const { dataset: number } = dataset.state
  const others = new Set<string>()
  const tidied = new Set<string>()
  if (seq > 0 && seq < store.counts(number).prunedSeq) return undefined
  for await (const changes of changesSince(store, number, seq, { signal }))
    for (const { id, kind } of changes) (kind === 'tags' ? tidied : others).add(id)
  return { others, tidied }
}

/** Of the changed documents, those that are in the index and match. */
async function changedPassing(
  { others, tidied }: Changed,
  { dataset, index }: Compared,
  { query }: CheckedFilter,
): Promise<ReadonlySet<string>> {
  const there = [...others, ...tidied].filter(id => index.has(id))
  const stretch = new Stretch()
  const matches = await stretch.through(matching(dataset.state, { query }, 'filter.query'))
  if (matches === everyDocument) return new Set(there)
  const passed = new Set<string>()
  for (let at = 0; at < there.length; at += READ_TOGETHER) {
    const ids = there.slice(at, at + READ_TOGETHER)
    for (const [i, document] of (await readDocuments(dataset.documents, ids)).entries())
      if (document && (await stretch.through(matches.deciding(document)))) passed.add(ids[i]!)
    if (stretch.isOver) await stretch.pause()
  }
  return passed
}
