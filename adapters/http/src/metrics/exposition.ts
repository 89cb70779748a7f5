/** One value of a metric, distinguished from the others by its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
  /** Appended to the name of the metric, such as `_bucket`. */
  readonly suffix?: string
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** Merges metrics of several sources, whose samples differ in a label; those with the same name become one metric. */
export function together(all: readonly (readonly Metric[])[]): Metric[] {
  const byName = new Map<string, Metric>()
  for (const metric of all.flat()) {
    const known = byName.get(metric.name)
    byName.set(metric.name, known ? { ...known, samples: [...known.samples, ...metric.samples] } : metric)
  }
  return [...byName.values()]
}

export function labelled(metrics: readonly Metric[], more: Readonly<Record<string, string>>): Metric[] {
  return metrics.map(metric => ({
    ...metric,
    samples: metric.samples.map(sample => ({ ...sample, labels: { ...more, ...sample.labels } })),
  }))
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
