// Everything public, in the order of the files.

export { type LanguageCode, languageOf } from './analysis/language-codes.ts'
export { type Language, languages } from './analysis/languages.ts'
export type { AnalyzedToken, AnalyzerModule, OwnAnalyzer } from './analysis/own-analyzer.ts'
export type { Analytics } from './analytics/analytics.ts'
export type {
  AnalyticsOverview,
  AnalyticsPoint,
  AnalyticsRow,
  AnalyticsSuggestions,
  AnalyzedCall,
  CallFigures,
  DistinctFigure,
  EventType,
  FigureList,
  FilterFigures,
  HitFigures,
  HitMeasure,
  QueryFigures,
  QueryListKind,
} from './analytics/model/figures.ts'
export type {
  AnalyticsErasure,
  AnalyticsEvent,
  AnalyticsExportOptions,
  AnalyticsOptions,
  AnalyticsScope,
  AnalyticsSuggestionOptions,
  HitListOptions,
  QueryListOptions,
  TopListOptions,
} from './analytics/options.ts'
export type { Adoption, AdoptThrough, ArtifactSource, TakeArtifact } from './artifacts/artifact.ts'
export type { BoughtTogetherOptions, TrendingOptions } from './baskets/options.ts'
export type { BasketHit } from './baskets/recommending.ts'
export type { DoubtfulTag } from './classification/dataset/doubtful-tags.ts'
export type { CategoryFacts } from './classification/dataset/stored-categories.ts'
export type {
  ClassifierFacts,
  ClassifierQuality,
  TagClassifier,
  TagRecommendation,
} from './classification/dataset/tag-classifier.ts'
export type { Compression } from './classification/model/compression.ts'
export type { CurvePoint } from './classification/model/cross-validation.ts'
export type { Keyword } from './classification/model/dictionaries.ts'
export type { Evidence, Explanation } from './classification/model/explanation.ts'
export type { Quality, ReliabilityBin } from './classification/model/quality.ts'
export type { TellingField } from './classification/model/telling-fields.ts'
export type {
  ClassifierOptions,
  LearningJobOptions,
  RecommendOptions,
} from './classification/options.ts'
export type { QueryCategory } from './classification/query-categories.ts'
export type { ServiceRecommendation } from './classification/service/answering.ts'
export type { ClassifierService } from './classification/service/classifier-service.ts'
export type { Dictionary, DictionaryOptions, TakeDictionaries } from './classification/service/export.ts'
export type {
  ClassifierPrepareSettings,
  ClassifierServiceSettings,
  ServiceRecommendOptions,
} from './classification/service/settings.ts'
export type { Completion } from './completion/model/completion.ts'
export type { CompletionOptions } from './completion/options.ts'
export type { Dataset } from './dataset.ts'
export type { BulkRow } from './datasets/bulk.ts'
export type { FieldRole } from './datasets/content/field-names.ts'
export type { FieldRoles } from './datasets/content/field-roles.ts'
export type { DatasetDefinition } from './datasets/dataset-definition.ts'
export type {
  DeepPartial,
  DocumentChange,
  Documents,
  ExportFormat,
} from './datasets/documents.ts'
export type { ImportOptions, ImportReport } from './datasets/import.ts'
export type { TagPathOption } from './datasets/imported-tags.ts'
export type {
  CleaningOperation,
  DocumentOperation,
  FileTextsByPath,
  StepOperation,
  TagInput,
  TagOperation,
  TransferOperation,
  WriteOutcome,
  WriteResult,
  WriteThrough,
} from './datasets/job-steps.ts'
export type { DatasetInfo } from './datasets/registry.ts'
export type { ColumnType, ImportColumn, ImportColumns } from './datasets/rows/column-options.ts'
export type { ImportDoubt, ImportedColumn, ImportReading } from './datasets/rows/findings.ts'
export type { RowSource } from './datasets/rows/row-reader.ts'
export type { BasketSetting } from './datasets/schema/basket-setting.ts'
export type {
  DatasetSettings,
  DatasetSettingsInput,
  FieldWeight,
  SignalSetting,
} from './datasets/schema/dataset-settings.ts'
export type { DatasetSchema, FieldSchema, FieldType } from './datasets/schema/schema.ts'
export type {
  Curation,
  Pin,
  SearchSettings,
  SearchSettingsInput,
  Synonyms,
  TypoSettings,
} from './datasets/schema/search-settings.ts'
export type { VectorSetting } from './datasets/schema/vector-settings.ts'
export type { DocumentRecord } from './datasets/stored-documents.ts'
export type { RefusedTag, Tag, TagView } from './datasets/tags/tag-tree.ts'
export type { TagCounts, Tags } from './datasets/tags/tags.ts'
export type {
  TagWordCounts,
  TakeWordCounts,
  WordCount,
  WordCounts,
  WordExportReport,
  WordsOptions,
} from './datasets/tags/word-counts.ts'
export type { TransferReport } from './datasets/transfer.ts'
export type { FieldVisibilityOptions } from './datasets/visible-fields.ts'
export type { OwnerOptions, WriteOptions, Written } from './datasets/writes.ts'
export type { Datasets } from './datasets.ts'
export type { DoctorReport, Fault, FaultKind } from './doctor.ts'
export { Engine, type MemoryUse } from './engine.ts'
export type { EngineOptions, Logger } from './engine-options.ts'
export { type ErrorCode, type ErrorDetails, errorCodes, FindlingError } from './errors.ts'
export type { ExtractorOptions, FileOptions } from './extraction/extractor.ts'
export type { ExtractedFile } from './extraction/reader/content.ts'
export type { ExtractionLimits } from './extraction/reader/limits.ts'
export type { Facet, FacetRange, FacetStats, FacetValue } from './facets/facet.ts'
export type { FacetOptions, FacetRangeOptions } from './facets/facet-options.ts'
export type { MatchedWord } from './fulltext/words/slot.ts'
export type { FieldHighlight, HighlightOption } from './highlighting/document-highlights.ts'
export type { HighlightRange } from './highlighting/highlight.ts'
export { type Issue, type ReadInput, readInput } from './input.ts'
export type { Job, JobBody, JobOptions, JobState, JobStatus, PhaseProgress, Progress } from './jobs/job.ts'
export type { JobFilter } from './jobs/runner.ts'
export type { JsonObject, JsonValue } from './json.ts'
export { type JsonLimits, readJson } from './json-pieces.ts'
export { parseJson } from './json-text.ts'
export type { IndexJobOptions } from './live/index-jobs.ts'
export type { DatasetMap, DatasetMapLabel, DatasetMapPoint } from './mapping/model/dataset-map.ts'
export type { MapJobOptions } from './mapping/options.ts'
export type {
  CompletionObservation,
  ContextOptions,
  IdentifiedAnswer,
  ListObservation,
  Observation,
  ObservationContext,
  Observer,
  RecommendationObservation,
  SearchObservation,
  ShownHit,
  SimilarObservation,
  SuggestionObservation,
  WriteObservation,
} from './observing/observation.ts'
export { type QueryLogOptions, queryLog } from './observing/query-log.ts'
export type {
  DatasetOperation,
  EngineWriteOptions,
  EntryOperation,
  ServiceOperation,
  SingleOperation,
  TogetherOperation,
  WriteOperation,
} from './operations/operation.ts'
export { mistakesCsv } from './profile/mistake-rows.ts'
export type {
  CrossTable,
  CurrentCounts,
  CurrentField,
  DatasetProfile,
  FieldProfile,
  Mistake,
  NumberProfile,
  TagProfile,
  TextPattern,
  TextProfile,
  UnusualNumber,
  ValueCount,
} from './profile/model/profile.ts'
export type { ProfileOptions } from './profile/options.ts'
export type { Condition, VisibilityOptions } from './query/condition-query.ts'
export type { Comparison, Where } from './query/where.ts'
export type { DatasetRanking } from './ranking/dataset-ranking.ts'
export type { Hit, SearchAnswer } from './search/answer.ts'
export type { HitExplanation, WordExplanation } from './search/explanation.ts'
export type { ListAnswer, ListOptions } from './search/list.ts'
export type { ConditionOptions, SearchOptions, TagOptions, TypoOptions } from './search/read.ts'
export type { ResponseFieldOptions } from './search/response-fields.ts'
export type { SampleOptions } from './search/sample.ts'
export type { AnswersOfMany, SearchOfMany } from './search/search-many.ts'
export type { Correction, FoundTag, ServiceAnswer, ServiceHit } from './search/service/answering.ts'
export type { ServiceExplanation } from './search/service/matching.ts'
export type { SearchService } from './search/service/search-service.ts'
export type {
  ClassifierPartSettings,
  CorrectionSettings,
  SearchFilter,
  SearchPartSettings,
  SearchServiceSettings,
  SearchWeight,
} from './search/service/settings.ts'
export type { VectorOptions } from './search/vector-options.ts'
export type { ServiceTypeName, ServiceTypes } from './service-types.ts'
export type {
  PrepareSettings,
  Service,
  ServiceChanges,
  ServiceInfo,
} from './services/service.ts'
export type { Recommendation } from './services/service-definition.ts'
export type { ServiceStatus } from './services/service-status.ts'
export type { ServiceInput, Services } from './services.ts'
export type { KeywordsOptions } from './similarity/dataset/dataset-words.ts'
export type { DuplicateGroup, DuplicatesOptions, TakeDuplicates } from './similarity/dataset/duplicates.ts'
export type { SimilarHit } from './similarity/dataset/similar.ts'
export type { AspectName } from './similarity/model/aspects.ts'
export type { SharedFeature } from './similarity/model/explanation.ts'
export type { TypicalWord } from './similarity/model/keywords.ts'
export type { TagWord } from './similarity/model/tag-words.ts'
export type { SimilarOptions, SimilarTo } from './similarity/options.ts'
export type { RecommendedDocument } from './similarity/service/answering.ts'
export type { SimilarExportOptions, TagDictionary, TakeTagWords } from './similarity/service/export.ts'
export type {
  SimilarByIdOptions,
  SimilarFilter,
  SimilarIndexOptions,
  SimilarKeywordsOptions,
  SimilarPrepareSettings,
  SimilarRecommendOptions,
  SimilarServiceSettings,
  SimilarWeight,
} from './similarity/service/settings.ts'
export type { SimilarService } from './similarity/service/similar-service.ts'
export type { SuggestOptions } from './spelling/suggest-options.ts'
export type { Suggestion } from './spelling/suggestions.ts'
export type { DatasetDigest, EngineDigest } from './state-digest.ts'
export type { BackupMaking, BackupReport, BackupWatching } from './store/backup/backup.ts'
export type { BackupFacts } from './store/backup/restore.ts'
export type { Database } from './store/database.ts'
export type { Namespace } from './store/namespace.ts'
