import { readFileSync } from 'node:fs'
import { type Issue, readInput } from 'findling'
import type * as z from 'zod'
import { isObject } from '../http/objects.ts'
import { exposureMistakes } from './exposure.ts'
import { filesBeside, folderMistakes } from './folders.ts'
import { leastMegabytes } from './memory-shares.ts'
import { nearestField } from './nearest-setting.ts'
import { type Setting, type SettingName, settingNames, settings, settingsSchema } from './settings.ts'

export type Config = Omit<z.output<typeof settingsSchema>, 'filesFolder'> & { filesFolder: string }

export type Environment = Readonly<Record<string, string | undefined>>

/** Where settings come from. The command line takes precedence over the environment, which takes precedence over the file. */
export interface Sources {
  readonly env: Environment
  /** Path of the configuration file; by default FINDLING_CONFIG. */
  readonly file?: string | undefined
  /** Path of a file that holds the secret and nothing else. */
  readonly secretFile?: string | undefined
  /** Settings turned on by an option of their name. */
  readonly turnedOn?: readonly Switch[]
}

/** Settings that are also options. */
export type Switch = 'trustProxy' | 'insecure'

const optionOf = { trustProxy: '--trust-proxy', insecure: '--insecure' } satisfies Record<Switch, string>

export interface Settings {
  readonly config: Config
  /** `default`, an option, a variable, or a file and the field in it. */
  readonly origins: ReadonlyMap<SettingName, string>
  /** Variables that look like settings but are not. */
  readonly unknown: readonly string[]
}

/** All mistakes in the settings, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(mistakes.join('\n'))
    this.mistakes = mistakes
  }
}

/** @throws ConfigError with all mistakes of variables and file together */
export function readConfig(env: Environment, file?: string): Config {
  return readSettings({ env, file }).config
}

interface Given {
  readonly value: unknown
  readonly origin: string
}

/** @throws ConfigError with all mistakes of variables and files together */
export function readSettings({
  env,
  file = env.FINDLING_CONFIG || undefined,
  secretFile,
  turnedOn = [],
}: Sources): Settings {
  const mistakes: string[] = []
  const given = new Map<SettingName, Given>()
  if (file !== undefined) takeFile(file, given, mistakes)
  for (const name of settingNames) {
    const { variable, read } = settings[name]
    const text = env[variable]
    // Compose files and unit files pass unset variables as empty.
    if (text !== undefined && text !== '') given.set(name, { value: read(text), origin: variable })
  }
  for (const name of turnedOn) given.set(name, { value: true, origin: optionOf[name] })
  if (secretFile !== undefined) takeSecret(secretFile, given, mistakes)
  const config = check(given, mistakes)
  const origins = new Map(settingNames.map(name => [name, given.get(name)?.origin ?? 'default']))
  return { config, origins, unknown: unknownVariables(env) }
}

function takeFile(path: string, given: Map<SettingName, Given>, mistakes: string[]): void {
  const text = readText(path, 'the configuration file', mistakes)
  if (text === undefined) return
  let fields: unknown
  try {
    fields = JSON.parse(text)
  } catch (error) {
    mistakes.push(`${path} is not JSON: ${messageOf(error)}`)
    return
  }
  if (!isObject(fields)) {
    mistakes.push(`${path} does not hold a JSON object; expected an object with settings as its fields`)
    return
  }
  for (const [field, value] of Object.entries(fields)) {
    if (isSetting(field)) given.set(field, { value, origin: `${field} in ${path}` })
    else
      mistakes.push(
        `${field} in ${path} is not a setting${nearestField(field) || `; expected one of ${settingNames.join(', ')}`}`,
      )
  }
}

function takeSecret(path: string, given: Map<SettingName, Given>, mistakes: string[]): void {
  const text = readText(path, 'the file with the secret', mistakes)
  // Editors end a file with a line break; a secret never holds one.
  if (text !== undefined) given.set('secret', { value: text.trimEnd(), origin: `--secret-file ${path}` })
}

function readText(path: string, what: string, mistakes: string[]): string | undefined {
  try {
    // Some editors begin a file with a byte order mark.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    mistakes.push(`${path} cannot be read as ${what}: ${messageOf(error)}`)
    return undefined
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function isSetting(name: string): name is SettingName {
  return Object.hasOwn(settings, name)
}

function check(given: ReadonlyMap<SettingName, Given>, mistakes: readonly string[]): Config {
  const values = Object.fromEntries([...given].map(([name, { value }]) => [name, value]))
  const read = readInput(settingsSchema, values)
  const refused = read.issues ? read.issues.map(issue => mistakeOf(issue, given)) : []
  const all = [...mistakes, ...new Set(refused)]
  if (read.issues || all.length > 0) throw new ConfigError(all)
  const { data } = read
  const together = [
    ...exposureMistakes(data),
    ...folderMistakes(data),
    ...backupMistakes(data),
    ...memoryMistakes(data),
    ...clusterMistakes(data),
  ]
  if (together.length > 0) throw new ConfigError(together)
  return { ...data, filesFolder: data.filesFolder ?? data.clientsFolder ?? filesBeside(data.store) }
}

function backupMistakes({
  backupEvery,
  backupFolder,
}: Pick<Config, 'backupEvery' | 'backupFolder'>): string[] {
  if (backupEvery === undefined || backupFolder !== undefined) return []
  return [
    `FINDLING_BACKUP_EVERY is ${JSON.stringify(backupEvery)} without FINDLING_BACKUP_FOLDER; expected both or neither`,
  ]
}

function clusterMistakes({ cluster, snapshots }: Pick<Config, 'cluster' | 'snapshots'>): string[] {
  if (cluster !== undefined || snapshots === undefined) return []
  return [
    `FINDLING_SNAPSHOTS is ${JSON.stringify(snapshots)} without FINDLING_CLUSTER; expected both or neither`,
  ]
}

function memoryMistakes({
  clientsFolder,
  memoryMb = leastMegabytes,
}: Pick<Config, 'clientsFolder' | 'memoryMb'>): string[] {
  if (clientsFolder === undefined || memoryMb >= leastMegabytes) return []
  return [
    `FINDLING_MEMORY_MB is ${memoryMb}; with FINDLING_CLIENTS, expected at least ${leastMegabytes}, for the operator, reading ` +
      'files and one client',
  ]
}

function mistakeOf({ field, received, expected }: Issue, given: ReadonlyMap<SettingName, Given>): string {
  const [top = '', ...rest] = field.split(/(?=[.[])/)
  const name = top as SettingName // the schema has no other members, and `given` holds no others
  const setting: Setting = settings[name]
  const origin = given.get(name)?.origin ?? name
  if (rest.length > 0) {
    const inside = rest.join('').replace(/^\./, '')
    // Members of `update` have their own texts; for entries of a list, the text of the setting applies.
    return `${origin}: ${inside} is ${received}; expected ${name === 'update' ? expected : setting.accepts}`
  }
  return `${origin} is ${setting.secret ? 'not accepted (its value is not shown)' : received}; expected ${setting.accepts}`
}

function unknownVariables(env: Environment): string[] {
  const known = new Set<string>(['FINDLING_CONFIG', ...settingNames.map(name => settings[name].variable)])
  return Object.keys(env).filter(variable => variable.startsWith('FINDLING_') && !known.has(variable))
}
