import type { Engine, SearchServiceSettings } from 'findling'
import type { Caller } from '../access/caller.ts'
import type { Scope } from '../access/keys.ts'
import { HttpError } from '../http/errors.ts'
import type { Call, Route } from '../route.ts'
import { namedDataset } from './dataset-header.ts'

type Touched = Pick<Call, 'engine' | 'path' | 'body' | 'headers' | 'caller'>

/**
 * How a key for some datasets is restricted to them. A function returns the datasets that a call touches, all of which must
 * be among the key's. `installation`: only for keys without such a restriction. `none`: the call touches no dataset, or only
 * what a random id identifies. `route`: the route itself leaves out what the key is not for.
 */
type Datasets = ((call: Touched) => readonly string[]) | 'installation' | 'none' | 'route'

export interface Rule {
  /** One of these is needed or, with `needsEach`, all of them; without any, the call is open to everybody. */
  readonly scopes: readonly Scope[]
  readonly needsEach: boolean
  readonly datasets: Datasets
  /** Whether the route applies the filter, the fields and the limits of a key; otherwise keys that have any are refused. */
  readonly heedsFilter: boolean
}

/** If no dataset is named, the route reports that, in the same words for every key. */
const header = ({ headers, caller }: Touched) => {
  const name = namedDataset(headers, caller)
  return name === '' ? [] : [name]
}
/** Every member of the path is a dataset. */
const path = ({ path }: Touched) => Object.values(path)

type Body = Record<string, unknown>
const named =
  (member: string) =>
  ({ body }: Touched) => [String((body as Body)[member])]
const both =
  (...all: ((call: Touched) => readonly string[])[]) =>
  (call: Touched) =>
    all.flatMap(one => one(call))
const searches = ({ body }: Touched) =>
  (body as { Searches: Body[] }).Searches.map(one => String(one.DataSet))

/**
 * The dataset of the requested service. A key for some datasets does not learn whether a service is missing or has no
 * dataset yet.
 */
const ofService = ({ engine, path: { id = '' } }: Touched): string[] => [datasetOf(engine, id) ?? '']

/** Also the dataset of the classifier: the one in the request, or else the one set at activation, if it still exists. */
function ofSearchService(call: Touched): string[] {
  const { engine, path, body } = call
  const { ClassifierSettings: asked } = body as { ClassifierSettings?: { Id: string } | null }
  if (asked) return [...ofService(call), datasetOf(engine, asked.Id) ?? '']
  const activated = activatedClassifier(engine, path.id ?? '')
  const of = activated === undefined ? undefined : datasetOf(engine, activated)
  return [...ofService(call), ...(of === undefined ? [] : [of])]
}

const datasetOf = ({ services }: Engine, service: string): string | undefined =>
  (services.has(service) && services.get(service).info().dataset) || undefined

function activatedClassifier({ services }: Engine, service: string): string | undefined {
  if (!services.has(service)) return undefined
  const { type, activateSettings } = services.get(service).info()
  if (type !== 'search') return undefined
  return (activateSettings as SearchServiceSettings | null)?.classifier?.id // this type's settings
}

type Row = readonly [
  endpoint: string,
  scope: Scope | 'open' | readonly Scope[] | { readonly each: readonly Scope[] },
  datasets?: Datasets,
  filter?: 'heeds',
]

