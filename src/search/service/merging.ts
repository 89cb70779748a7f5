import { overlay } from '../../services/overlay.ts'
import { type Activation, type GivenSettings, usualTags } from './settings.ts'

type Filter = NonNullable<Activation['search']['filter']>
type Weight = NonNullable<Activation['search']['weights']>[number]

/** The settings by which one request is answered. */
export interface RequestSettings {
  readonly corrections: Activation['corrections']
  readonly search: Omit<Activation['search'], 'filter' | 'weights'>
  /** All of them must hold. */
  readonly filters: readonly Filter[]
  readonly weights: readonly Weight[]
  readonly classifier: Activation['classifier']
}

/**
 * Members given in a request replace those of the activation. Filter and weights are instead added to them, unless the request
 * (or, where it does not say, the activation) turns the default ones off.
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
    // `overlay` merges member by member, and a request may give the id alone.
    classifier: classifier && { ...classifier, count: classifier.count ?? usualTags },
  }
}

const isGiven = (filter: Filter | null | undefined): filter is Filter =>
  filter !== null && filter !== undefined
