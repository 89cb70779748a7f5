import type { Metric, Sample } from './exposition.ts'

/** Upper ends of the buckets, in seconds. */
const ends = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface OfRoute {
  readonly method: string
  readonly route: string
  readonly byStatus: Map<number, number>
  /** Number of requests whose duration falls into each bucket (not cumulative); the last: those longer than every end. */
  readonly buckets: number[]
  seconds: number
}

/** Requests since the start: how many, with which status, and how long they took. */
export class RequestMetrics {
  readonly #routes = new Map<string, OfRoute>()
  #inProgress = 0

  begin(): void {
    this.#inProgress++
  }

  /** @param route as in the table of routes; `none` if none was reached: callers can invent paths, but not routes */
  end(method: string, route: string, status: number, seconds: number): void {
    this.#inProgress--
    const of = this.#of(method, route)
    of.byStatus.set(status, (of.byStatus.get(status) ?? 0) + 1)
    const bucket = ends.findIndex(end => seconds <= end)
    of.buckets[bucket === -1 ? ends.length : bucket]!++
    of.seconds += seconds
  }

  read(): Metric[] {
    const routes = [...this.#routes.values()]
    return [
      {
        name: 'findling_http_requests_total',
        help: 'Calls since the start, by method, route and status.',
        type: 'counter',
        samples: routes.flatMap(({ method, route, byStatus }) =>
          [...byStatus].map(([status, value]) => ({
            labels: { method, route, status: String(status) },
            value,
          })),
        ),
      },
      {
        name: 'findling_http_request_duration_seconds',
        help: 'Time from the call to the beginning of its answer, by method and route.',
        type: 'histogram',
        samples: routes.flatMap(histogram),
      },
      {
        name: 'findling_http_requests_in_progress',
        help: 'Calls not answered yet, including this one.',
        type: 'gauge',
        samples: [{ value: this.#inProgress }],
      },
    ]
  }

  #of(method: string, route: string): OfRoute {
    const name = `${method} ${route}`
    const known = this.#routes.get(name)
    if (known) return known
    const made = { method, route, byStatus: new Map(), buckets: Array(ends.length + 1).fill(0), seconds: 0 }
    this.#routes.set(name, made)
    return made
  }
}

function histogram({ method, route, buckets, seconds }: OfRoute): Sample[] {
  let sum = 0
  const cumulative = buckets.map((count, at) => {
    sum += count
    const le = at < ends.length ? String(ends[at]) : '+Inf'
    return { suffix: '_bucket', labels: { method, route, le }, value: sum }
  })
  const labels = { method, route }
  return [...cumulative, { suffix: '_sum', labels, value: seconds }, { suffix: '_count', labels, value: sum }]
}
