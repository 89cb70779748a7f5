import type { Access } from '../access/access.ts'
import type { Keys } from '../access/keys.ts'
import type { QueryIds } from '../analytics/query-ids.ts'
import type { SearchCounts } from '../analytics/search-counts.ts'
import type { Backups } from '../backups/backups.ts'
import type { Readiness } from '../cluster/readiness.ts'
import type { Files } from '../files/files.ts'
import type { Licence } from '../licence/licence.ts'
import type { ProcessFiles } from '../processes/process-files.ts'
import { Processes } from '../processes/processes.ts'
import type { Route } from '../route.ts'
import type { Statistics } from '../statistics/statistics.ts'
import type { StatusProbe } from '../status/status.ts'
import { analyticsRoutes } from './analytics.ts'
import { backupRoute } from './backup.ts'
import { basketRoutes } from './baskets.ts'
import { changesRoute } from './changes.ts'
import { classifierServiceRoutes } from './classifier-service.ts'
import { classifyRoutes } from './classify.ts'
import { dataSetRoutes } from './datasets.ts'
import { documentRoutes } from './documents.ts'
import { eventRoutes } from './events.ts'
import { exportRoute } from './export.ts'
import { fileParserRoute } from './file-parser.ts'
import { filesRoute } from './files.ts'
import { filterRoutes } from './filter.ts'
import { importRoute } from './import.ts'
import { keyRoutes } from './keys.ts'
import { licenceRoutes } from './licence.ts'
import { maintenanceRoute } from './maintenance.ts'
import { processRoutes } from './processes.ts'
import { profileRoutes } from './profile.ts'
import { rootRoutes } from './root.ts'
import { searchRoutes } from './search.ts'
import { searchServiceRoutes } from './search-service.ts'
import { serviceRoutes, servicesRoutes } from './services.ts'
import { settingsRoutes } from './settings.ts'
import { similarRoutes } from './similar.ts'
import { similarServiceRoutes } from './similar-service.ts'
import { statisticsRoutes } from './statistics.ts'
import { statusRoute } from './status.ts'
import { tagTreeRoutes } from './tag-tree.ts'
import { tagWordsRoute } from './tag-words.ts'
import { tagRoutes } from './tags.ts'
import { transferRoutes } from './transfers.ts'

/** What routes use besides the engine. */
interface RouteParts {
  readonly access: Access
  readonly keys: Keys
  readonly licence: Pick<Licence, 'state' | 'store' | 'issueOpenSource'>
  readonly statistics: Statistics
  readonly status: StatusProbe
  readonly files: Files
  readonly processFiles: ProcessFiles
  readonly queryIds: QueryIds
  readonly searches: SearchCounts
  /** The time zone in which days of the analytics begin. */
  readonly timeZone: string
  /** Undefined without a folder for backups. */
  readonly backup: Backups | undefined
}

/** Routes that answer without a key. */
export function pagesOf({ access, licence, files, readiness }: PageParts): Route[] {
  return [...rootRoutes(access, () => licence.instanceId, readiness), filesRoute(files)]
}

type PageParts = Pick<RouteParts, 'access' | 'files'> & {
  readonly licence: Pick<Licence, 'instanceId'>
  /** Undefined without a cluster. */
  readonly readiness?: Readiness | undefined
}

/** The table of routes below /api. */
export function routesOf(parts: RouteParts): Route[] {
  const { access, keys, licence, statistics, status, processFiles, backup } = parts
  const processes = new Processes(processFiles)
  return [
    ...dataSetRoutes,
    ...settingsRoutes(processes),
    ...profileRoutes(processes),
    ...tagRoutes,
    ...tagTreeRoutes,
    tagWordsRoute(processes, processFiles),
    ...documentRoutes,
    ...filterRoutes,
    ...transferRoutes(processes),
    importRoute(processes),
    exportRoute,
    changesRoute,
    fileParserRoute,
    ...searchRoutes(parts),
    ...classifyRoutes(processes, parts),
    ...similarRoutes(processes, parts),
    ...basketRoutes(parts),
    ...eventRoutes(parts),
    ...analyticsRoutes(parts),
    ...servicesRoutes,
    ...searchServiceRoutes(processes, parts),
    ...classifierServiceRoutes(processes, processFiles),
    ...similarServiceRoutes(processes, processFiles),
    ...serviceRoutes,
    ...processRoutes(processes),
    backupRoute(processes, backup),
    ...statisticsRoutes(statistics),
    statusRoute(status),
    ...licenceRoutes(licence),
    ...keyRoutes(keys),
    // Last, because it changes the secret for anyone who tries the calls in this order.
    maintenanceRoute(access),
  ]
}
