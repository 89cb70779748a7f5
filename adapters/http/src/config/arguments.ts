import { parseArgs } from 'node:util'
import type { Switch } from './config.ts'
import { nearest } from './nearest-setting.ts'
import { settingNames, settings } from './settings.ts'

export interface Arguments {
  readonly config?: string | undefined
  readonly secretFile?: string | undefined
  /** Email address for the free licence. */
  readonly licence?: string | undefined
  readonly checkConfig: boolean
  readonly empty: boolean
  /** Starts even if the store has lost datasets. */
  readonly acceptLoss: boolean
  /** Settings that are turned on. */
  readonly turnedOn: readonly Switch[]
  readonly help: boolean
  /** The command to run instead of serving. */
  readonly command?: Command | undefined
  /** With `clients add`: loads the sample catalogue. */
  readonly sample: boolean
  /** Confirms a command that loses data. */
  readonly yes: boolean
}

export type Command = ClientsCommand | BackupCommand | ClusterCommand

/** Commands of a cluster: show its state, compare the servers' contents, switch to this version, and begin again with a store. */
export type ClusterCommand =
  | { readonly verb: 'status' }
  | { readonly verb: 'verify' }
  | { readonly verb: 'upgrade' }
  | { readonly verb: 'recover' }

export type ClientsCommand =
  | { readonly verb: 'list' }
  | { readonly verb: 'add' | 'remove'; readonly id: string }

export type BackupCommand =
  | { readonly verb: 'backup' }
  /** Without ids, everything is restored; `as`: the single one becomes this new client. */
  | { readonly verb: 'restore'; readonly ids: readonly string[]; readonly as: string | undefined }

/** An option that does not exist or lacks its value; the message says which. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}

const options = {
  config: { type: 'string' },
  'secret-file': { type: 'string' },
  licence: { type: 'string' },
  'check-config': { type: 'boolean', default: false },
  empty: { type: 'boolean', default: false },
  'accept-loss': { type: 'boolean', default: false },
  'trust-proxy': { type: 'boolean', default: false },
  insecure: { type: 'boolean', default: false },
  sample: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  as: { type: 'string' },
  help: { type: 'boolean', default: false, short: 'h' },
} as const

/** @throws WrongUse */
export function readArguments(args: readonly string[]): Arguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options,
    })
    const { config, licence, empty, sample, yes, as, help } = values
    const command = commandOf(positionals, as)
    if (sample && command?.verb !== 'add') throw new WrongUse('--sample is only for clients add')
    if (yes && command?.verb !== 'recover') throw new WrongUse('--yes is only for cluster recover')
    return {
      config,
      secretFile: values['secret-file'],
      licence,
      checkConfig: values['check-config'],
      empty,
      acceptLoss: values['accept-loss'],
      turnedOn: [
        ...(values['trust-proxy'] ? ['trustProxy' as const] : []),
        ...(values.insecure ? ['insecure' as const] : []),
      ],
      help,
      command,
      sample,
      yes,
    }
  } catch (error) {
    if (error instanceof WrongUse) throw error
    const told = error instanceof Error ? error.message : String(error)
    const [, unknown] = /^Unknown option '(-[^']*)'/.exec(told) ?? []
    throw new WrongUse(unknown === undefined ? told : `${unknown} is not an option${meant(unknown)}`)
  }
}

/** What an unknown option was probably meant to be: another option, or a setting, which is a variable. */
function meant(unknown: string): string {
  const known = new Map(Object.keys(options).map(name => [`--${name}`, `--${name}`]))
  for (const name of settingNames)
    if (!known.has(optionLike(name))) known.set(optionLike(name), `the variable ${settings[name].variable}`)
  const exact = known.get(unknown)
  if (exact !== undefined) return `; set ${exact}`
  const near = known.get(nearest(unknown, [...known.keys()]) ?? '')
  return near === undefined ? '' : `; did you mean ${near}?`
}

/** A setting as it would be spelt if it were an option: `maxRows` as `--max-rows`. */
const optionLike = (setting: string) => `--${setting.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`

function commandOf([word, ...more]: readonly string[], as: string | undefined): Command | undefined {
  if (as !== undefined && !(word === 'restore' && more.length === 1))
    throw new WrongUse('--as is only for restore <id>')
  if (word === undefined) return undefined
  if (word === 'clients') return clientsCommand(more)
  if (word === 'restore') return { verb: word, ids: more, as }
  if (word === 'cluster') {
    const [verb, ...others] = more
    const known = clusterVerbs.find(one => one === verb)
    if (known && others.length === 0) return { verb: known }
    throw new WrongUse(`cluster takes one of: ${clusterVerbs.join(', ')}`)
  }
  if (word !== 'backup')
    throw new WrongUse(
      `${JSON.stringify(word)} is not a command; expected backup, restore, clients, cluster or none`,
    )
  if (more.length > 0) throw new WrongUse('backup takes no arguments: it backs up everything')
  return { verb: word }
}

const clusterVerbs = ['status', 'verify', 'upgrade', 'recover'] as const

function clientsCommand([verb, id, ...more]: readonly string[]): ClientsCommand {
  if (verb === 'list' && id === undefined) return { verb }
  if ((verb === 'add' || verb === 'remove') && id !== undefined && more.length === 0) return { verb, id }
  throw new WrongUse('clients takes one of: list, add <id>, remove <id>')
}
