import type { Settings } from './config.ts'
import { type Setting, type SettingName, settingNames, settings, settingsSchema } from './settings.ts'

/** Describes a setting to people. */
export interface SettingDescription {
  /** Its name in the configuration file. */
  readonly name: SettingName
  readonly variable: string
  readonly default: string
  readonly accepts: string
  readonly purpose: string
}

export function describeSettings(): SettingDescription[] {
  const defaults = settingsSchema.parse({})
  return settingNames.map(name => {
    const { variable, accepts, purpose, fallback }: Setting = settings[name]
    return { name, variable, default: fallback ?? display(defaults[name]), accepts, purpose }
  })
}

/** The settings table in the README. */
export function settingsTable(): string {
  const rows = describeSettings().map(({ name, variable, default: usual, accepts, purpose }) => {
    const { fallback }: Setting = settings[name]
    const shown = fallback === undefined ? `\`${usual}\`` : usual
    return `| \`${variable}\` | \`${name}\` | ${usual === '' ? 'empty' : shown} | ${accepts} | ${purpose} |`
  })
  return ['| Variable | In the file | Default | Accepted | Meaning |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  )
}

/** Every setting with its value and the origin of that value, one line each. Secrets are not shown. */
export function listSettings({ config, origins }: Settings): string {
  const rows = settingNames.map(name => {
    const { variable, secret }: Setting = settings[name]
    const value = config[name]
    return {
      variable,
      value: secret && value !== undefined ? '(hidden)' : display(value),
      origin: origins.get(name),
    }
  })
  const [names, values] = [widest(rows.map(row => row.variable)), widest(rows.map(row => row.value))]
  return rows
    .map(({ variable, value, origin }) => `${variable.padEnd(names)}  ${value.padEnd(values)}  ${origin}`)
    .join('\n')
}

function display(value: unknown): string {
  if (value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function widest(texts: readonly string[]): number {
  return Math.min(40, Math.max(...texts.map(text => text.length)))
}
