import { Engine, type EngineOptions } from 'findling'
import { onTestFinished } from 'vitest'
import { type Counted, type CounterService, wordCounter } from '../classification/service/word-counter.ts'

type Pause = NonNullable<Parameters<typeof wordCounter>[0]>['pause']

/** An engine with one type of service more. */
export async function openCounting(
  options: EngineOptions = {},
  hooks: { pause?: Pause; counted?: Counted; ballast?: number } = {},
): Promise<Engine> {
  const engine = await Engine.openWith(options, { services: { counter: wordCounter(hooks) } })
  onTestFinished(() => engine.close())
  return engine
}

/** A service of that type, which is none of the package's. */
export async function createCounter(engine: Engine, more: object = {}): Promise<CounterService> {
  const service = { type: 'counter', name: 'Words', ...more } as unknown as { type: 'search'; name: string }
  return (await engine.services.create(service)) as unknown as CounterService
}

export const counterOf = (engine: Engine, idOrAlias: string): CounterService =>
  engine.services.get(idOrAlias) as unknown as CounterService

/** A promise and what resolves it. */
export function gate(): { open(): void; opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { open, opened }
}
