/** Plots as SVG, and reports with them, an entry of its own: the core does without d3. */

export { type Bar, type BarsOptions, bars } from './plot/bars.ts'
export type { PlotOptions } from './plot/frame.ts'
export { type HistogramOptions, histogram } from './plot/histogram.ts'
export { type MapOptions, type MapPoint, map } from './plot/point-map.ts'
export { type ReliabilityOptions, reliability, type SureAnswers } from './plot/reliability.ts'
export { type Series, type TimeSeriesOptions, timeSeries } from './plot/time-series.ts'
export { reportHtml } from './report/report-html.ts'
export type {
  AskedFigures,
  AskedText,
  ReportAnalytics,
  ReportInput,
} from './report/report-input.ts'
export { reportText } from './report/terminal-text.ts'
