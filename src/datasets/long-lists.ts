import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'

/**
 * Long lists of numbers, such as vectors, are stored apart from the JSON of a document: in a half to a quarter of the bytes, and
 * read in a third of the time. Where a list was, the JSON has 0. Of each there is
 *
 *   uint32        length of its path
 *   the path      names of members, as a JSON list
 *   uint8         form: decimals of 1 to 6 bytes, float32 or float64
 *   uint8         digits after the point, of decimals
 *   uint32        how many numbers
 *   the numbers   decimals as whole numbers, multiplied by a power of ten
 *
 * all little-endian. The form is the shortest that gives back the same numbers.
 */
const HEADER_BYTES = 6

/** Shorter ones gain too little; a longer one would take too long at once. */
const LEAST = 32
const MOST = 65_536

/** Objects that are entered to find lists. */
const DEEPEST = 4

const FLOAT32 = 16
const FLOAT64 = 17

/** Whole numbers below this stay exact when multiplied by a power of ten and rounded. */
const BEYOND_DECIMALS = 2 ** 47
const POWERS = Array.from({ length: 15 }, (_, digits) => 10 ** digits)

/** Members that are looked at before other work may run. */
const AT_ONCE = 4096

export interface LongList {
  readonly path: readonly string[]
  readonly values: readonly number[]
}

/** The document with 0 for each long list, which is added to `lists`; the document itself where there is none. */
export function* withoutLongLists(
  object: Readonly<JsonObject>,
  lists: LongList[],
  path: readonly string[] = [],
): Generator<void, Readonly<JsonObject>> {
  let rest: JsonObject | undefined
  let seen = 0
  for (const name of Object.keys(object)) {
    if (++seen % AT_ONCE === 0) yield
    // Setting a member of this name would set the prototype.
    if (name === '__proto__') continue
    const value = object[name]!
    const left = yield* withoutLongList(value, lists, path, name)
    if (left === value) continue
    rest ??= { ...object }
    rest[name] = left
  }
  return rest ?? object
}

function* withoutLongList(
  value: JsonValue,
  lists: LongList[],
  path: readonly string[],
  name: string,
): Generator<void, JsonValue> {
  if (Array.isArray(value)) {
    if (value.length < LEAST || value.length > MOST) return value
    yield
    // Its path is repeated: more of long names would be stored than of the numbers.
    const names = path.reduce((sum, { length }) => sum + length, name.length)
    if (names > value.length || !isListOfNumbers(value)) return value
    lists.push({ path: [...path, name], values: value })
    return 0
  }
  if (path.length >= DEEPEST || !isJsonObject(value)) return value
  return (yield* withoutLongLists(value, lists, [...path, name])) as JsonObject
}

const isListOfNumbers = (list: readonly JsonValue[]): list is number[] =>
  list.every(one => typeof one === 'number')

/** The lists as bytes, end to end. */
export function* packLongLists(lists: readonly LongList[]): Generator<void, Buffer> {
  const packed: Buffer[] = []
  for (const list of lists) {
    packed.push(packedList(list))
    yield
  }
  return packed.length === 1 ? packed[0]! : Buffer.concat(packed)
}

function packedList({ path, values }: LongList): Buffer {
  const names = JSON.stringify(path)
  const { form, digits } = formOf(values)
  const length = Buffer.byteLength(names)
  const bytes = Buffer.allocUnsafe(4 + length + HEADER_BYTES + values.length * widthOf(form))
  bytes.writeUInt32LE(length)
  let at = 4 + bytes.write(names, 4)
  at = bytes.writeUInt8(form, at)
  at = bytes.writeUInt8(digits, at)
  at = bytes.writeUInt32LE(values.length, at)
  if (form === FLOAT32) for (const value of values) at = bytes.writeFloatLE(unsigned(value), at)
  else if (form === FLOAT64) for (const value of values) at = bytes.writeDoubleLE(unsigned(value), at)
  else writeDecimals(values, { form, digits }, bytes, at)
  return bytes
}

/** JSON has no -0. */
const unsigned = (value: number): number => value + 0

function writeDecimals(
  values: readonly number[],
  { form: width, digits }: Form,
  bytes: Buffer,
  from: number,
): void {
  const power = POWERS[digits]!
  let at = from
  for (const value of values) {
    let whole = Math.round(value * power)
    for (let i = 0; i < width; i++) {
      bytes[at++] = whole & 0xff
      whole = Math.floor(whole / 256)
    }
  }
}

interface Form {
  readonly form: number
  readonly digits: number
}

const widthOf = (form: number): number => (form === FLOAT32 ? 4 : form === FLOAT64 ? 8 : form)

function formOf(values: readonly number[]): Form {
  const decimals = decimalsOf(values)
  if (decimals && decimals.form <= 4) return decimals
  if (values.every(value => Math.fround(value) === value)) return { form: FLOAT32, digits: 0 }
  return decimals ?? { form: FLOAT64, digits: 0 }
}

/** Undefined where too many digits are needed. */
function decimalsOf(values: readonly number[]): Form | undefined {
  let digits = 0
  let power = 1
  let largest = 0
  for (const value of values) {
    largest = Math.max(largest, Math.abs(value))
    while (Math.round(value * power) / power !== value) {
      if (++digits === POWERS.length) return undefined
      power = POWERS[digits]!
    }
    if (largest * power >= BEYOND_DECIMALS) return undefined
  }
  let width = 1
  while (Math.round(largest * power) >= 2 ** (8 * width - 1)) width++
  return { form: width, digits }
}

/** The lists of a packed section, each with its path as JSON. */
export function* longListsOf(section: Buffer): Generator<[path: string, numbers: number[]]> {
  for (let at = 0; at < section.byteLength; ) {
    const pathAt = at + 4
    const formAt = pathAt + section.readUInt32LE(at)
    const form = section[formAt]!
    const from = formAt + HEADER_BYTES
    at = from + section.readUInt32LE(formAt + 2) * widthOf(form)
    const numbers = section.subarray(from, at)
    yield [section.toString('utf8', pathAt, formAt), numbersIn(numbers, form, POWERS[section[formAt + 1]!]!)]
  }
}

/** Gives a document its lists, at their paths. */
export function* withLongLists(document: JsonObject, section: Buffer): Generator<void, JsonObject> {
  for (const [path, numbers] of longListsOf(section)) {
    const names = JSON.parse(path) as string[]
    const last = names.pop()!
    const holder = names.reduce((object, name) => object[name] as JsonObject, document)
    holder[last] = numbers
    yield
  }
  return document
}

function numbersIn(bytes: Buffer, form: number, power: number): number[] {
  const width = widthOf(form)
  const count = bytes.byteLength / width
  const numbers = new Array<number>(count)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (form === FLOAT32) for (let i = 0; i < count; i++) numbers[i] = view.getFloat32(4 * i, true)
  else if (form === FLOAT64) for (let i = 0; i < count; i++) numbers[i] = view.getFloat64(8 * i, true)
  else
    for (let i = 0; i < count; i++) {
      const last = width * (i + 1) - 1
      let whole = (bytes[last]! << 24) >> 24
      for (let at = last - 1; at > last - width; at--) whole = whole * 256 + bytes[at]!
      numbers[i] = whole / power
    }
  return numbers
}
