import * as z from 'zod'
import { recordIn } from '../../../src/datasets/record.ts'
import { allDocuments } from '../../../src/datasets/stored-documents.ts'
import { invalid, problem } from '../../../src/input.ts'
import type { JobOptions } from '../../../src/jobs/job.ts'
import type { ServiceType } from '../../../src/service-types.ts'
import { type PrepareSettings, Service, type ServiceParts } from '../../../src/services/service.ts'
import { defineService } from '../../../src/services/service-definition.ts'

/** Models that are loaded and not forgotten yet. */
export interface Counted {
  loaded: number
}

interface Hooks {
  /** Waited for after each step. */
  pause?: ((phase: 'counting' | 'loading') => Promise<void> | void) | undefined
  counted?: Counted | undefined
  /** Bytes of a model. */
  ballast?: number | undefined
}

const shape = { field: z.string() }
const activation = { least: z.int().min(1).optional() }

/** Counts in how many documents each word of a field stands: about the least that can be prepared and asked. */
export function wordCounter({ pause, counted = { loaded: 0 }, ballast = 100_000 }: Hooks = {}): ServiceType {
  const definition = defineService({
    type: 'counter',
    prepareSettings: { field: shape.field.default('title') },
    activateSettings: activation,
    exportedSettings: { prepared: z.object(shape), recommended: z.object(activation) },
    async *prepare({ dataset: { documents }, settings, keep }) {
      const counts = new Map<string, number>()
      let done = 0
      yield { done, total: undefined, phase: 'counting' }
      await pause?.('counting')
      for await (const batch of allDocuments(documents)) {
        for (const [, payload] of batch) {
          const text = String(recordIn(payload).document[settings.field] ?? '')
          for (const word of new Set(text.split(' '))) counts.set(word, (counts.get(word) ?? 0) + 1)
        }
        done += batch.length
        yield { done, total: undefined, phase: 'counting' }
        await pause?.('counting')
      }
      await keep('counts', Buffer.from(JSON.stringify([...counts])))
      // A second part, and more than one value of the store.
      await keep('ballast', new Uint8Array(ballast).fill(7))
      return { settings, recommended: { least: 1 }, contents: { documents: done } }
    },
    check({ settings, prepared }) {
      const { least = 1 } = settings as { least?: number }
      if (least > 100) throw invalid('INVALID_ARGUMENT', 'settings', [problem('least', least, 'at most 100')])
      if ((prepared as { field: string }).field === 'forbidden') throw new Error('unreachable field')
    },
    async *load({ parts, contents, settings }) {
      yield { done: 0, total: 1, phase: 'loading' }
      await pause?.('loading')
      const stored = await parts(['counts', 'ballast'])
      const counts = new Map<string, number>(JSON.parse(Buffer.from(stored.get('counts')!).toString()))
      yield { done: 1, total: 1, phase: 'loading' }
      counted.loaded++
      return { counts, contents, settings, ballast: stored.get('ballast') } as Loaded
    },
    bytes: active => active.ballast.byteLength,
    forget() {
      counted.loaded--
    },
    async recommend({ counts }, text, count) {
      const found = text.split(' ').filter(word => counts.has(word))
      return found.slice(0, count || undefined).map(word => ({
        tagId: word,
        score: counts.get(word)!,
        tag: null,
        isEmphasized: false,
      }))
    },
  })
  return { definition, face: parts => new CounterService(parts) }
}

interface Loaded {
  ballast: Uint8Array
  counts: Map<string, number>
  contents: { documents: number }
  settings: { least: number }
}

interface CounterSettings extends PrepareSettings {
  field?: string
}

export class CounterService extends Service<CounterSettings, JobOptions & { least?: number }> {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    super(parts)
    this.#parts = parts
  }

  async count(word: string): Promise<number> {
    const { counts, settings } = (await this.#parts.lifecycle.answering()) as Loaded
    const count = counts.get(word) ?? 0
    return count >= settings.least ? count : 0
  }
}
