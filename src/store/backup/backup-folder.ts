import { readdir, realpath, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { readChecked, syncFolderOf, writeChecked } from '../checked-file.ts'
import { assertApart } from '../enclosing-folder.ts'
import { assertNothingForeign, makeFolder } from '../folder.ts'
import { type Claim, claim } from '../open-folders.ts'
import { layerSchema } from './layer.ts'

/**
 * A folder of one backup:
 *
 *   findling.backup   what belongs to it; replaced whole, so that a crash leaves the backup before or this
 *   layer-<number>    entries: the first layer all of them, those above what has changed since
 *
 * Layers that findling.backup does not name are left over, and removed by the next backup.
 */
const BACKUP_FILE = 'findling.backup'
export const BACKUP_VERSION = 1

const versionSchema = z.looseObject({ format: z.literal('findling-backup'), version: z.number() })
const catalogueSchema = z.object({
  format: z.literal('findling-backup'),
  version: z.literal(BACKUP_VERSION),
  madeAt: z.number(),
  /** Number of the newest change in it. */
  seq: z.int().nonnegative(),
  entries: z.int().nonnegative(),
  /** Total size of all keys and values. */
  bytes: z.int().nonnegative(),
  /** A text given by whoever made it. */
  note: z.string().optional(),
  /** The lowest first. */
  layers: z.array(layerSchema).min(1),
})
export type Catalogue = z.output<typeof catalogueSchema>

const OURS = /^(findling\.backup(\.new)?|layer-\d{6,15})$/
const UNIMPORTANT = /^(\..*|lost\+found)$/

/** Claims the folder for one backup, and creates it if it does not exist. STORE_LOCKED, STORE_UNSUPPORTED. */
export async function claimBackupFolder(folder: string): Promise<Claim & { path: string }> {
  await assertApart(resolve(folder), folder)
  await makeFolder(resolve(folder), 'backup')
  const path = await realpath(folder)
  const { release } = claim(path, '', folder)
  try {
    const foreign = (await readdir(path)).filter(name => !OURS.test(name) && !UNIMPORTANT.test(name))
    const expected = 'a backup of Findling, an empty folder or a new one'
    assertNothingForeign(folder, foreign, { field: 'folder', expected })
    return { path, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Undefined if there is no backup; `damaged` if there is one that can no longer be used. */
export async function readCatalogue(path: string): Promise<Catalogue | 'damaged' | undefined> {
  const file = await readChecked(join(path, BACKUP_FILE))
  if (file === undefined || file === 'damaged') return file
  const content: unknown = JSON.parse(file.content)
  const version = versionSchema.safeParse(content).data?.version
  if (version !== undefined && version !== BACKUP_VERSION) {
    throw new FindlingError(
      'FORMAT_UNSUPPORTED',
      `The backup (${path}) has format version ${version}; this version of Findling reads ${BACKUP_VERSION}. Use the version that wrote it, or a newer one.`,
      { field: 'folder', received: String(version), expected: String(BACKUP_VERSION) },
    )
  }
  return catalogueSchema.safeParse(content).data ?? 'damaged'
}

/** The same for a folder that must have a backup. STORE_UNSUPPORTED, STORE_CORRUPT. */
export async function existingCatalogue(folder: string): Promise<Catalogue> {
  const catalogue = await usableCatalogue(folder)
  if (catalogue) return catalogue
  throw new FindlingError(
    'STORE_UNSUPPORTED',
    `There is no finished backup in ${folder}: it has no file ${BACKUP_FILE}.`,
    { field: 'folder', received: folder, expected: 'a folder that engine.backup() has written' },
  )
}

/** Undefined if there is no backup; STORE_CORRUPT. */
export async function usableCatalogue(folder: string): Promise<Catalogue | undefined> {
  const catalogue = await readCatalogue(folder)
  if (catalogue !== 'damaged') return catalogue
  throw new FindlingError(
    'STORE_CORRUPT',
    `The backup in ${folder} is damaged: its file ${BACKUP_FILE}, which lists its contents, cannot be read.`,
    { field: 'folder', received: folder },
  )
}

/** Makes this the backup; files that only the previous one had are removed. */
export async function replaceCatalogue(path: string, catalogue: Catalogue): Promise<void> {
  await writeChecked(join(path, BACKUP_FILE), JSON.stringify(catalogue))
  await syncFolderOf(join(path, BACKUP_FILE))
  await removeLeftOver(path, catalogue)
}

/** Removes layers that the backup does not name. */
export async function removeLeftOver(path: string, catalogue: Catalogue | undefined): Promise<void> {
  const named = new Set(catalogue?.layers.map(({ file }) => file))
  for (const name of await layersIn(path)) if (!named.has(name)) await rm(join(path, name), { force: true })
}

/** A name above those of all existing layers. */
export async function nextLayer(path: string): Promise<string> {
  const numbers = (await layersIn(path)).map(name => Number(name.slice('layer-'.length)))
  return `layer-${String(Math.max(0, ...numbers) + 1).padStart(6, '0')}`
}

const layersIn = async (path: string): Promise<string[]> =>
  (await readdir(path)).filter(name => name.startsWith('layer-') && OURS.test(name))
