import type { Check } from './check.ts'
import { apostrophesAndPlurals } from './checks/apostrophes-and-plurals.ts'
import { brandAndType } from './checks/brand-and-type.ts'
import { codes } from './checks/codes.ts'
import { compoundParts } from './checks/compounds.ts'
import { exclusionAndPhrases } from './checks/exclusion-and-phrases.ts'
import { markup } from './checks/markup.ts'
import { nothingToFind } from './checks/nothing-to-find.ts'
import { numbersAsWritten } from './checks/numbers-as-written.ts'
import { productWords } from './checks/product-words.ts'
import { writingSystems } from './checks/scripts.ts'
import { sentences } from './checks/sentences.ts'
import { sharedMisspellings } from './checks/shared-misspellings.ts'
import { splitAndJoined } from './checks/split-and-joined.ts'
import { unitsAndNumbers } from './checks/units-and-numbers.ts'
import { unknownMisspellings } from './checks/unknown-misspellings.ts'
import { whileTyping } from './checks/while-typing.ts'

/** All checks by class, the class in the words of the tables. */
export const checksByClass = {
  'misspelling that one or two documents share': sharedMisspellings,
  'misspelling that none has': unknownMisspellings,
  'split and joined words': splitAndJoined,
  'apostrophes and plurals': apostrophesAndPlurals,
  'part numbers and codes': codes,
  'units and numbers': unitsAndNumbers,
  'whole sentences': sentences,
  'product words': productWords,
  'brand and type': brandAndType,
  'while typing': whileTyping,
  scripts: writingSystems,
  'exclusion and phrases': exclusionAndPhrases,
  'nothing to find': nothingToFind,
  'parts of compounds': compoundParts,
  'numbers as a language writes them': numbersAsWritten,
  markup,
} as const satisfies Readonly<Record<string, readonly Check[]>>

export type CheckClass = keyof typeof checksByClass

export const checkClasses = Object.keys(checksByClass) as CheckClass[] // of an object literal
