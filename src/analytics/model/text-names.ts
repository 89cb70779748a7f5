import type { Asked } from './entries.ts'
import { SEPARATOR } from './roll-up.ts'

const ASKED = `asked${SEPARATOR}`
const DROPPED = `dropped${SEPARATOR}`

/** What a text is known by: that of a search by itself, others with what they were for. */
export const nameOfText = (text: string, call: string): string =>
  call === 'search' ? text : `${call}${SEPARATOR}${text}`

/** The same of a condition, and of a word that was dropped. */
export const nameOfAsked = (asked: Asked): string => ASKED + asked.join(SEPARATOR)
export const nameOfDropped = (word: string): string => DROPPED + word

export const isNameOfDropped = (name: string): boolean => name.startsWith(DROPPED)

/** The text, value or word that a name is of. */
export const textOfName = (name: string): string => name.slice(name.lastIndexOf(SEPARATOR) + 1)

/** As a condition is counted, by the name that it is known by; undefined for what is none. */
export const labelOfAsked = (name: string): string | undefined =>
  name.startsWith(ASKED) ? name.slice(ASKED.length) : undefined
