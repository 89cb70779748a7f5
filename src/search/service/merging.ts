import { overlay } from '../../services/overlay.ts'
import { type Activation, type GivenSettings, usualTags } from './settings.ts'

type Filter = NonNullable<Activation['search']['filter']>
type Weight = NonNullable<Activation['search']['weights']>[number]

/** By what one request is answered. */
export interface RequestSettings {
  readonly corrections: Activation['corrections']
  readonly search: Omit<Activation['search'], 'filter' | 'weights'>
  /** All of them must hold. */
  readonly filters: readonly Filter[]
  readonly weights: readonly Weight[]
  readonly classifier: Activation['classifier']
}

/**
 * Members that a request gives replace those of the activation, except filter and weights: these come on top, unless the
 * request (or, where it does not say, the activation) does without the default ones.
 */
export function mergeRequest(activated: Activation, request: GivenSettings): RequestSettings {
  const { corrections, search, classifier } = overlay(activated, request)
  const { filter: _, weights: __, ...others } = search
  const byDefault = activated.search
  return {
    corrections,
    search: others,
    // Those of the request first, so that errors name their places in it.
    filters: [request.search?.filter, search.useDefaultFilter ? byDefault.filter : null].filter(isGiven),
    weights: [
      ...(request.search?.weights ?? []),
      ...((search.useDefaultWeights ? byDefault.weights : null) ?? []),
    ],
    // The member by member of `overlay`: a request may give the id alone.
    classifier: classifier && { ...classifier, count: classifier.count ?? usualTags },
  }
}

const isGiven = (filter: Filter | null | undefined): filter is Filter =>
  filter !== null && filter !== undefined
