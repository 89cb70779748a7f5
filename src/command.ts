#!/usr/bin/env node
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import type { FolderReport } from './folder-doctor.ts'

const usage = `findling doctor <folder> [--temporary <folder>]
    Examines a store without changing it. It works on a copy, in which tables are hard links where the
    file system supports them; --temporary sets its folder (default: the system's temporary folder).
findling verify <backup>
    Compares a backup with its checksums.
findling restore <backup> <folder>
    Restores a backup as a store in an empty or new folder.
findling salvage <folder> <new folder>
    Writes what can still be read of a damaged store into an empty or new folder and repairs that, for
    when there is no backup. It changes nothing in the damaged one.

Exit codes
    0   done, and nothing is wrong
    1   damaged; something is lost
    2   cannot be examined, read or written, or is in use
    3   no store or backup of Findling, or one of another version; or the folder is not empty
    64  wrong arguments
`

const exitCodes: Record<FolderReport['outcome'], number> = {
  whole: 0,
  damaged: 1,
  unexaminable: 2,
  foreign: 3,
}

/** Loads the engine only for what needs it: the usage is shown at once. */
async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { temporary: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  const [name, ...folders] = positionals
  if (values.help) return told(usage, 0)
  const command = name === undefined ? undefined : commands.get(name)
  const mistake = mistakeIn(name, command, folders.filter(Boolean).length, values.temporary)
  if (command && mistake === undefined) return await command.run(folders, values.temporary)
  process.stderr.write(`${mistake}\n\n${usage}`)
  return 64
}

interface Command {
  readonly folders: 1 | 2
  /** Whether it has the option `--temporary`. */
  readonly copies?: boolean
  run(folders: readonly string[], temporary: string | undefined): Promise<number>
}

const commands = new Map<string, Command>([
  ['doctor', { folders: 1, copies: true, run: ([one], temporary) => doctor(one!, temporary) }],
  ['verify', { folders: 1, run: ([one]) => verify(one!) }],
  ['restore', { folders: 2, run: ([one, other]) => restore(one!, other!) }],
  ['salvage', { folders: 2, run: ([one, other]) => salvage(one!, other!) }],
])

function mistakeIn(
  name: string | undefined,
  command: Command | undefined,
  given: number,
  temporary: string | undefined,
): string | undefined {
  if (name === undefined) return 'No command was given.'
  if (!command) return `There is no command ${JSON.stringify(name)}.`
  if (given !== command.folders)
    return `${name} takes ${command.folders === 1 ? 'one folder' : 'two folders'}, not ${given}.`
  if (temporary !== undefined && !command.copies) return `${name} has no option --temporary.`
  return undefined
}

async function doctor(folder: string, temporary: string = tmpdir()): Promise<number> {
  const { examineFolder } = await import('./folder-doctor.ts')
  const { outcome, messages, report } = await examineFolder(folder, temporary)
  const lines = [`${folder}: ${outcome}`, ...messages.map(message => `  ${message}`)]
  if (report) lines.push(`  ${report.datasets} datasets, ${report.documents} documents.`)
  return told(`${lines.join('\n')}\n`, exitCodes[outcome])
}

async function verify(backup: string): Promise<number> {
  return await reading(backup, async () => {
    const { Engine } = await import('./engine.ts')
    const { madeAt, seq, entries } = await Engine.verifyBackup(backup)
    return `whole\n  Made on ${new Date(madeAt).toISOString()}, up to change ${seq}: ${entries} entries.`
  })
}

async function restore(backup: string, folder: string): Promise<number> {
  return await reading(backup, async () => {
    const { Engine } = await import('./engine.ts')
    const { madeAt, seq } = await Engine.restore(backup, folder)
    return `restored into ${folder}\n  As of ${new Date(madeAt).toISOString()}, up to change ${seq}.`
  })
}

async function salvage(damaged: string, folder: string): Promise<number> {
  try {
    const { salvageFolder } = await import('./folder-salvage.ts')
    const { datasets, documents, losses, faults } = await salvageFolder(damaged, folder)
    const counts = faults ? `${datasets} datasets, ${documents} documents.` : NEEDS_MODULES
    const wrong = [...losses, ...(faults ?? []).map(({ message }) => message)]
    const more = wrong.length > MOST_TOLD ? [`... and ${wrong.length - MOST_TOLD} more.`] : []
    const lines = [counts, ...wrong.slice(0, MOST_TOLD), ...more].map(line => `  ${line}\n`)
    return told(`${damaged}: salvaged into ${folder}\n${lines.join('')}`, wrong.length > 0 ? 1 : 0)
  } catch (error) {
    return await failing(damaged, error)
  }
}

const MOST_TOLD = 50
const NEEDS_MODULES =
  'Open it with its analyzers and call engine.doctor({ repair: true }), which needs these modules.'

async function reading(backup: string, work: () => Promise<string>): Promise<number> {
  try {
    return told(`${backup}: ${await work()}\n`, 0)
  } catch (error) {
    return await failing(backup, error)
  }
}

async function failing(folder: string, error: unknown): Promise<number> {
  const { failed } = await import('./folder-doctor.ts')
  const { outcome, messages } = failed(error)
  return told(`${folder}: ${messages.join('\n')}\n`, exitCodes[outcome])
}

function told(text: string, code: number): number {
  process.stdout.write(text)
  return code
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof TypeError)) throw error
  // Of parseArgs, which knows the options.
  process.stderr.write(`${error.message}\n\n${usage}`)
  process.exitCode = 64
}
