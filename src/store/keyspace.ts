import { type DatasetNumber, datasetOfHex, hexOfDataset } from './dataset-number.ts'

/**
 * Which key holds what. All keys are UTF-8 text, compared by bytes; all values are sealed (checksum.ts).
 *
 *   format                          { format: 'findling', version }      format.ts
 *   manifest                        the datasets, their settings and the generations in use
 *   checkpoint                      sequence number and counts of a moment; journal entries after it complete them
 *   incidents                       damage noticed at an open and not yet looked into by the doctor
 *   j/<seq>                         journal: one entry per commit since the checkpoint, a chain without gaps
 *   d/<dataset>/<id>                a document: sequence number, modification time, JSON
 *   l/<dataset>/<seq>               change log: the newest change of each document, and removals
 *   t/<dataset>/<tag id>            a tag
 *   x/<dataset>/<generation>/...    an index generation, in values of 64 KB
 *   m/<service id>/<generation>/... the model of a service, in values of 64 KB
 *   c/<dataset>/<generation>/...    a classifier, in values of 64 KB
 *   g/<dataset>/<generation>/...    what tells the categories of queries, in values of 64 KB
 *   r/<dataset>/<generation>/...    ranking constants that were adopted, in values of 64 KB
 *   q/<dataset>/latest              the last profile of the documents
 *   a/<dataset>/b/<number>          calls and what was done with their answers, in blocks; the number of the first
 *   a/<dataset>/e/<number>          what was done with the answer of a call
 *   a/<dataset>/h/<time>/<section>  the same rolled up by hour, under the time at which it begins
 *   a/<dataset>/d/<time>/<section>  by day
 *   a/<dataset>/s, a/<dataset>/q    how far that is, and which texts are known
 *   a/-salt                         what users are hashed with
 *   p/<job id>                      a job's state
 *   n/<namespace>/<key>             values of the embedding program
 *
 * In a folder the files findling.seq (high-water.ts) and findling.checked (checked-tables.ts) lie beside LevelDB's own, findling.open
 * while it is open, and findling.restore while a backup is restored or a damaged store salvaged into it.
 *
 * <dataset> and <generation> are eight hex digits, <seq> sixteen decimal digits: text order is number order.
 */
export const FORMAT_KEY = 'format'
export const MANIFEST_KEY = 'manifest'
export const CHECKPOINT_KEY = 'checkpoint'
export const INCIDENTS_KEY = 'incidents'

export const JOURNAL_PREFIX = 'j/'
export const JOB_PREFIX = 'p/'

/** Everything a dataset owns lies under these prefixes. */
export const datasetPrefixes = (dataset: DatasetNumber): string[] => [
  documentPrefix(dataset),
  changePrefix(dataset),
  tagPrefix(dataset),
  `x/${hexOfDataset(dataset)}/`,
  `c/${hexOfDataset(dataset)}/`,
  `g/${hexOfDataset(dataset)}/`,
  `r/${hexOfDataset(dataset)}/`,
  `q/${hexOfDataset(dataset)}/`,
  analyticsPrefix(dataset),
]

export const documentPrefix = (dataset: DatasetNumber): string => `d/${hexOfDataset(dataset)}/`
export const changePrefix = (dataset: DatasetNumber): string => `l/${hexOfDataset(dataset)}/`
export const tagPrefix = (dataset: DatasetNumber): string => `t/${hexOfDataset(dataset)}/`
export const indexPrefix = (dataset: DatasetNumber, generation: number): string =>
  `x/${hexOfDataset(dataset)}/${hex(generation)}/`
export const servicePrefix = (service: string): string => `m/${service}/`
export const modelPrefix = (service: string, generation: number): string =>
  `${servicePrefix(service)}${hex(generation)}/`
export const classifierPrefix = (dataset: DatasetNumber, generation: number): string =>
  `c/${hexOfDataset(dataset)}/${hex(generation)}/`
export const categoriesPrefix = (dataset: DatasetNumber, generation: number): string =>
  `g/${hexOfDataset(dataset)}/${hex(generation)}/`
export const rankingPrefix = (dataset: DatasetNumber, generation: number): string =>
  `r/${hexOfDataset(dataset)}/${hex(generation)}/`
export const analyticsPrefix = (dataset: DatasetNumber): string => `a/${hexOfDataset(dataset)}/`
export const namespacesPrefix = 'n/'
export const namespacePrefix = (name: string): string => `${namespacesPrefix}${name}/`
export const namespaceOf = (key: string): string => key.slice(2, key.indexOf('/', 2))

export const documentKey = (dataset: DatasetNumber, id: string): string => documentPrefix(dataset) + id
export const changeKey = (dataset: DatasetNumber, seq: number): string => changePrefix(dataset) + digits(seq)
export const tagKey = (dataset: DatasetNumber, id: string): string => tagPrefix(dataset) + id
export const journalKey = (seq: number): string => JOURNAL_PREFIX + digits(seq)
export const profileKey = (dataset: DatasetNumber): string => `q/${hexOfDataset(dataset)}/latest`
/** Comes before all datasets. */
export const ANALYTICS_SALT_KEY = 'a/-salt'
export const callBlocksPrefix = (dataset: DatasetNumber): string => `${analyticsPrefix(dataset)}b/`
export const callBlockKey = (dataset: DatasetNumber, first: number): string =>
  callBlocksPrefix(dataset) + digits(first)
const callEventsPrefix = (dataset: DatasetNumber): string => `${analyticsPrefix(dataset)}e/`
export const callEventsKey = (dataset: DatasetNumber, call: number): string =>
  callEventsPrefix(dataset) + digits(call)
export const callStateKey = (dataset: DatasetNumber): string => `${analyticsPrefix(dataset)}s`
export const knownTextsKey = (dataset: DatasetNumber): string => `${analyticsPrefix(dataset)}q`
/** Also times before 1970 are in order. */
export const rollUpKey = (dataset: DatasetNumber, per: 'h' | 'd', start: number, section: string): string =>
  `${analyticsPrefix(dataset)}${per}/${digits(start + 1e15)}/${section}`
export const jobKey = (id: string): string => JOB_PREFIX + id

/** Whether a key is an engine's own, and of no meaning to others: of local namespaces, it says which there are. */
export function isOwn(key: string, localNamespaces: ReadonlySet<string>): boolean {
  if (key === INCIDENTS_KEY || key.startsWith(JOB_PREFIX) || key.startsWith('a/')) return true
  return key.startsWith(namespacesPrefix) && localNamespaces.has(namespaceOf(key))
}

const SINGLES = new Set(['format', 'manifest', 'checkpoint', 'incidents'])

/** The room a key lies in (its first letter, or its whole name), the dataset it belongs to, and what follows. */
export function splitKey(key: string): { room?: string; dataset?: DatasetNumber; rest: string } {
  if (SINGLES.has(key)) return { room: key, rest: '' }
  const owned = /^([acdglqrtx])\/([0-9a-f]{8})\//.exec(key)
  if (owned) return { room: owned[1]!, dataset: datasetOfHex(owned[2]!), rest: key.slice(11) }
  return /^[ajmpn]\//.test(key) ? { room: key[0]!, rest: key.slice(2) } : { rest: key }
}

export const seqOf = (key: string): number => Number(key.slice(-16))

/** All keys that start with a prefix, which must end in '/' ('0' is the character after it). */
export const keysWithin = (prefix: string): { gte: string; lt: string } => ({
  gte: prefix,
  lt: `${prefix.slice(0, -1)}0`,
})

const hex = (n: number): string => n.toString(16).padStart(8, '0')
const digits = (n: number): string => String(n).padStart(16, '0')