/** All calls and the keys that they need. A call missing here needs a key with the scope Admin. */
const rows: readonly Row[] = [
  ['GET /', 'open'],
  ['GET /health', 'open'],
  ['GET /ready', 'open'],
  ['GET /docs', 'open'],
  ['GET /docs/{file}', 'open'],
  ['GET /openapi.json', 'open'],
  ['GET /setup', 'open'],
  ['POST /setup', 'open'],
  ['POST /setup/RequestOpenSourceLicense', 'open'],
  ['GET /files/{name}', 'open'],

  ['GET /update', 'Admin'],
  ['POST /update', 'Admin'],
  ['POST /api/License', 'Admin'],
  ['POST /api/Maintenance/ChangeSecret', 'Admin'],
  ['POST /api/Maintenance/Backup', 'Admin'],
  ['GET /api/Keys', 'Admin'],
  ['POST /api/Keys', 'Admin'],
  ['POST /api/Keys/{id}/Exchange', 'Admin'],
  ['DELETE /api/Keys/{id}', 'Admin'],

  ['GET /metrics', 'Read'],
  ['GET /api/License', 'Read'],
  ['GET /api/Statistics', 'Read'],
  ['GET /api/Statistics/{year}', 'Read'],
  ['GET /api/Statistics/{year}/{month}', 'Read'],
  ['GET /api/Status', 'Read'],
  ['GET /api/Processes', 'Read'],
  ['GET /api/Processes/{id}', ['Read', 'Write'], 'route'],
  ['POST /api/Processes/{id}/Cancel', 'Write', 'route'],

  ['GET /api/DataSets', 'Read', 'route'],
  ['GET /api/DataSets/{name}', 'Read', path],
  ['GET /api/DataSets/{name}/Settings', 'Read', path],
  ['POST /api/DataSets', 'Write', named('Name')],
  ['POST /api/DataSets/Schema', 'Write', named('Name')],
  ['PUT /api/DataSets/{existingName}', 'Write', both(path, named('Name'))],
  ['DELETE /api/DataSets/{name}', 'Write', path],
  ['POST /api/DataSets/{name}/Swap/{other}', 'Write', path],
  ['POST /api/DataSets/{name}/Reconfigure', 'Write', path],
  ['POST /api/DataSets/{name}/Optimize', 'Write', path],
  ['POST /api/DataSets/{name}/Classifier/Train', 'Write', path],
  ['POST /api/DataSets/{name}/Classifier/Evaluate', 'Read', path],
  ['POST /api/DataSets/{name}/Classifier/DoubtfulTags', 'Read', path],
  ['POST /api/DataSets/{name}/Profile', ['Read', 'Analytics'], path],
  ['GET /api/DataSets/{name}/Profile', ['Read', 'Analytics'], path],

  ['GET /api/Tags', 'Read', header],
  ['GET /api/Tags/{id}', 'Read', header],
  ['POST /api/Tags', 'Write', header],
  ['PUT /api/Tags/{id}', 'Write', header],
  ['DELETE /api/Tags/{id}', 'Write', header],
  ['POST /api/Tags/Bulk', 'Write', header],
  ['POST /api/Tags/CleanDocuments', 'Write', header],
  ['POST /api/Tags/ExportWords', 'Read', header],

  ['GET /api/Documents/{id}', 'Read', header, 'heeds'],
  ['GET /api/Documents/Export', 'Read', header],
  ['GET /api/Documents/Changes', 'Read', header],
  ['POST /api/Documents/Filter', 'Read', header, 'heeds'],
  ['POST /api/Documents/Filter/{scrollId}', 'Read', header, 'heeds'],
  ['POST /api/Documents/Sample', 'Read', header, 'heeds'],
  ['POST /api/Documents', 'Write', header],
  ['PUT /api/Documents/{id}', 'Write', header],
  ['DELETE /api/Documents/{id}', 'Write', header],
  ['POST /api/Documents/Bulk', 'Write', header],
  ['POST /api/Documents/Import', 'Write', header],
  ['POST /api/Documents/Copy', 'Write', both(header, named('TargetDataSetName'))],
  ['POST /api/Documents/Move', 'Write', both(header, named('TargetDataSetName'))],
  ['POST /api/Helper/FileParser', 'Read', 'none'],

  ['POST /api/Documents/Search', 'Search', header, 'heeds'],
  ['GET /api/Documents/Search', 'Search', header, 'heeds'],
  ['POST /api/Search/Multi', 'Search', searches, 'heeds'],
  ['POST /api/Documents/Complete', 'Search', header, 'heeds'],
  ['POST /api/Documents/Suggest', 'Search', header, 'heeds'],
  ['POST /api/Documents/Similar', 'Search', header, 'heeds'],
  ['POST /api/Documents/BoughtTogether', 'Search', header, 'heeds'],
  ['POST /api/Documents/Trending', 'Search', header, 'heeds'],
  // Their answers are learnt or counted from all documents.
  ['POST /api/Documents/Classify', 'Search', header],
  ['POST /api/Documents/Keywords', 'Search', header],
  ['POST /api/Documents/Duplicates', 'Read', header],

  // The QueryId identifies the answer, and only whoever got the answer has it.
  ['POST /api/Events', 'Search', 'none', 'heeds'],
  ['GET /api/Analytics/Overview', 'Analytics', 'route'],
  ['GET /api/Analytics/Queries', 'Analytics', 'route'],
  ['GET /api/Analytics/Series', 'Analytics', 'route'],
  ['GET /api/Analytics/Hits', 'Analytics', 'route'],
  ['GET /api/Analytics/Filters', 'Analytics', 'route'],
  ['GET /api/Analytics/Suggestions', 'Analytics', 'route'],
  ['GET /api/Analytics/Export', 'Analytics', 'route'],
  // A key for a dashboard must not be able to erase what it shows.
  ['POST /api/Analytics/Erase', { each: ['Analytics', 'Write'] }, 'route'],

  ['GET /api/Services', 'Read'],
  ['GET /api/Services/{id}', 'Read', ofService],
  ['POST /api/Services', 'Write'],
  ['PUT /api/Services/{id}', 'Write'],
  ['DELETE /api/Services/{id}', 'Write'],
  ['GET /api/Services/Search/{id}', 'Read', ofService],
  ['POST /api/Services/Search/{id}', 'Search', ofSearchService],
  ['GET /api/Services/Classifier/{id}', 'Read', ofService],
  ['POST /api/Services/Classifier/{id}/Recommend', 'Search', ofService],
  ['POST /api/Services/Classifier/{id}/ExportDictionaries', 'Read', ofService],
  ['POST /api/Services/Classifier/{id}/Prepare', 'Write'],
  ['POST /api/Services/Classifier/{id}/Activate', 'Write'],
  ['POST /api/Services/Classifier/{id}/Deactivate', 'Write'],
  ['GET /api/Services/Prc/{id}', 'Read', ofService],
  ['POST /api/Services/Prc/{id}/Recommend', 'Search', ofService],
  ['POST /api/Services/Prc/{id}/RecommendById', 'Search', ofService],
  ['POST /api/Services/Prc/{id}/Keywords', 'Search', ofService],
  ['POST /api/Services/Prc/{id}/ExportDictionaries', 'Read', ofService],
  ['POST /api/Services/Prc/{id}/Prepare', 'Write'],
  ['POST /api/Services/Prc/{id}/Activate', 'Write'],
  ['POST /api/Services/Prc/{id}/Deactivate', 'Write'],
  ['POST /api/Services/Prc/{id}/Index', 'Write'],
  ['POST /api/Services/Prc/{id}/IndexPartial', 'Write'],
  ['POST /api/Services/Search/{id}/Prepare', 'Write'],
  ['POST /api/Services/Search/{id}/Activate', 'Write'],
  ['POST /api/Services/Search/{id}/Deactivate', 'Write'],
]

