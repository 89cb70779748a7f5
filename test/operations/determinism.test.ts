import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = new URL('../../src/', import.meta.url)
const sourceOf = (file: string): string => readFileSync(new URL(file, src), 'utf8')

/** Where an operation becomes what is stored. */
const APPLYING = [
  'operations/preparing.ts',
  'store/write-queue.ts',
  'store/namespace.ts',
  'datasets/registry.ts',
  'datasets/tags/stored-tag-tree.ts',
  'services/registry.ts',
]
/** What a service does when it is prepared and asked is no part of a write: only that it is there. */
const BEHIND = new Set(['services/lifecycle.ts'])

/** Types are gone when it runs. */
const valueImport = /^(?:import|export) (?!type\b)[^'";]*?from '(\.[^']+)'/gm

function reached(): Set<string> {
  const files = new Set(APPLYING)
  for (const file of files) {
    if (BEHIND.has(file)) continue
    for (const [, name] of sourceOf(file).matchAll(valueImport))
      files.add(posix.join(posix.dirname(file), name!))
  }
  return files
}

const source =
  /\b(?:Date\.now|new Date\(\)|performance\.now|Math\.random|random\w*\(|setTimeout|setInterval|process\.|[cC]lock\(\)|newId\(|Intl\.|localeCompare|toLocale\w*\()/g

const passesIn = 'the time of a write is passed in: that which is given, or else that of the clock'
const pauses = 'when there is a pause is not what is written'
const services = 'the id of a service that is given none; what is written to a log gives one'

/** With why nothing depends on it of what is written with a time and ids. */
const known: Record<string, { places: string[]; why: string }> = {
  'datasets/registry.ts': { places: ['clock()'], why: passesIn },
  'datasets/writes.ts': { places: ['clock()', 'clock()'], why: passesIn },
  'scheduling/loop-turn.ts': { places: ['performance.now'], why: pauses },
  'scheduling/stretch.ts': { places: ['performance.now', 'performance.now'], why: pauses },
  'services/registry.ts': { places: ['clock()', 'newId(', 'clock()', 'newId('], why: services },
}

describe('what applies a write', () => {
  it('knows neither clock nor random numbers nor timers but those named here', () => {
    const found: Record<string, string[]> = {}
    for (const file of [...reached()].sort()) {
      if (BEHIND.has(file)) continue
      const code = sourceOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      const places = [...code.matchAll(source)].map(([place]) => place)
      if (places.length > 0) found[file] = places
    }
    const expected = Object.entries(known).map(([file, { places }]) => [file, places])
    expect(found).toEqual(Object.fromEntries(expected))
  })
})
