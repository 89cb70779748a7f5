import type { DatasetSchema, FieldSchema } from 'findling'

/**
 * Reads the cells of a CSV by the types of the dataset's fields, as the export writes them: lists are joined by `|`.
 * An empty cell that could be no text is no member; what does not fit stays text, and the dataset's rules decide.
 */
export function cellReader({ root }: Pick<DatasetSchema, 'root'>): (field: string, text: string) => unknown {
  const types = new Map(leaves(root, ''))
  return (field, text) => {
    const type = types.get(field)
    return type ? cellValue(type, text) : text
  }
}

function leaves({ properties = [] }: FieldSchema, parent: string): [path: string, type: FieldSchema][] {
  return properties.flatMap(([name, type]) =>
    type.properties ? leaves(type, `${parent}${name}.`) : [[parent + name, type]],
  )
}

function cellValue(type: FieldSchema, text: string): unknown {
  switch (type.type) {
    case 'array':
      return text === '' ? [] : text.split('|').map(part => cellValue(type.items ?? { type: 'any' }, part))
    case 'boolean':
      return text === '' ? undefined : text === 'true' || (text === 'false' ? false : text)
    case 'long':
    case 'integer':
    case 'short':
    case 'byte':
    case 'double':
    case 'float':
      return text.trim() === '' ? undefined : numberIn(text)
    default:
      return text
  }
}

/** Text that is no number, or a whole one too large to be held exactly, stays text. */
function numberIn(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value)) ? value : text
}