function scopesOf(scope: Row[1]): readonly Scope[] {
  if (typeof scope === 'string') return scope === 'open' ? [] : [scope]
  return 'each' in scope ? scope.each : scope
}

/** By method and path, `GET /api/Tags/{id}`. */
export const rules: ReadonlyMap<string, Rule> = new Map(
  rows.map(([endpoint, scope, datasets = 'installation', filter]) => [
    endpoint,
    {
      scopes: scopesOf(scope),
      needsEach: typeof scope === 'object' && 'each' in scope,
      datasets: scope === 'open' ? 'none' : datasets,
      heedsFilter: scope === 'open' || filter === 'heeds',
    },
  ]),
)

const unlisted: Rule = { scopes: ['Admin'], needsEach: false, datasets: 'installation', heedsFilter: false }

export function ruleOf({ method, path }: Pick<Route, 'method' | 'path'>): Rule {
  return rules.get(`${method} ${path}`) ?? unlisted
}

/** The needed scopes for messages: `Read or Write`. */
export const neededScopes = ({ scopes, needsEach }: Rule): string => scopes.join(needsEach ? ' and ' : ' or ')

/** HttpError 403 if a caller may not make such calls at all; checked before the body is read. */
export function requireScope(rule: Rule, caller: Caller): void {
  const { scopes, needsEach, datasets, heedsFilter } = rule
  const has = (scope: Scope) => caller.has(scope)
  if (scopes.length > 0 && !(needsEach ? scopes.every(has) : scopes.some(has))) {
    const own = caller.key?.scopes.join(', ') ?? 'no scope'
    throw refused(caller, `has ${own}; this call needs ${neededScopes(rule)}`)
  }
  if (datasets === 'installation' && caller.key?.datasets) {
    throw refused(caller, 'is for some datasets only; this call concerns the whole installation')
  }
  const { bound } = caller
  if (!heedsFilter && bound !== undefined)
    throw refused(caller, `${bound}; this call cannot be restricted to that`)
}

/** HttpError 403 if a call touches a dataset that the key is not for, whether or not that dataset exists. */
export function requireDatasets({ datasets }: Rule, caller: Caller, call: Touched): void {
  const own = caller.key?.datasets
  if (!own || typeof datasets !== 'function') return
  if (datasets(call).every(name => own.includes(name))) return
  throw refused(caller, `is for ${own.length === 1 ? 'the dataset' : 'the datasets'} ${own.join(', ')} only`)
}

function refused({ key }: Caller, why: string): HttpError {
  return new HttpError(403, `The key ${JSON.stringify(key?.name ?? '')} ${why}.`)
}
