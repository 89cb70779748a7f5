import { posix } from 'node:path'
import { readXml } from '../reader/xml.ts'
import type { Parts } from '../reader/zip.ts'

/** The parts that a part refers to, by relationship id (ECMA-376, part 2, section 6.5). */
export async function readRelations(parts: Parts, part: string): Promise<Map<string, string>> {
  const { dir, base } = posix.parse(part)
  const targets = new Map<string, string>()
  await readXml(parts.read(posix.join(dir, '_rels', `${base}.rels`)), {
    open({ name, attribute }) {
      if (name !== 'Relationship') return
      const target = attribute('Target') ?? ''
      const path = target.startsWith('/') ? target.slice(1) : posix.join(dir, target)
      // Other targets, such as links, are outside the file.
      if (parts.has(path)) targets.set(attribute('Id') ?? '', path)
    },
  })
  return targets
}

/** Parts in the order in which they are listed; unlisted ones come last. */
export function inOrderOf(named: readonly (string | undefined)[], parts: readonly string[]): string[] {
  const left = new Set(parts)
  const first = named.filter(part => part !== undefined && left.delete(part)) as string[]
  return [...first, ...left]
}
