import { Engine } from 'findling'
import { openAccess } from '../access/access.ts'
import type { HashCost } from '../access/secret-hash.ts'
import { secretProblems } from '../access/secret-rule.ts'
import { clientIdProblem } from '../clients/client-id.ts'
import { ClientFolders } from '../clients/folders.ts'
import type { Config } from '../config/config.ts'
import { makeLicence, openLicence } from '../licence/licence.ts'
import { declineSample } from '../sample/catalogue.ts'

/** Why a command on clients did nothing. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** A setting without which a command can do nothing. */
export class MissingSetting extends CommandError {
  constructor(variable: string, expected: string) {
    super(`${variable} is not set; expected ${expected}.`)
  }
}

/** Ids of all clients. */
export async function listClients(folder: string): Promise<string[]> {
  return (await new ClientFolders(folder).list()) ?? []
}

export interface NewClient {
  /** Its first secret. Default: a provisional one. */
  readonly secret?: string | undefined
  /** Email address of the person who accepts the licence; without it, none is made. */
  readonly licence?: string | undefined
  /** Cost of checking a secret that has not been seen since the start. Default: about a quarter of a second. */
  readonly hashCost?: HashCost | undefined
  /** Fills the new store. Default: it stays empty. */
  readonly fill?: ((engine: Engine) => Promise<void>) | undefined
}

/**
 * Adds a client, completely or not at all; a running server serves it soon.
 * @returns its provisional secret; undefined if a secret was given
 */
export async function addClient(
  id: string,
  folder: string,
  { authSchemes: schemes }: Pick<Config, 'authSchemes'>,
  given: NewClient,
): Promise<string | undefined> {
  assertNew(id, given)
  let made: string | undefined
  const isNew = await new ClientFolders(folder).add(id, async store => {
    await using engine = await Engine.open({ store })
    made = await begin(engine, schemes, given)
  })
  if (!isNew) throw new CommandError(`There is already a client or a folder ${id} in ${folder}.`)
  return made
}

/** CommandError for what can be no client. */
export function assertNew(id: string, { secret }: NewClient): void {
  const problems = [clientIdProblem(id) ?? [], secret === undefined ? [] : secretProblems(secret)].flat()
  if (problems.length > 0) throw new CommandError(problems.join(' '))
}

/**
 * Fills the store of a new client.
 * @returns its provisional secret; undefined if a secret was given
 */
export async function begin(
  engine: Engine,
  schemes: readonly string[],
  { secret, licence, hashCost, fill }: NewClient,
): Promise<string | undefined> {
  const access = await openAccess(engine, {
    schemes,
    hashCost,
    ...(secret !== undefined && { seed: secret }),
  })
  const made = secret === undefined ? await access.makeProvisional() : undefined
  access.close()
  if (licence !== undefined) await makeLicence(await openLicence(engine), licence)
  await (fill ?? declineSample)(engine)
  return made
}

const PATIENCE_MS = 30_000
const TRY_EVERY_MS = 500

export interface RemoveOptions {
  /** Further folders with a folder for each client, such as those for files and backups. */
  readonly others?: readonly string[]
  /** Milliseconds that a server may take to close the store. Default 30,000. */
  readonly patienceMs?: number
}

/**
 * Removes a client: a running server closes it, then its folder is set aside. If it is interrupted, repeating it continues
 * from there.
 * @returns where its data are now
 */
export async function removeClient(
  id: string,
  folder: string,
  { others = [], patienceMs = PATIENCE_MS }: RemoveOptions = {},
): Promise<string> {
  const problem = clientIdProblem(id)
  if (problem !== undefined) throw new CommandError(problem)
  const folders = new ClientFolders(folder)
  if (!(await folders.isLeaving(id))) {
    if (!(await folders.has(id))) throw new CommandError(`There is no client ${id} in ${folder}.`)
    await folders.leave(id)
  }
  const until = Date.now() + patienceMs
  while (await isInUse(folders.storeOf(id))) {
    if (Date.now() > until) {
      throw new CommandError(
        `The client ${id} is no longer served, but its store is still in use; remove it again when no server uses it.`,
      )
    }
    await new Promise(resolve => setTimeout(resolve, TRY_EVERY_MS))
  }
  return await folders.setAside(id, others)
}

/** Whether another process has the store open; false for a store that cannot be opened at all. */
async function isInUse(store: string): Promise<boolean> {
  try {
    await (await Engine.open({ store, verify: 'structure', accept: ['DATASETS_LOST'] })).close()
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'STORE_LOCKED'
  }
}
