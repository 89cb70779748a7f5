import { ClassifierService } from './classification/service/classifier-service.ts'
import { classifier } from './classification/service/definition.ts'
import { search } from './search/service/definition.ts'
import { SearchService } from './search/service/search-service.ts'
import type { Service, ServiceParts } from './services/service.ts'
import type { AnyDefinition } from './services/service-definition.ts'
import { similar } from './similarity/service/definition.ts'
import { SimilarService } from './similarity/service/similar-service.ts'

/** A type of service: what it does, and what its user holds. */
export interface ServiceType {
  readonly definition: AnyDefinition
  // biome-ignore lint/suspicious/noExplicitAny: what a service takes is between it and its user
  face(parts: ServiceParts): Service<any, any>
}

/** All types of services: a new one gets its line here. */
export const serviceTypes = {
  classifier: { definition: classifier, face: parts => new ClassifierService(parts) },
  search: { definition: search, face: parts => new SearchService(parts) },
  similar: { definition: similar, face: parts => new SimilarService(parts) },
} satisfies Record<string, ServiceType>

/** What the user of a service holds, by its type. */
export type ServiceTypes = {
  [Name in keyof typeof serviceTypes]: ReturnType<(typeof serviceTypes)[Name]['face']>
}

/** The types of services there are. */
export type ServiceTypeName = keyof ServiceTypes
