import type { Assignment, Outcome } from './isolated.ts'

process.once('message', async message => {
  const { module, measurement, argument } = message as Assignment // isolated.ts is the only sender
  const exported: Record<string, (argument: unknown) => Promise<unknown>> = await import(module)
  const result = await exported[measurement]!(argument)
  process.send!({ result } satisfies Outcome, () => process.disconnect())
})
