import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = new URL('../src/', import.meta.url)
const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => path.endsWith('.ts'))

/** The names of files that verticals share on purpose, and those whose folder says what they are about. */
const sharedFiles = [
  ...['options.ts', 'tasks.ts'],
  ...['answering.ts', 'checking.ts', 'conditions.ts', 'definition.ts', 'export.ts', 'settings.ts'],
  ...['duplicates.ts', 'explanation.ts', 'matching.ts', 'registry.ts', 'training.ts'],
]

/** What each prepared service exports by the same name, and what each entry for worker threads does. */
const sharedByServices = [
  ...['Activation', 'Prepared', 'checkActivation', 'exporting'],
  ...['exportedSettings', 'givenSettings', 'prepareSettings', 'recommended'],
]
const sharedByWorkers = ['perform']

describe('names', () => {
  it('of files are given once, but for those that verticals share', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(moreThanOnce(files.map(file => posix.basename(file)))).toEqual([...sharedFiles].sort())
  })

  it('of what files export are given once, but for those that services share', () => {
    const names = files.flatMap(exportsOf)
    expect(names.length).toBeGreaterThan(1000)
    expect(moreThanOnce(names)).toEqual([...sharedByServices, ...sharedByWorkers].sort())
  })
})

/** What a file declares and exports; overloads of a function are one. */
function exportsOf(file: string): string[] {
  const declared =
    /^export (?:declare |abstract |async )*(?:class|interface|type|enum|const|let|function\*?) (\w+)/gm
  return [
    ...new Set([...readFileSync(new URL(file, src), 'utf8').matchAll(declared)].map(([, name]) => name!)),
  ]
}

function moreThanOnce(names: readonly string[]): string[] {
  const met = new Set<string>()
  return [...new Set(names.filter(name => met.has(name) || !met.add(name)))].sort()
}
