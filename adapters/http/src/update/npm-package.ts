import { type CommandOptions, runCommand } from './command.ts'
import type { Component, PackageSettings } from './components.ts'

/** A release version as npm prints it (Semantic Versioning 2.0.0, section 2). */
const release = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/

/** This package itself; the operator's commands look up the newest version and install it. */
export function packageComponent(
  installed: { name: string; version: string },
  { latest, install, timeoutSeconds }: PackageSettings,
  env: CommandOptions['env'],
): Component {
  const options = { timeoutSeconds, env }
  const newest = async () => {
    const { code, output } = await runCommand(latest, options)
    const version = output.trim()
    if (code !== 0) throw new Error(`the query for its newest version exited with code ${code}`)
    if (!release.test(version)) throw new Error('the query for its newest version printed no version')
    return version
  }
  return {
    name: installed.name,
    check: async () => !isNewer(await newest(), installed.version),
    async update() {
      const { code } = await runCommand(install, options)
      if (code !== 0) throw new Error(`its installation exited with code ${code}`)
      return `updated from ${installed.version}; restart to use it`
    },
  }
}

function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [numbersOf(version), numbersOf(than)]
  const at = ours.findIndex((number, i) => number !== theirs[i])
  return at !== -1 && ours[at]! > theirs[at]!
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number)
}
