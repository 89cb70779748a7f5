import type { EngineOptions } from 'findling'
import type { Config } from './config.ts'

type Settings = Pick<Config, 'analytics' | 'analyticsTimeZone' | 'analyticsDays' | 'analyticsIgnore'>

/** What the settings say of the analytics, as the engine takes it. */
export function analyticsOptions(config: Settings): Pick<EngineOptions, 'analytics'> {
  const {
    analytics: mode,
    analyticsTimeZone: timeZone,
    analyticsDays: days,
    analyticsIgnore: ignore,
  } = config
  if (mode === 'off') return {}
  return { analytics: { mode, timeZone, retention: { days }, ...(ignore && { ignore: given(ignore) }) } }
}

/** Without what was left out. */
const given = ({ keys, users, tags }: NonNullable<Settings['analyticsIgnore']>) => ({
  ...(keys && { keys }),
  ...(users && { users }),
  ...(tags && { tags }),
})
