/** Plots as SVG, an entry of its own: the core does without d3. */

export { type Bar, type BarsOptions, bars } from './plot/bars.ts'
export type { PlotOptions } from './plot/frame.ts'
export { type HistogramOptions, histogram } from './plot/histogram.ts'
export { type MapOptions, type MapPoint, map } from './plot/point-map.ts'
export { type ReliabilityOptions, reliability, type SureAnswers } from './plot/reliability.ts'
export { type Series, type TimeSeriesOptions, timeSeries } from './plot/time-series.ts'
