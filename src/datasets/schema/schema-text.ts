import { invalid, problem } from '../../input.ts'
import { type JsonObject, toJsonObject } from '../../json.ts'

/** A sample or schema may be given as an object or as text holding one. */
export function objectOf(given: unknown, what: string): JsonObject {
  return toJsonObject(typeof given === 'string' ? parseText(given, what) : given, what, 'INVALID_ARGUMENT')
}

function parseText(text: string, what: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
  } catch (cause) {
    const issue = problem(what, text, 'an object or text holding one as JSON')
    throw invalid('INVALID_ARGUMENT', '', [issue], cause)
  }
}
