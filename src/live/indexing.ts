import { analyzerIdentity, loadAnalyzer } from '../analysis/analyzer.ts'
import { type ColumnReader, compileColumns } from '../datasets/field-values.ts'
import type { DatasetSettings, SignalSetting } from '../datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import { fieldTexts } from '../datasets/validation.ts'
import type { IndexOptions } from '../fulltext/fulltext-index.ts'
import type { IndexConstants } from '../fulltext/index-constants.ts'
import type { Signal } from '../fulltext/ranking/signal-factors.ts'
import type { FieldText } from '../fulltext/segments/token-list.ts'
import type { JsonObject } from '../json.ts'

/** Incremented when stored indexes of the previous version must not be loaded. */
const INDEX_VERSION = 10

const DAY = 86_400_000

/** What an index reads from a document: a text per field, and the values of its columns. */
export interface DocumentReader {
  texts(document: Readonly<JsonObject>): readonly FieldText[]
  readonly columns: ColumnReader
}

/** @param root what the dataset's schema knows of its fields */
export function documentReader(settings: DatasetSettings, root: FieldSchema): DocumentReader {
  return {
    texts: document => fieldTexts(document, settings.interpretedFields, { root, markup: settings.markup }),
    columns: compileColumns(settings, root),
  }
}

/** Number of typical documents that are made searchable together: fewer would make more segments, merged more often. */
const TAIL_DOCUMENTS = 8192

/**
 * ANALYZER_FAILED
 * @param constants the given constants, if any
 */
export async function indexOptions(
  settings: DatasetSettings,
  constants?: IndexConstants,
): Promise<IndexOptions> {
  const { interpretedFields, weights, signals } = settings
  return {
    analyzer: await loadAnalyzer(settings.language, settings.analyzer),
    tailDocuments: TAIL_DOCUMENTS,
    fields: interpretedFields.map(field => weights[field]!),
    signals: Object.entries(signals).map(signalOf),
    constants,
  }
}

function signalOf([column, setting]: [path: string, setting: SignalSetting]): Signal {
  if ('pivot' in setting) return { kind: 'saturation', column, ...setting }
  return { kind: 'recency', column, halfLife: setting.halfLifeDays * DAY, boost: setting.boost }
}

/** Identifies what an index depends on besides the documents: if the fingerprint differs, the index has to be rebuilt. */
export function fingerprint(settings: DatasetSettings): string {
  return JSON.stringify([...form(settings), process.versions.unicode])
}

/** Whether an index with this fingerprint can be loaded under these settings; its words may follow another version of Unicode. */
export function isLoadable(stored: string, settings: DatasetSettings): boolean {
  const wanted = JSON.stringify(form(settings))
  return stored.startsWith(`${wanted.slice(0, -1)},`)
}

function form(settings: DatasetSettings): unknown[] {
  const { interpretedFields, weights, signals, vectors, markup } = settings
  const { name, version } = analyzerIdentity(settings.language, settings.analyzer)
  const fields = interpretedFields.map(field => [field, weights[field]])
  // Vectors have no columns.
  const without = vectors ? [Object.keys(vectors)] : []
  return [INDEX_VERSION, name, version, fields, Object.entries(signals), ...without, markup]
}
