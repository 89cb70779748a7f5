import type * as z from 'zod'
import type {
  AnalyticsOverview,
  AnalyticsPoint,
  AnalyticsSuggestions,
  FigureList,
  FilterFigures,
  HitFigures,
  QueryFigures,
} from './figures.ts'
import type {
  analyticsErasure,
  analyticsEvent,
  analyticsExportOptions,
  analyticsSuggestionOptions,
  CheckedScope,
  queryListOptions,
  topListOptions,
} from './options.ts'

/** What is kept of what people ask, and read of it. */
export interface QueryStatistics {
  event(event: z.output<typeof analyticsEvent>): Promise<{ counted: boolean }>
  overview(scope: CheckedScope): Promise<AnalyticsOverview>
  queries(options: z.output<typeof queryListOptions>): Promise<FigureList<QueryFigures>>
  series(scope: CheckedScope): Promise<AnalyticsPoint[]>
  hits(options: z.output<typeof topListOptions>): Promise<FigureList<HitFigures>>
  filters(options: z.output<typeof topListOptions>): Promise<FigureList<FilterFigures>>
  suggestions(options: z.output<typeof analyticsSuggestionOptions>): Promise<AnalyticsSuggestions>
  export(options: z.output<typeof analyticsExportOptions>): AsyncGenerator<string>
  erase(what: z.output<typeof analyticsErasure>): Promise<void>
}
