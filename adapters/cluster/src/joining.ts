import { readdir, rename, rm } from 'node:fs/promises'
import { Engine, FindlingError, type Logger } from 'findling'
import type { Log } from './log.ts'
import type { Shared } from './shared.ts'
import { type Claim, folderOf, type ListedSnapshot, SnapshotList } from './snapshot-list.ts'

export interface Joining {
  readonly store: string
  readonly folder: string
  readonly log: Log
  readonly shared: Shared
  readonly logger: Logger | undefined
}

/** An opened node, and the claim that keeps the log behind the snapshot that it began with; released once it has caught up. */
export interface Joined<Node> {
  readonly node: Node
  readonly claim: Claim | undefined
}

/**
 * Opens a store that can follow the log. A store that cannot follow is set aside; in its place, or where there is none, the newest
 * complete snapshot is restored; without a snapshot the node begins at the beginning of the log. LOG_CUT if that was cut.
 */
export async function join<Node>(joining: Joining, open: () => Promise<Node>): Promise<Joined<Node>> {
  if (!(await isNew(joining.store))) {
    try {
      return { node: await open(), claim: undefined }
    } catch (error) {
      if (!isBesideLog(error)) throw error
      await refuseUndecided(joining, error)
      const aside = await setAside(joining.store, error)
      warn(joining, `${error.message} The store is kept in ${aside}; the node joins again.`)
    }
  }
  return (await restored(joining, open)) ?? { node: await fromBeginning(joining, open), claim: undefined }
}

/** A lost log may have been replaced by an empty one, which must not replace the data of nodes. */
async function refuseUndecided({ log, shared }: Joining, { code, details }: FindlingError): Promise<void> {
  if (details.log === undefined || (await new SnapshotList(shared, log).all()).length > 0) return
  throw new FindlingError(
    code,
    `The store follows the log ${details.log}, but this is ${log.id}, which has no snapshot to join from. Make the right store the beginning of the log (recover); to discard this store, set it aside yourself.`,
    details,
  )
}

async function restored<Node>(
  joining: Joining,
  open: () => Promise<Node>,
): Promise<Joined<Node> | undefined> {
  const { store, folder, log, shared } = joining
  const list = new SnapshotList(shared, log)
  const tried = new Set<string>()
  // While one is tried, newer ones may come and older ones go.
  for (;;) {
    const next = (await list.all()).find(({ name }) => !tried.has(name))
    if (!next) return undefined
    tried.add(next.name)
    const claim = await list.claim(next)
    if (!claim) continue
    let isJoined = false
    try {
      await Engine.restore(folderOf(folder, next), store)
      const node = await open()
      isJoined = true
      return { node, claim }
    } catch (error) {
      if (!isOfSnapshot(error)) throw error
      warn(joining, `The snapshot ${next.name} cannot be used: ${error.message}`, next)
      await rm(store, { recursive: true, force: true })
    } finally {
      if (!isJoined) await claim.release()
    }
  }
}

async function fromBeginning<Node>({ folder, log }: Joining, open: () => Promise<Node>): Promise<Node> {
  const { first } = await log.head()
  if (first === 1) return await open()
  const message = `The log begins with entry ${first}, but ${folder} has no snapshot that can be restored. Join where the snapshots are, or restore a backup.`
  throw new FindlingError('LOG_CUT', message, {
    ...{ field: 'position', received: '0', expected: `at least ${first - 1}` },
  })
}

/** Whether the folder is missing, empty, or left by an interrupted restore. */
async function isNew(store: string): Promise<boolean> {
  const names: string[] = await readdir(store).catch(error => {
    if (error.code === 'ENOENT') return []
    throw failed(store, 'read', error)
  })
  return names.includes('findling.restore') || names.every(name => /^(\..*|lost\+found)$/.test(name))
}

async function setAside(store: string, { details }: FindlingError): Promise<string> {
  for (let n = 1; ; n++) {
    const aside = `${store.replace(/[\\/]+$/, '')}.aside-${details.applied ?? 'unknown'}-${n}`
    try {
      // `rename` would replace an empty folder.
      if ((await readdir(aside).catch(() => undefined)) !== undefined) continue
      await rename(store, aside)
      return aside
    } catch (error) {
      throw failed(store, 'set aside', error)
    }
  }
}

function warn({ logger, store }: Joining, message: string, snapshot?: ListedSnapshot): void {
  const found = snapshot && { snapshot: snapshot.name, position: snapshot.position }
  logger?.warn({ store, ...found }, message)
}

const failed = (store: string, what: string, error: unknown): FindlingError =>
  new FindlingError(
    'STORE_FAILED',
    `The store ${store} could not be ${what}: ${error instanceof Error ? error.message : String(error)}. If it is a mount point, use a folder inside it.`,
    { field: 'store', received: store },
    error,
  )

const besideLog: ReadonlySet<string> = new Set(['LOG_CUT', 'LOG_DIVERGED'])
const ofSnapshot: ReadonlySet<string> = new Set([
  ...besideLog,
  ...['STORE_CORRUPT', 'STORE_UNSUPPORTED', 'STORE_FAILED', 'FORMAT_UNSUPPORTED'],
])

const isBesideLog = (error: unknown): error is FindlingError =>
  error instanceof FindlingError && besideLog.has(error.code)
const isOfSnapshot = (error: unknown): error is FindlingError =>
  error instanceof FindlingError && ofSnapshot.has(error.code)
