/** The third entry, for adapters: the schemas that read options, so that an adapter has the engine's own bounds. */

export {
  analyticsErasure,
  analyticsEvent,
  analyticsExportOptions,
  analyticsOptions,
  analyticsScope,
  analyticsSuggestionOptions,
  hitListOptions,
  queryListOptions,
  topListOptions,
} from './analytics/options.ts'
export { boughtTogetherOptions, trendingOptions } from './baskets/options.ts'
export { doubtOptions, recommendOptions } from './classification/options.ts'
export { completionOptions } from './completion/options.ts'
export { basketSetting } from './datasets/schema/basket-setting.ts'
export { idText } from './datasets/schema/ids.ts'
export { vectorSetting } from './datasets/schema/vector-settings.ts'
export { facetOptions } from './facets/facet-options.ts'
export { highlightOption } from './highlighting/document-highlights.ts'
export { operationsSchema } from './operations/operation.ts'
export { profileOptions } from './profile/options.ts'
export { searchOptions, typoOptions } from './search/read.ts'
export { vectorOptions } from './search/vector-options.ts'
export { keywordsOptions } from './similarity/dataset/dataset-words.ts'
export { duplicatesOptions } from './similarity/dataset/duplicates.ts'
export { similarOptions } from './similarity/options.ts'
export { suggestOptions } from './spelling/suggest-options.ts'
