import { FindlingError, type WriteOperation } from 'findling'

/** What one caller asks for: decided as one or, with `each`, one by one. */
export interface Command {
  readonly operations: readonly WriteOperation[]
  readonly each: boolean
}

/** Of the meaning of commands: what a version does not know, it must not apply. */
export const COMMANDS_VERSION = 1

/** A command as it travels. INVALID_ARGUMENT for what JSON would change or leave out, such as NaN or a function. */
export const encodeCommand = (command: Command): string => JSON.stringify(command, refuseOther)

/** The commands of an entry, encoded. */
export const encodeEntry = (commands: readonly string[]): Buffer =>
  Buffer.from(`{"v":${COMMANDS_VERSION},"commands":[${commands.join(',')}]}`)

/** FORMAT_UNSUPPORTED for an entry of another version, STORE_CORRUPT for what is none. */
export function decodeEntry(data: Uint8Array, position: number): Command[] {
  const { v, commands } = parsed(data, position) as { v?: unknown; commands?: unknown }
  if (typeof v === 'number' && v !== COMMANDS_VERSION) {
    const message = `Entry ${position} of the log has commands of version ${v}; this node knows ${COMMANDS_VERSION}. Upgrade the node.`
    throw new FindlingError('FORMAT_UNSUPPORTED', message, {
      field: 'v',
      received: String(v),
      expected: String(COMMANDS_VERSION),
    })
  }
  // What an operation is, the engine checks.
  if (v !== COMMANDS_VERSION || !Array.isArray(commands) || !commands.every(isCommand))
    throw unreadable(position)
  return commands
}

const isCommand = (command: unknown): command is Command =>
  typeof command === 'object' &&
  command !== null &&
  'operations' in command &&
  Array.isArray(command.operations) &&
  'each' in command &&
  typeof command.each === 'boolean'

function parsed(data: Uint8Array, position: number): object {
  try {
    const content = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString())
    return typeof content === 'object' && content !== null ? content : {}
  } catch (error) {
    throw unreadable(position, error)
  }
}

const unreadable = (position: number, cause?: unknown): FindlingError =>
  new FindlingError(
    'STORE_CORRUPT',
    `Entry ${position} of the log is none of Findling's.`,
    { field: 'position', received: String(position) },
    cause,
  )

const unfit: ReadonlySet<string> = new Set(['function', 'bigint', 'symbol'])

function refuseOther(key: string, value: unknown): unknown {
  const isOther = typeof value === 'number' ? !Number.isFinite(value) : unfit.has(typeof value)
  if (!isOther) return value
  const received = typeof value === 'number' ? String(value) : `a ${typeof value}`
  throw new FindlingError('INVALID_ARGUMENT', `${key} is ${received}; expected a JSON value.`, {
    field: key,
    received,
    expected: 'a JSON value',
  })
}
