import { parseJson } from '../../json-text.ts'

/** Of which each vector has fewer signs, and which is parsed in no time. */
const longestList = 2 ** 18

/** A list of numbers in brackets, as vectors are written; undefined where a text is none. */
export function numberListIn(given: string): number[] | undefined {
  const text = given.length <= longestList ? given.trim() : ''
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined
  try {
    const list = parseJson(text)
    return Array.isArray(list) && list.length > 1 && list.every(Number.isFinite) ? list : undefined
  } catch {
    return undefined
  }
}
