import { HttpError } from '../http/errors.ts'
import type { Component } from './components.ts'

export interface Updater {
  /** The log has one line per component. Rejects with an HttpError 500 if a component failed or a run is in progress. */
  run(): Promise<{ log: string }>
}

/** Updates the components one after the other, so that their updates do not overlap. */
export function createUpdater(
  components: readonly Component[],
  log: (details: object, message: string) => void = () => {},
): Updater {
  let running = false
  return {
    async run() {
      if (running) throw new HttpError(500, 'An update is already running; try again when it has finished.')
      running = true
      try {
        return { log: await updateAll(components, log) }
      } finally {
        running = false
      }
    },
  }
}

async function updateAll(
  components: readonly Component[],
  log: (details: object, message: string) => void,
): Promise<string> {
  const lines: string[] = []
  const failures: string[] = []
  for (const component of components) {
    try {
      lines.push(`${component.name}: ${await bringUpToDate(component)}`)
    } catch (error) {
      failures.push(`${component.name}: failed, ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  log({ lines, failures }, 'update ended')
  // Successful updates are reported as well, because they have taken effect.
  if (failures.length > 0) throw new HttpError(500, [...failures, ...lines])
  return lines.join('\n')
}

async function bringUpToDate(component: Component): Promise<string> {
  return (await component.check()) ? 'already up to date' : await component.update()
}
