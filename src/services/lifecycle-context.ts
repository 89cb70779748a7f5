import type { AdoptThrough } from '../artifacts/artifact.ts'
import type { Steps } from '../datasets/job-steps.ts'
import type { DerivedMemory } from '../derived/memory.ts'
import type { JobRunner } from '../jobs/runner.ts'
import type { Store } from '../store/store.ts'
import type { StoredModel } from './model-store.ts'
import type { AnyDefinition, Recommend, ServiceDataset, Surroundings } from './service-definition.ts'
import type { StoredService } from './stored-service.ts'

export interface LifecycleContext {
  readonly store: Store
  readonly jobs: JobRunner
  readonly definition: AnyDefinition
  /** DATASET_NOT_FOUND */
  dataset(name: string): ServiceDataset
  recommender(idOrAlias: string): Recommend | undefined
  /** Counts loaded models along with everything else that is loaded. */
  readonly memory: DerivedMemory
  readonly steps: Steps<ServiceUse>
  /** Where models are handed over, this puts them in place, here and in the replicas. */
  readonly adoptThrough: AdoptThrough | undefined
  warn(message: string, details: Record<string, unknown>): void
}

/** Changes whether a service answers, for `activate()` and `deactivate()`. */
export type ServiceUse =
  | { type: 'activateService'; id: string; settings?: object }
  | { type: 'deactivateService'; id: string }

/** One service: what is stored of it, and what surrounds it. */
export interface LifecycleParts {
  readonly id: string
  readonly context: LifecycleContext
  readonly stored: StoredService
  readonly model: StoredModel
  readonly surroundings: Surroundings
}

export type Settings = Record<string, unknown>
