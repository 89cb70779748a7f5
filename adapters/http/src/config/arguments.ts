import { parseArgs } from 'node:util'
import type { Switch } from './config.ts'

export interface Arguments {
  readonly config?: string | undefined
  readonly secretFile?: string | undefined
  /** Email address for the free licence. */
  readonly licence?: string | undefined
  readonly checkConfig: boolean
  readonly empty: boolean
  /** Goes on where the store has lost datasets. */
  readonly acceptLoss: boolean
  /** Settings that are turned on. */
  readonly turnedOn: readonly Switch[]
  readonly help: boolean
}

/** An option that does not exist or lacks its value; the message says which. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}

/** @throws WrongUse */
export function readArguments(args: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        config: { type: 'string' },
        'secret-file': { type: 'string' },
        licence: { type: 'string' },
        'check-config': { type: 'boolean', default: false },
        empty: { type: 'boolean', default: false },
        'accept-loss': { type: 'boolean', default: false },
        'trust-proxy': { type: 'boolean', default: false },
        insecure: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    })
    const { config, licence, empty, help } = values
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
    }
  } catch (error) {
    throw new WrongUse(error instanceof Error ? error.message : String(error))
  }
}
