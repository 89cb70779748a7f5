import type { Vocabulary } from '../dictionary/vocabulary.ts'

/** Consecutive terms, and consecutive forms of these and earlier terms: their numbers, and their UTF-16 units. */
export interface ChunkShape {
  readonly terms: number
  readonly units: number
  readonly forms: number
  readonly formUnits: number
}

/** Number of terms or forms read without a pause. */
const PIECE = 4096

export function chunkBytes({ terms, units, forms, formUnits }: ChunkShape): number {
  return 4 * (terms + forms) + 2 * (terms + units + forms + formUnits)
}

/** The terms and forms from these numbers on, as bytes. */
export function writeChunk(
  { terms, links, forms }: Vocabulary,
  first: number,
  firstForm: number,
): { shape: ChunkShape; bytes: Uint8Array } {
  const shape = {
    terms: terms.size - first,
    units: terms.starts[terms.size]! - terms.starts[first]!,
    forms: forms.size - firstForm,
    formUnits: forms.starts[forms.size]! - forms.starts[firstForm]!,
  }
  const bytes = new Uint8Array(chunkBytes(shape))
  const view = chunkView(bytes, shape)
  for (let id = first; id < terms.size; id++) {
    view.links[id - first] = linkBackwards(id, links[id]!)
    view.lengths[id - first] = terms.length(id)
  }
  view.units.set(terms.units.subarray(terms.starts[first], terms.starts[terms.size]))
  for (let form = firstForm; form < forms.size; form++) {
    view.formTerms[form - firstForm] = forms.terms[form]!
    view.formLengths[form - firstForm] = forms.starts[form + 1]! - forms.starts[form]!
  }
  view.formUnits.set(forms.units.subarray(forms.starts[firstForm], forms.starts[forms.size]))
  return { shape, bytes }
}

// Of two linked terms the later one stores the link: a chunk is never changed by later ones.
function linkBackwards(id: number, link: number): number {
  return link > id ? 0 : link
}

/**
 * Appends, piece by piece, what `writeChunk` wrote, for which there must be room; false if the bytes contradict the
 * vocabulary or themselves.
 */
export function* readChunk(
  vocabulary: Vocabulary,
  shape: ChunkShape,
  bytes: Uint8Array,
): Generator<void, boolean> {
  const view = chunkView(bytes, shape)
  let at = 0
  for (let first = 0; first < shape.terms && at >= 0; first += PIECE) {
    at = readTerms(vocabulary, view, first, at)
    yield
  }
  if (at !== shape.units) return false
  at = 0
  for (let first = 0; first < shape.forms && at >= 0; first += PIECE) {
    at = readForms(vocabulary, view, first, at)
    yield
  }
  return at === shape.formUnits
}

/** Reads terms from the given one on, whose units begin at `at`; returns where those of the next begin, or -1. */
function readTerms(
  vocabulary: Vocabulary,
  { links, lengths, units }: ChunkView,
  first: number,
  at: number,
): number {
  const some = lengths.subarray(first, first + PIECE)
  if (at + some.reduce((sum, length) => sum + length, 0) > units.length) return -1
  return vocabulary.restore(units, at, some, links.subarray(first, first + PIECE))
}

/** The same for forms. */
function readForms(
  { forms, terms }: Vocabulary,
  { formTerms, formLengths, formUnits }: ChunkView,
  first: number,
  at: number,
): number {
  const last = Math.min(first + PIECE, formTerms.length)
  for (let form = first; form < last; form++) {
    const end = at + formLengths[form]!
    if (end > formUnits.length || formTerms[form]! >= terms.size) return -1
    if (!forms.restore(formTerms[form]!, formUnits, at, end)) return -1
    at = end
  }
  return at
}

type ChunkView = ReturnType<typeof chunkView>

function chunkView(
  { buffer, byteOffset }: Uint8Array,
  { terms, units, forms, formUnits: unitsOfForms }: ChunkShape,
) {
  const [links, formTerms] = [byteOffset, byteOffset + 4 * terms]
  const lengths = formTerms + 4 * forms
  const texts = lengths + 2 * (terms + forms)
  return {
    links: new Uint32Array(buffer, links, terms),
    formTerms: new Uint32Array(buffer, formTerms, forms),
    lengths: new Uint16Array(buffer, lengths, terms),
    formLengths: new Uint16Array(buffer, lengths + 2 * terms, forms),
    units: new Uint16Array(buffer, texts, units),
    formUnits: new Uint16Array(buffer, texts + 2 * units, unitsOfForms),
  }
}
