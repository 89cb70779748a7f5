import { contentKindOf } from '../../datasets/content/field-content.ts'
import { readNumber } from '../../datasets/content/number-text.ts'
import type { TextPattern } from './profile.ts'

/** The pattern of a text. */
export function patternOf(text: string): TextPattern {
  if (text.trim() === '') return 'blank'
  if (text.length > 200) return hasMarkup(text) ? 'markup' : 'words'
  switch (contentKindOf(text)) {
    case 'address':
      return text.includes('@') && !text.includes('/') ? 'email' : 'url'
    case 'date':
      return 'date'
    case 'whole':
      return isArticleNumber(text.trim()) ? 'ean' : 'number'
    case 'decimal':
      return readNumber(text)?.currency ? 'price' : 'number'
    case 'code':
      return 'code'
    default:
      return hasMarkup(text) ? 'markup' : 'words'
  }
}

/** Number of leading units of a text that are searched for markup. */
const LOOKED_THROUGH = 10_000

/** Whether it contains an HTML tag or entity. */
function hasMarkup(given: string): boolean {
  const text = given.slice(0, LOOKED_THROUGH)
  const tag = text.indexOf('<')
  if (tag >= 0 && /<\/?[a-z][a-z0-9]{0,15}[\s/>]/i.test(text)) return true
  return text.includes('&') && /&(?:[a-z]{2,8}|#\d{1,6});/i.test(text)
}

const digitsOfNumbers = new Set([8, 12, 13, 14])

/** Digits only, as many as article numbers have (GS1 General Specifications, section 7.9: EAN-8, UPC, EAN-13, GTIN-14). */
export const isArticleNumber = (text: string): boolean =>
  digitsOfNumbers.has(text.length) && /^\d+$/.test(text)

/** Whether the last digit is the check digit of the others, every second of which, from the right, weighs three. */
export function hasCheckDigit(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length - 1; i++)
    sum += Number(digits[digits.length - 2 - i]) * (i % 2 === 0 ? 3 : 1)
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1))
}
