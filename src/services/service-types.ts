import { ClassifierService } from './classifier/classifier-service.ts'
import { classifier } from './classifier/definition.ts'
import type { AnyDefinition } from './definition.ts'
import { search } from './search/definition.ts'
import { SearchService } from './search/search-service.ts'
import type { Service, ServiceParts } from './service.ts'
import { similar } from './similar/definition.ts'
import { SimilarService } from './similar/similar-service.ts'

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
