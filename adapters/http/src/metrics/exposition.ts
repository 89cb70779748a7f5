/** One value of a metric, told from the others by its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
  /** Behind the name of the metric: `_bucket`. */
  readonly suffix?: string
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** The text format of Prometheus, version 0.0.4. Metrics without a value are left out. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(one => line(name, one)), ''].join(
        '\n',
      ),
    )
    .join('')
}

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

function line(name: string, { labels = {}, value, suffix = '' }: Sample): string {
  const all = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${suffix}${all.length === 0 ? '' : `{${all.join(',')}}`} ${value}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}
