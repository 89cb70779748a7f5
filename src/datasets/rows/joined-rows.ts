import { Stretch } from '../../scheduling/stretch.ts'

export type ObjectRows = AsyncIterable<object> | Iterable<object>

/** Of each piece of text, at most, unless one row has more. */
const MOST_ROWS = 500
const MOST_UNITS = 256 * 1024

/** The texts of rows, written in short stretches and joined into pieces: as wide as rows may be, pieces stay short. */
export async function* joinedRows(
  rows: ObjectRows,
  write: (row: object) => string,
  between = '',
): AsyncGenerator<string, void, void> {
  const stretch = new Stretch()
  let texts: string[] = []
  let units = 0
  for await (const row of rows) {
    const text = write(row)
    texts.push(text)
    units += text.length
    if (stretch.isOver) await stretch.pause()
    if (texts.length < MOST_ROWS && units < MOST_UNITS) continue
    yield texts.join(between)
    texts = []
    units = 0
  }
  if (texts.length > 0) yield texts.join(between)
}
