import { deepest } from '../../json.ts'

/** How the cells of a column are written. */
export const cellTypes = ['text', 'number', 'boolean', 'list', 'json'] as const
export type CellType = (typeof cellTypes)[number]

/** A column of a CSV, from its cell in the header: `size.height`, `price:number`, `\["a.b"]:text`. */
export interface CsvColumn {
  /** Names of the objects around the member, and its own. */
  readonly path: readonly string[]
  /** Undefined for plain columns, whose cells are read by what the dataset knows of the field. */
  readonly type: CellType | undefined
}

/** The column of a cell of the header; a path with an empty part, or one that is too deep, is for the caller to refuse. */
export function readColumn(header: string): CsvColumn {
  const colon = header.lastIndexOf(':')
  const type = cellTypes.find(one => one === header.slice(colon + 1))
  const name = colon > 0 && type ? header.slice(0, colon) : header
  return { path: pathOf(name), type: name === header ? undefined : type }
}

/** The cell of the header that readColumn() reads as this column. */
export function headerOf({ path, type }: CsvColumn): string {
  const name = isReadable(path) ? path.join('.') : `\\${JSON.stringify(path)}`
  return type ? `${name}:${type}` : name
}

/** In bytes. */
export const longestHeader = 4 * 1024 * 1024

/** Whether a column can go without a type: its name would not be read as having one. */
export function canBePlain(path: readonly string[]): boolean {
  return isReadable(path) && readColumn(path.join('.')).type === undefined
}

/** Any other path is written as JSON. A mark of byte order would be lost at the beginning of a file. */
function isReadable(path: readonly string[]): boolean {
  const [first = ''] = path
  if (first.startsWith('\\') || first.startsWith('\uFEFF')) return false
  return path.every(name => name !== '' && !name.includes('.') && !/\p{Surrogate}/u.test(name))
}

function pathOf(name: string): readonly string[] {
  return (name.startsWith('\\[') ? namesIn(name.slice(1)) : undefined) ?? name.split('.', deepest + 1)
}

function namesIn(json: string): string[] | undefined {
  try {
    const names: unknown = JSON.parse(json)
    const isPath = Array.isArray(names) && names.length > 0 && names.every(name => typeof name === 'string')
    return isPath ? names : undefined
  } catch {
    return undefined
  }
}
