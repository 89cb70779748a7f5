import { type FieldSchema, type FieldType, fieldAt, isWhole } from '../schema/schema.ts'

/** Reads CSV cells by the types of their fields: numbers and booleans, undefined where such a cell is empty, else text. */
export function cellReader(root: FieldSchema): (field: string, text: string) => unknown {
  const types = new Map<string, FieldType | undefined>()
  return (field, text) => {
    if (!types.has(field)) types.set(field, fieldAt(root, field)?.type)
    return cellValue(types.get(field), text)
  }
}

/** What does not fit its type stays text, for the dataset's rules to take or refuse. */
function cellValue(type: FieldType | undefined, text: string): unknown {
  if (type === 'boolean') return text === '' ? undefined : (booleans.get(text) ?? text)
  if (type !== 'double' && type !== 'float' && (!type || !isWhole(type))) return text
  return text === '' ? undefined : (exactNumber(text) ?? text)
}

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/** Undefined where the text is no decimal number, or one that a double does not hold. */
function exactNumber(text: string): number | undefined {
  if (!/^[-+.\deE]+$/.test(text)) return undefined
  const number = Number(text)
  const isExact = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number)
  return isExact ? number : undefined
}
