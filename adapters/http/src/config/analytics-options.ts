import type { EngineOptions } from 'findling'
import { uncounted } from '../analytics/asking.ts'
import type { Config } from './config.ts'

type Settings = Pick<
  Config,
  | 'analytics'
  | 'analyticsTimeZone'
  | 'analyticsDays'
  | 'analyticsTextDays'
  | 'analyticsBytes'
  | 'analyticsIgnore'
>

/** The analytics settings as engine options. */
export function analyticsOptions(config: Settings): Pick<EngineOptions, 'analytics'> {
  const {
    analytics: mode,
    analyticsTimeZone: timeZone,
    analyticsDays: days,
    analyticsTextDays: textDays,
    analyticsBytes: bytes,
    analyticsIgnore: ignore,
  } = config
  if (mode === 'off') return {}
  const { keys = [], users = [], tags = [] } = ignore ?? {}
  return {
    analytics: {
      mode,
      timeZone,
      retention: { days, ...(bytes !== undefined && { bytes }) },
      // The other mode stores no texts to which this applies.
      ...(mode === 'full' && textDays !== undefined && { texts: { days: textDays } }),
      ignore: { keys, users, tags: [...tags, uncounted] },
    },
  }
}
