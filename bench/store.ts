import { isolated } from './isolated.ts'
import type { Cost } from './measure.ts'
import {
  type CallFigures,
  type ImportFigures,
  measureCalls,
  measureImport,
  measureMiniSearch,
  type StoreTask,
} from './store-measurements.ts'
import { measureWaits, type WaitFigures } from './store-waits.ts'

const module = import.meta.resolve('./store-measurements.ts')
const waitsModule = import.meta.resolve('./store-waits.ts')

export interface StoreResults {
  readonly documents: number
  readonly disk: CallFigures
  readonly process: CallFigures
  readonly import: ImportFigures
  readonly minisearch: Cost
  readonly waits: WaitFigures
}

/** How fast are writes that survive a power cut, reads, and a whole catalogue from a file to the first answer? */
export async function store(task: StoreTask): Promise<StoreResults> {
  return {
    documents: task.documents,
    disk: await isolated(module, measureCalls, { ...task, durability: 'disk' as const }),
    process: await isolated(module, measureCalls, { ...task, durability: 'process' as const }),
    import: await isolated(module, measureImport, task),
    minisearch: await isolated(module, measureMiniSearch, task),
    waits: await isolated(waitsModule, measureWaits, task),
  }
}
