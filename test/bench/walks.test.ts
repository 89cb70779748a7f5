import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { traced } from '../../bench/house/traced-sources.ts'
import { roomsOf, WalkTracer } from '../../bench/house/walk.ts'
import { type Walked, walks } from '../../bench/house/walks.ts'

/** At most 12 rooms for a search, 14 for an upsert; what is entered again or called back is to become less. */
const most: Record<Walked, { rooms: number; folders: number; again: number; up: number }> = {
  'a search': { rooms: 12, folders: 20, again: 14, up: 4 },
  'an upsert': { rooms: 10, folders: 19, again: 7, up: 13 },
  'a search over HTTP': { rooms: 21, folders: 30, again: 19, up: 6 },
  'an upsert over HTTP': { rooms: 19, folders: 29, again: 12, up: 15 },
}

describe('the walk through the sources', () => {
  it('is no longer than it was', async () => {
    const found = await walks()
    for (const [name, walk] of Object.entries(found)) {
      const { folders, again, up } = walk
      const rooms = roomsOf(walk)
      expect(folders.length, `${name} enters something`).toBeGreaterThan(5)
      const bounds = most[name as Walked]
      expect(rooms.length, `${name}: ${rooms.join(', ')}`).toBeLessThanOrEqual(bounds.rooms)
      expect(folders.length, `${name}: ${folders.join(', ')}`).toBeLessThanOrEqual(bounds.folders)
      expect(again.length, `${name} enters again: ${again.join(', ')}`).toBeLessThanOrEqual(bounds.again)
      expect(up.length, `${name} calls back: ${up.join(', ')}`).toBeLessThanOrEqual(bounds.up)
    }
  })
})

/** Calls of functions, each with those that it makes: `['a', ['b'], ['c']]`. */
type Call = [folder: string, ...calls: Call[]]

function walkOf(...calls: readonly Call[]) {
  const tracer = new WalkTracer()
  const make = ([folder, ...inner]: Call): void => {
    const leave = tracer.enter(`src/${folder}/file.ts`)
    inner.forEach(make)
    leave()
  }
  calls.forEach(make)
  const { folders, again, up } = tracer.walk
  return { folders, again, up }
}

const a = 'src/a/'
const b = 'src/b/'
const c = 'src/c/'

describe('a walk', () => {
  it('enters a folder once that calls others step by step', () => {
    expect(walkOf(['a', ['b'], ['a'], ['c'], ['a']])).toEqual({ folders: [a, b, c], again: [], up: [] })
  })

  it('enters a folder once that is called in a loop', () => {
    expect(walkOf(['a', ['b'], ['b'], ['b']])).toEqual({ folders: [a, b], again: [], up: [] })
  })

  it('enters a folder again when another one was found meanwhile', () => {
    expect(walkOf(['a', ['b'], ['c'], ['b']])).toEqual({ folders: [a, b, c], again: [b], up: [] })
  })

  it('is called back when a folder calls one that has called it', () => {
    expect(walkOf(['a', ['b', ['a', ['c']]]])).toEqual({
      folders: [a, b, c],
      again: [],
      up: ['src/b/ to src/a/'],
    })
  })

  it('passes files beside the folders', () => {
    const tracer = new WalkTracer()
    tracer.enter('src/engine.ts')()
    tracer.enter('src/a/b/file.ts')()
    expect(tracer.walk).toMatchObject({ folders: ['src/a/b/'], beside: ['src/engine.ts'] })
  })
})

describe('a traced source', () => {
  it.each([
    ['function declarations', 'function f(): number { return 1 }; f()'],
    ['arrows within arrows', 'const f = (x: number) => (y: number) => x + y; f(1)(2)'],
    ['arrows that give objects', 'const f = () => ({ a: [1].map(x => x) }); f()'],
    ['empty bodies', 'const f = () => {}; f()'],
    [
      'methods, accessors and private ones',
      'class C { get a() { return this.#b() } #b() { return 2 } }; new C().a',
    ],
    [
      'constructors of derived classes',
      'class A { x = 1 } class B extends A { constructor(readonly y = 2) { super() } }; new B().y',
    ],
    ['generators', 'function* f() { yield 1 }; [...f()]'],
    ['what throws', 'function f() { throw new Error() } try { f() } catch {}'],
  ])('tells of %s, and works as before', async (_, source) => {
    const { transpileModule } = ts
    const run = async (text: string, told: string[]) => {
      const code = transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022 } }).outputText
      const hook = (file: string) => {
        told.push(`in ${file}`)
        return () => told.push(`out ${file}`)
      }
      return new Function('globalThis', 'code', 'return eval(code)')({ __traced: hook }, code)
    }
    const told: string[] = []
    expect(await run(traced(source, 'a.ts'), told)).toEqual(await run(source, []))
    expect(told[0]).toBe('in a.ts')
  })
})
