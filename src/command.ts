#!/usr/bin/env node
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { Engine } from './engine.ts'
import { examineFolder, type FolderReport, failed } from './folder-doctor.ts'
import { salvageFolder } from './folder-salvage.ts'

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
    3   no store or backup of findling, or one of another version; or the folder is not empty
    64  wrong arguments
`

const exitCodes: Record<FolderReport['outcome'], number> = {
  whole: 0,
  damaged: 1,
  unexaminable: 2,
  foreign: 3,
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { temporary: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  const [command, ...folders] = positionals
  const [one, other] = folders
  if (values.help) return told(usage, 0)
  if (values.temporary === undefined || command === 'doctor') {
    if (command === 'doctor' && one && folders.length === 1) return await doctor(one, values.temporary)
    if (command === 'verify' && one && folders.length === 1) return await verify(one)
    if (command === 'restore' && one && other && folders.length === 2) return await restore(one, other)
    if (command === 'salvage' && one && other && folders.length === 2) return await salvage(one, other)
  }
  process.stderr.write(`${mistakeIn(command, folders.filter(Boolean).length)}\n\n${usage}`)
  return 64
}

const foldersOf = new Map([
  ['doctor', 1],
  ['verify', 1],
  ['restore', 2],
])

function mistakeIn(command: string | undefined, given: number): string {
  if (command === undefined) return 'No command was given.'
  const folders = foldersOf.get(command)
  if (folders === undefined) return `There is no command ${JSON.stringify(command)}.`
  if (given !== folders)
    return `${command} takes ${folders === 1 ? 'one folder' : 'two folders'}, not ${given}.`
  return `${command} has no option --temporary.`
}

async function doctor(folder: string, temporary: string = tmpdir()): Promise<number> {
  const { outcome, messages, report } = await examineFolder(folder, temporary)
  const lines = [`${folder}: ${outcome}`, ...messages.map(message => `  ${message}`)]
  if (report) lines.push(`  ${report.datasets} datasets, ${report.documents} documents.`)
  return told(`${lines.join('\n')}\n`, exitCodes[outcome])
}

async function verify(backup: string): Promise<number> {
  return await reading(backup, async () => {
    const { madeAt, seq, entries } = await Engine.verifyBackup(backup)
    return `whole\n  Made on ${new Date(madeAt).toISOString()}, up to change ${seq}: ${entries} entries.`
  })
}

async function restore(backup: string, folder: string): Promise<number> {
  return await reading(backup, async () => {
    const { madeAt, seq } = await Engine.restore(backup, folder)
    return `restored into ${folder}\n  As of ${new Date(madeAt).toISOString()}, up to change ${seq}.`
  })
}

async function salvage(damaged: string, folder: string): Promise<number> {
  try {
    const { datasets, documents, losses, faults } = await salvageFolder(damaged, folder)
    const counts = faults ? `${datasets} datasets, ${documents} documents.` : NEEDS_MODULES
    const wrong = [...losses, ...(faults ?? []).map(({ message }) => message)]
    const more = wrong.length > MOST_TOLD ? [`... and ${wrong.length - MOST_TOLD} more.`] : []
    const lines = [counts, ...wrong.slice(0, MOST_TOLD), ...more].map(line => `  ${line}\n`)
    return told(`${damaged}: salvaged into ${folder}\n${lines.join('')}`, wrong.length > 0 ? 1 : 0)
  } catch (error) {
    return failing(damaged, error)
  }
}

const MOST_TOLD = 50
const NEEDS_MODULES =
  'Open it with its analyzers and call engine.doctor({ repair: true }), which needs these modules.'

async function reading(backup: string, work: () => Promise<string>): Promise<number> {
  try {
    return told(`${backup}: ${await work()}\n`, 0)
  } catch (error) {
    return failing(backup, error)
  }
}

function failing(folder: string, error: unknown): number {
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
