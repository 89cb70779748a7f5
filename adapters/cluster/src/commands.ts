import { FindlingError, readInput, type SingleOperation, type WriteOperation } from 'findling'
import { operationsSchema } from 'findling/schemas'
import type { Handed } from './models.ts'

/** The write of one caller: decided as a whole or, with `each`, operation by operation. */
export interface Command {
  readonly operations: readonly WriteOperation[]
  readonly each: boolean
  /** What nodes are to adopt; then there are no operations. */
  readonly adoption?: Handed
  /** Id of a comparison: nodes report their contents at this position of the log; then there are no operations. */
  readonly compare?: string
}

/**
 * Versions of the meaning of commands: a node must not apply versions that it does not know. 2 has `compare`, `prepareDataset`, and
 * `ifValue` of `put`. Nodes write the version that the log has, which is raised when all know a later one.
 */
export const versions = { oldest: 1, newest: 2, ofCompare: 2 } as const

/** FORMAT_UNSUPPORTED for operations that nodes of a log with this version may not know. */
export function refuseLater(operations: readonly WriteOperation[], version: number): void {
  if (version >= 2) return
  for (const one of operations.flatMap(singles)) {
    const isLater = one.type === 'prepareDataset' || (one.type === 'put' && one.ifValue !== undefined)
    if (isLater)
      throw new FindlingError(
        'FORMAT_UNSUPPORTED',
        `The log has commands of version ${version}, but this needs 2: upgrade the cluster once all nodes run this version.`,
        { field: 'v', received: String(version), expected: 'at least 2' },
      )
  }
}

/** An entry that only raises the version. */
export const encodeVersion = (version: number): Buffer => encodeEntry([], version)

export const encodeComparison = (id: string): string =>
  JSON.stringify({ operations: [], each: true, compare: id })

/** An adoption, encoded for the log. */
export const encodeAdoption = (adoption: Handed): string =>
  JSON.stringify({ operations: [], each: true, adoption })

/** Maximum number of documents and other items that one command may change, so that an entry has enough change numbers. */
const MOST_CHANGES = 100_000
/** Maximum length of one command, in characters. */
const MOST_TEXT = 64 * 2 ** 20

/**
 * A command, encoded for the log. INVALID_ARGUMENT for what is not an operation, and for values that JSON would change or leave out,
 * such as NaN, a Map or a function; TOO_LARGE.
 */
export function encodeCommand({ operations, each }: Command): string {
  const { text, isChanged } = jsonOf({ operations, each })
  // A toJSON method may have changed an operation.
  if (isChanged) refuseMalformed((JSON.parse(text) as Command).operations)
  const changes = operations.flatMap(singles).reduce((sum, one) => sum + changesOf(one), 0)
  if (changes > MOST_CHANGES || text.length > MOST_TEXT) {
    const message = `The write has ${changes} changes in ${text.length} characters, which is too large; split it.`
    throw new FindlingError('TOO_LARGE', message, {
      field: 'operations',
      received: `${changes} changes, ${text.length} characters`,
      expected: `at most ${MOST_CHANGES} changes and ${MOST_TEXT} characters`,
    })
  }
  return text
}

const changesOf = (operation: SingleOperation): number =>
  operation.type === 'cleanDocuments' ? operation.ids.length : 1

/** INVALID_ARGUMENT for what is not an operation. */
export function refuseMalformed(operations: readonly WriteOperation[]): void {
  const { issues } = readInput(operationsSchema, operations)
  const [first] = issues ?? []
  if (!first) return
  const { field, received, expected } = first
  const message = `operations: ${field} is ${received}; expected ${expected}`
  throw new FindlingError('INVALID_ARGUMENT', message, { what: 'operations', field, received, expected })
}

/** The single operations of which an operation consists. */
export const singles = (operation: WriteOperation): readonly SingleOperation[] =>
  operation.type === 'together' ? operation.operations : [operation]

/** @returns `isChanged`: whether a toJSON method has returned a different value */
function jsonOf(command: Command): { text: string; isChanged: boolean } {
  let isChanged = false
  try {
    const text = JSON.stringify(command, function (this: Record<string, unknown>, key, value) {
      if (value !== this[key]) isChanged = true
      return refuseOther(this, key, value)
    })
    return { text, isChanged }
  } catch (error) {
    if (error instanceof FindlingError) throw error
    // Thrown for circular values.
    throw noJson('operations', error instanceof Error ? error.message : String(error))
  }
}

/** The commands of an entry, encoded. */
export const encodeEntry = (commands: readonly string[], version: number): Buffer =>
  Buffer.from(`{"v":${version},"commands":[${commands.join(',')}]}`)

export interface Decoded {
  readonly version: number
  readonly commands: readonly Command[]
}

/**
 * FORMAT_UNSUPPORTED for an entry of a later version, STORE_CORRUPT for what is not an entry.
 * @param newest the newest known version
 */
export function decodeEntry(data: Uint8Array, position: number, newest: number): Decoded {
  const { v, commands }: { v?: unknown; commands?: unknown } = parsed(data, position)
  const isVersion = Number.isInteger(v) && (v as number) >= versions.oldest
  if (isVersion && (v as number) > newest) {
    const message = `Entry ${position} of the log has commands of version ${v}; this node knows versions up to ${newest}. Upgrade the node.`
    throw new FindlingError('FORMAT_UNSUPPORTED', message, {
      field: 'v',
      received: String(v),
      expected: `at most ${newest}`,
    })
  }
  // The engine validates the operations.
  if (!isVersion || !Array.isArray(commands) || !commands.every(isCommand)) throw unreadable(position)
  return { version: v as number, commands }
}

const isCommand = (command: unknown): command is Command =>
  typeof command === 'object' &&
  command !== null &&
  'operations' in command &&
  Array.isArray(command.operations) &&
  'each' in command &&
  typeof command.each === 'boolean' &&
  (!('adoption' in command) || isHanded(command.adoption)) &&
  (!('compare' in command) || (typeof command.compare === 'string' && /^[\w-]{1,64}$/.test(command.compare)))

const isHanded = (adoption: unknown): boolean => {
  const { what, blob } = (adoption ?? {}) as Partial<Handed>
  return typeof what === 'object' && typeof blob === 'object' && /^[0-9a-f]{64}$/.test(blob.sha256)
}

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
    `Entry ${position} of the log was not written by Findling.`,
    { field: 'position', received: String(position) },
    cause,
  )

/** @param value as its toJSON method has returned it */
function refuseOther(holder: unknown, key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw noJson(key, String(value))
  if (typeof value === 'function' || typeof value === 'bigint' || typeof value === 'symbol')
    throw noJson(key, `a ${typeof value}`)
  if (value === undefined && Array.isArray(holder)) throw noJson(key, 'undefined in a list')
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) throw noJson(key, 'an instance of a class')
  }
  return value
}

const noJson = (field: string, received: string): FindlingError =>
  new FindlingError('INVALID_ARGUMENT', `${field} is ${received}; expected a JSON value.`, {
    field,
    received,
    expected: 'a JSON value',
  })
