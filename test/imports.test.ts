import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = new URL('../src/', import.meta.url)
const map = readFileSync(new URL('README.md', src), 'utf8')
const files = filesIn(src)

function filesIn(folder: URL): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => /\.c?ts$/.test(path) && !path.endsWith('.d.ts'))
}

/** To be untied. Only ever shorter: a pair that is gone leaves the list, and no other comes in. */
const pairsOfEngine: readonly string[] = []
const pairsOfAdapter: readonly string[] = []

const importing = /^(?:import|export)\b[^'";]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm

/** What a file names in its imports, those of types among them. */
const namesIn = (file: string, folder = src): string[] =>
  [...readFileSync(new URL(file, folder), 'utf8').matchAll(importing)].map(
    ([, one, two, three]) => (one ?? two ?? three)!,
  )

/** By file: the files of this package that it imports. */
const imports = importsIn(src)

function importsIn(folder: URL): Map<string, string[]> {
  const ownOf = (file: string) =>
    namesIn(file, folder).flatMap(name => (name.startsWith('.') ? posix.join(posix.dirname(file), name) : []))
  return new Map(filesIn(folder).map(file => [file, ownOf(file)]))
}

const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)

/** The rows of the table: each a room, by the names in its first cell. */
const rooms = map
  .split('\n')
  .filter(line => line.startsWith('| `'))
  .map(line => quoted(line.split('|')[1]!))

/** By room, which is the first name of its row, the rooms it may know. */
const arrows = arrowsIn(/^```\n(.*?)^```$/ms.exec(map)![1]!)

function arrowsIn(text: string): Map<string, Set<string>> {
  const direct = new Map<string, Set<string>>(rooms.map(([room]) => [room!, new Set()]))
  for (const line of text.trim().split('\n')) {
    const groups = line.split('→').map(group => group.replace(/[{}]/g, '').split(',').map(roomNamed))
    for (const [i, group] of groups.slice(1).entries()) {
      for (const from of groups[i]!) for (const to of group) direct.get(from)!.add(to)
    }
  }
  return new Map([...direct.keys()].map(room => [room, reached(room, direct)]))
}

function roomNamed(name: string): string {
  const room = rooms.find(names => names.includes(name.trim()))
  if (!room) throw new Error(`the table has no ${name}`)
  return room[0]!
}

function reached(from: string, direct: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>()
  const waiting = [...direct.get(from)!]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!found.has(next)) waiting.push(...direct.get(next)!)
    found.add(next)
  }
  return found
}

/** The room of a file: the row with its name or with the nearest of its folders. */
function roomOf(file: string): string | undefined {
  const fits = (name: string) => name === file || (name.endsWith('/') && file.startsWith(name))
  const length = (names: string[]) => Math.max(0, ...names.filter(fits).map(name => name.length))
  return rooms.filter(names => names.some(fits)).sort((a, b) => length(b) - length(a))[0]?.[0]
}

describe('the map of the code', () => {
  it('has a room for every file', () => {
    expect(files.length).toBeGreaterThan(100)
    expect(files.filter(file => roomOf(file) === undefined)).toEqual([])
  })

  it('names only what is there', () => {
    const isThere = (name: string) => files.some(file => file === name || file.startsWith(name))
    expect(rooms.flat().filter(name => !isThere(name))).toEqual([])
  })

  it('has arrows that lead one way', () => {
    expect([...arrows].filter(([room, known]) => known.has(room)).map(([room]) => room)).toEqual([])
  })

  it('has an arrow for every import, of types too', () => {
    const against: string[] = []
    let across = 0
    for (const [file, imported] of imports) {
      const room = roomOf(file)
      for (const other of imported) {
        const target = roomOf(other)
        if (room === undefined || target === undefined || room === target) continue
        across++
        if (!arrows.get(room)!.has(target)) against.push(`${file} imports ${other}`)
      }
    }
    expect(across).toBeGreaterThan(300)
    expect(against).toEqual([])
  })
})

describe('files', () => {
  it('do not know themselves through others, not by types either', () => {
    const circular: string[] = []
    for (const file of files) {
      const waiting = [...imports.get(file)!]
      const seen = new Set<string>()
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (seen.has(next)) continue
        seen.add(next)
        waiting.push(...(imports.get(next) ?? []))
      }
      if (seen.has(file)) circular.push(file)
    }
    expect(circular).toEqual([])
  })

  it('import a package only where the map says', () => {
    const named = new Set<string>()
    const rule = map.split('\n').find(line => line.includes('outside package'))!
    for (const [, packages, places] of rule.matchAll(
      /((?:`[^`]+`(?: and )?)+) in ((?:`[^`]+`(?: and )?)+)/g,
    )) {
      for (const name of quoted(packages!))
        for (const place of quoted(places!)) named.add(`${place} imports ${name}`)
    }
    const found = new Set<string>()
    for (const file of files) {
      for (const name of namesIn(file)) {
        if (/^(\.|node:|zod$)/.test(name)) continue
        found.add(`${file} imports ${/^(@[^/]+\/)?[^/]+/.exec(name)![0]}`)
      }
    }
    expect([...found].sort()).toEqual([...named].sort())
  })
})

describe('folders', () => {
  it.each([
    ['src', '../src/', pairsOfEngine],
    ['adapters/http/src', '../adapters/http/src/', pairsOfAdapter],
  ])('of %s import each other only where they still do', (_, folder, known) => {
    const found = importsIn(new URL(folder, import.meta.url))
    expect(found.size).toBeGreaterThan(100)
    expect(pairsIn(found)).toEqual(known)
  })
})

/** Folders that import each other, though no files do. Files beside the folders are none of them: each stands for itself. */
function pairsIn(found: ReadonlyMap<string, readonly string[]>): string[] {
  const folderOf = (file: string) => (file.includes('/') ? posix.dirname(file) : file)
  const known = new Set<string>()
  for (const [file, others] of found) {
    for (const other of others) known.add(`${folderOf(file)} ${folderOf(other)}`)
  }
  return [...known]
    .map(one => one.split(' ') as [string, string])
    .filter(([one, other]) => one < other && known.has(`${other} ${one}`))
    .map(([one, other]) => `${one} and ${other}`)
    .sort()
}
