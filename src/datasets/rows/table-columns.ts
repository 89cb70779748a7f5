import { FindlingError } from '../../errors.ts'
import { describeValue } from '../../input.ts'
import { deepest } from '../../json.ts'
import { didYouMean } from '../../nearest-name.ts'
import { type CheckedColumns, type ColumnType, columnTypes, type ImportColumn } from './column-options.ts'
import { type CellType, readColumn } from './csv-columns.ts'
import { invalidRow } from './row.ts'

/** A column of a table: where its cells go, and what is said of them. */
export interface TableColumn {
  /** As the header names it. */
  readonly name: string
  readonly path: readonly string[]
  /** As the header says after a colon: cells are as an export writes them. */
  readonly exact: CellType | undefined
  /** As `columns` says, undefined where it leaves that open. */
  readonly given: Omit<ImportColumn, 'field'> | undefined
  /** Whether `columns` says where it goes. */
  readonly isMapped: boolean
}

interface ColumnsAsked {
  readonly columns?: CheckedColumns | undefined
  readonly guess?: boolean | undefined
}

/**
 * The columns of a header; undefined for those that are left out.
 * @throws FindlingError INVALID_ROW, and INVALID_ARGUMENT for a name in `columns` that the header has not
 */
export function* tableColumns(
  header: readonly string[],
  line: number,
  { columns: asked = new Map(), guess = false }: ColumnsAsked,
): Generator<void, (TableColumn | undefined)[]> {
  const mapped = new Map([...asked].map(([name, how]) => [name.trim(), how]))
  const columns: (TableColumn | undefined)[] = []
  const names = new Set<string>()
  for (const name of header) {
    names.add(name.trim())
    columns.push(name === '' ? undefined : tableColumn(name, mapped.get(name.trim()), guess))
    yield
  }
  for (const name of mapped.keys()) if (!names.has(name)) throw noColumn(name, [...names])
  yield* refuseConflicts(columns, line)
  return columns
}

function tableColumn(
  name: string,
  how: string | ImportColumn | null | undefined,
  guess: boolean,
): TableColumn | undefined {
  if (how === null) return undefined
  if (how === undefined) {
    const { path, type } = guess ? likelyColumn(name) : readColumn(name)
    return { name, path, exact: type, given: undefined, isMapped: false }
  }
  if (typeof how === 'string') {
    const { name: field, type } = typed(how)
    return { name, path: readColumn(field).path, exact: undefined, given: type && { type }, isMapped: true }
  }
  const { field, type, format, separator } = how
  const { path, type: exact } = readColumn(name)
  const own = field === undefined ? path : readColumn(`${field}:text`).path
  const given = type && { type, format, separator }
  const isMapped = field !== undefined
  return { name, path: own, exact: isMapped || type ? undefined : exact, given, isMapped }
}

/** `Art. Nr.` is no object with members: a name whose dots lead nowhere goes without them. */
function likelyColumn(name: string): { path: readonly string[]; type?: CellType | undefined } {
  const column = readColumn(name)
  if (column.path.every(part => part !== '' && part === part.trim())) return column
  return { path: [name.replaceAll('.', '').trim() || name] }
}

/** `price:number`: a field, and what its cells are. */
function typed(text: string): { name: string; type: ColumnType | undefined } {
  const colon = text.lastIndexOf(':')
  const type = colon > 0 ? columnTypes.find(one => one === text.slice(colon + 1)) : undefined
  // Behind a colon, so that no part of the name is taken for a type once more.
  return { name: `${type ? text.slice(0, colon) : text}:text`, type }
}

function noColumn(name: string, names: readonly string[]): FindlingError {
  const received = describeValue(name)
  const near = didYouMean(name, names.slice(0, 1000))
  const listed = names.slice(0, 30).map(describeValue).join(', ')
  const expected = `a column of the header${near}: ${listed}${names.length > 30 ? ', …' : ''}`
  return new FindlingError('INVALID_ARGUMENT', `columns names ${received}; expected ${expected}`, {
    field: 'columns',
    received,
    expected,
  })
}

/** A member of the rows, with those inside it. */
interface Member {
  column: TableColumn | undefined
  readonly inside: Map<string, Member>
}

const newMember = (): Member => ({ column: undefined, inside: new Map() })

function* refuseConflicts(
  columns: readonly (TableColumn | undefined)[],
  line: number,
): Generator<void, void> {
  const root = newMember()
  for (const column of columns) {
    if (!column) continue
    yield
    const { name, path } = column
    if (path.length > deepest) {
      throw invalidRow(
        line,
        `names a column ${describeValue(name)} that is nested deeper than ${deepest} levels`,
      )
    }
    if (!name.startsWith('\\') && path.includes('')) {
      throw invalidRow(
        line,
        `names a column ${describeValue(name)} with an empty part; rename it with the option columns`,
      )
    }
    const member = path.reduce(memberIn, root)
    if (member.column) throw invalidRow(line, `names the column ${describeValue(name)} twice`)
    member.column = column
  }
  for (const column of columns) {
    if (!column) continue
    yield
    refuseParents(column, root, line)
  }
}

function memberIn({ inside }: Member, name: string): Member {
  const member = inside.get(name) ?? newMember()
  inside.set(name, member)
  return member
}

function refuseParents({ name, path }: TableColumn, root: Member, line: number): void {
  let member = root
  for (const part of path.slice(0, -1)) {
    member = memberIn(member, part)
    // The cells of a typed column may be empty, and the object then stands in the others.
    if (!member.column || member.column.exact || member.column.given) continue
    const both = `${describeValue(member.column.name)} and ${describeValue(name)}`
    throw invalidRow(line, `names the columns ${both}, but a member cannot be both a value and an object`)
  }
}
