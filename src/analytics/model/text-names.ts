import type { Asked } from './entries.ts'
import { SEPARATOR } from './roll-up.ts'

const ASKED = `asked${SEPARATOR}`
const DROPPED = `dropped${SEPARATOR}`

/** The name of a text: for searches the text itself, for other calls the text prefixed with the kind of call. */
export const nameOfText = (text: string, call: string): string =>
  call === 'search' ? text : `${call}${SEPARATOR}${text}`

/** The names of a condition and of a dropped word. */
export const nameOfAsked = (asked: Asked): string => ASKED + asked.join(SEPARATOR)
export const nameOfDropped = (word: string): string => DROPPED + word

export const isNameOfDropped = (name: string): boolean => name.startsWith(DROPPED)

/** The text, value or word that a name stands for. */
export const textOfName = (name: string): string => name.slice(name.lastIndexOf(SEPARATOR) + 1)

/** The label under which a condition is counted, from its name; undefined for names of anything else. */
export const labelOfAsked = (name: string): string | undefined =>
  name.startsWith(ASKED) ? name.slice(ASKED.length) : undefined
