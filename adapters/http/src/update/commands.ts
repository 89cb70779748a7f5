import { type CommandOptions, runCommand } from './command.ts'
import type { Component, ComponentSettings } from './components.ts'

/** A component that the operator's own commands check and update. */
export function commandComponent(settings: ComponentSettings, env: CommandOptions['env']): Component {
  const { name, check, update, timeoutSeconds } = settings
  const options = { timeoutSeconds, env }
  return {
    name,
    async check() {
      const { code } = await runCommand(check, options)
      if (code > 1) throw new Error(`its check exited with code ${code}; expected 0 (up to date) or 1`)
      return code === 0
    },
    async update() {
      const { code } = await runCommand(update, options)
      if (code !== 0) throw new Error(`its update exited with code ${code}`)
      return 'updated'
    },
  }
}
