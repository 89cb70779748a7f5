import type { Area } from '../world.ts'
import { bulk } from './bulk.ts'
import { documents } from './documents.ts'
import { extraction } from './extraction.ts'
import { facets } from './facets.ts'
import { filters } from './filters.ts'
import { httpClients } from './http-clients.ts'
import { httpData } from './http-data.ts'
import { httpKeys } from './http-keys.ts'
import { httpLearning } from './http-learning.ts'
import { httpProcesses } from './http-processes.ts'
import { httpSearch } from './http-search.ts'
import { httpServices } from './http-services.ts'
import { httpTransport } from './http-transport.ts'
import { importExport } from './import-export.ts'
import { learning } from './learning.ts'
import { likeness } from './likeness.ts'
import { lists } from './lists.ts'
import { search } from './search.ts'
import { services } from './services.ts'
import { settings } from './settings.ts'
import { tagTree } from './tag-tree.ts'
import { typing } from './typing.ts'
import { upkeep } from './upkeep.ts'

/** By name, in the order in which they are made. */
export const areas: Readonly<Record<string, Area>> = {
  documents,
  bulk,
  'import and export': importExport,
  filters,
  lists,
  facets,
  search,
  typing,
  tags: tagTree,
  settings,
  learning,
  likeness,
  services,
  upkeep,
  extraction,
  'http: data': httpData,
  'http: search': httpSearch,
  'http: learning': httpLearning,
  'http: services': httpServices,
  'http: keys': httpKeys,
  'http: processes': httpProcesses,
  'http: clients': httpClients,
  // The last: statistics count all calls before.
  'http: transport': httpTransport,
}
