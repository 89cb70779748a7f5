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

/** What the settings say of the analytics, as the engine takes it. */
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
      // The other mode stores no text that needs it.
      ...(mode === 'full' && textDays !== undefined && { texts: { days: textDays } }),
      ignore: { keys, users, tags: [...tags, uncounted] },
    },
  }
}
