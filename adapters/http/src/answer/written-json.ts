import { Stretch } from '../http/stretch.ts'

/** Levels of lists and objects written piece by piece; anything deeper is part of a row or hit. */
const LEVELS = 4

/** UTF-16 units of text after which the clock is checked. */
const PIECE = 65_536

/** The JSON.stringify() text of an answer; if long, its bytes in pieces, written in short stretches. */
export async function writtenJson(value: unknown): Promise<string | Uint8Array[]> {
  const stretch = new Stretch()
  const written: Uint8Array[] = []
  let text = ''
  for (const piece of piecesOf(value, LEVELS)) {
    text += piece
    if (text.length < PIECE) continue
    written.push(Buffer.from(text))
    text = ''
    if (stretch.isOver) await stretch.pause()
  }
  if (written.length === 0) return text
  written.push(Buffer.from(text))
  return written
}

function* piecesOf(value: unknown, levels: number): Generator<string> {
  if (levels > 0 && Array.isArray(value)) yield* listPieces(value, levels - 1)
  else if (levels > 0 && hasList(value)) yield* objectPieces(value, levels - 1)
  // A value that JSON cannot represent becomes null in a list; such members of objects have been left out already.
  else yield JSON.stringify(value) ?? 'null'
}

/** Whether a value is an object that may be long, that is, contains a list. */
function hasList(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false
  for (const name in value) if (Array.isArray(value[name as keyof typeof value])) return true
  return false
}

function* listPieces(list: readonly unknown[], levels: number): Generator<string> {
  let sign = '['
  for (const one of list) {
    yield sign
    yield* piecesOf(one, levels)
    sign = ','
  }
  yield list.length === 0 ? '[]' : ']'
}

function* objectPieces(object: object, levels: number): Generator<string> {
  let sign = '{'
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue
    yield `${sign}${JSON.stringify(name)}:`
    yield* piecesOf(member, levels)
    sign = ','
  }
  yield sign === '{' ? '{}' : '}'
}
