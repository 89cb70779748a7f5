import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/analysis/fold.ts'
import { TagSuggestions } from '../../src/datasets/tags/tag-suggestions.ts'
import { type Tag, TagTree } from '../../src/datasets/tags/tag-tree.ts'
import { atOnce } from '../../src/scheduling/at-once.ts'

function shopOf(tags: readonly Tag[]) {
  const tree = new TagTree(tags, { integerIds: false })
  const suggesting = new TagSuggestions(tree)
  const suggestions = {
    suggest(text: string, limit: number, known?: ReadonlySet<string>) {
      atOnce(suggesting.catchUp())
      return atOnce(suggesting.suggest(text, limit, known))
    },
  }
  const apply = (change: Parameters<TagTree['apply']>[0]) => {
    tree.apply(change)
    suggesting.apply(change)
  }
  return { tree, suggestions, apply }
}

const roots = (...names: string[]): Tag[] => names.map(name => ({ id: name, name, parentId: null }))

describe('suggest', () => {
  const suggest = (typed: string, names: string[], limit = 10) =>
    shopOf(roots(...names)).suggestions.suggest(typed, limit)

  it('finds a tag by the start of any of its words', () => {
    expect(suggest('la', ['Table lamps', 'Sofas', 'Lace'])).toEqual(['Lace', 'Table lamps'])
    expect(suggest('amps', ['Table lamps'])).toEqual([])
  })

  it('wants a word for every typed word', () => {
    expect(suggest('lam tab', ['Table lamps', 'Tables', 'Lamps'])).toEqual(['Table lamps'])
  })

  it('does not mind case and accents', () => {
    expect(suggest('STUHLE', ['Stühle'])).toEqual(['Stühle'])
    expect(suggest('café', ['CAFE'])).toEqual(['CAFE'])
  })

  it('puts the very name first, then shorter names', () => {
    expect(suggest('red', ['Redwood', 'Red shoes', 'Red'])).toEqual(['Red', 'Redwood', 'Red shoes'])
    expect(suggest('shoes red', ['Shoe red shoes', 'Shoes redx', 'Shoes, red!'])).toEqual([
      'Shoes, red!',
      'Shoes redx',
      'Shoe red shoes',
    ])
  })

  it('puts the tag nearer to a root first where names are equal, then goes by id', () => {
    const { suggestions, tree, apply } = shopOf([
      { id: '1', name: 'Lamps', parentId: '9' },
      { id: '9', name: 'Garden', parentId: null },
      { id: '3', name: 'Lamps', parentId: null },
      { id: '2', name: 'Lamps', parentId: null },
    ])
    expect(suggestions.suggest('lam', 10)).toEqual(['2', '3', '1'])
    apply(tree.planUpdate('9', { parentId: '2' }))
    apply(tree.planUpdate('1', { parentId: null }))
    expect(suggestions.suggest('lam', 10)).toEqual(['1', '2', '3'])
  })

  it('gives no more than asked for', () => {
    expect(suggest('a', ['a1', 'a2', 'a3'], 2)).toEqual(['a1', 'a2'])
    expect(suggest('a', ['a1'], 0)).toEqual([])
  })

  it('has nothing to say to nothing', () => {
    for (const typed of ['', '   ', '!?', '\u0000']) expect(suggest(typed, ['a'])).toEqual([])
  })

  it.each([
    '__proto__',
    'constructor',
    'hasOwnProperty',
    '(((',
    '\\',
    '\ud83d',
    'a'.repeat(2_000_000),
    'ab '.repeat(700_000),
  ])('is safe from hostile text %#', text => {
    const { suggestions, apply } = shopOf(roots('constructive'))
    expect(() => suggestions.suggest(text, 10)).not.toThrow()
    apply({ put: [{ id: 'x', name: text, parentId: null }], remove: [] })
    expect(suggestions.suggest('constructiv', 10)).toEqual(['constructive'])
    expect(suggestions.suggest('proto constr zz', 10)).toEqual([])
  })

  it('finds names by words that are longer than any index prefix', () => {
    const [long, other] = [`${'x'.repeat(60)}a`, `${'x'.repeat(60)}b`]
    expect(suggest(long, [long, other])).toEqual([long])
  })
})

describe('catchUp', () => {
  it('takes in a tag at a time, also what changes meanwhile', () => {
    const tree = new TagTree(roots('Lamps', 'Sofas', 'Chairs', 'Tables'), { integerIds: false })
    const suggestions = new TagSuggestions(tree)
    const pieces = suggestions.catchUp()
    for (let i = 0; i < 2; i++) expect(pieces.next().done).toBe(false)
    for (const change of [
      tree.planUpdate('Lamps', { name: 'Lights' }),
      tree.planUpdate('Tables', { id: 'tables' }),
      tree.planRemove('Chairs', { force: false }),
      tree.planCreate({ id: 'new', name: 'Lanterns' }),
    ]) {
      tree.apply(change)
      suggestions.apply(change)
    }
    atOnce(pieces)
    const found = ['la', 'li', 'so', 'ch', 'ta'].map(typed => atOnce(suggestions.suggest(typed, 5)))
    expect(found).toEqual([['new'], ['Lamps'], ['Sofas'], [], ['tables']])
  })
})

describe('apply', () => {
  it('follows renames, changed ids and removals', () => {
    const { suggestions, tree, apply } = shopOf(roots('Lamps', 'Sofas'))
    apply(tree.planUpdate('Lamps', { name: 'Lights' }))
    expect([suggestions.suggest('lam', 5), suggestions.suggest('lig', 5)]).toEqual([[], ['Lamps']])
    apply(tree.planUpdate('Lamps', { id: 'lights' }))
    expect(suggestions.suggest('lig', 5)).toEqual(['lights'])
    apply(tree.planRemove('lights', { force: false }))
    expect(suggestions.suggest('lig', 5)).toEqual([])
  })

  it('goes on after very many changes', () => {
    const { suggestions, tree, apply } = shopOf(roots('Lamps', 'Sofas'))
    for (let i = 0; i < 1000; i++) apply(tree.planUpdate('Lamps', { name: `Lamps ${i}` }))
    expect(suggestions.suggest('lam 99', 5)).toEqual(['Lamps'])
    expect(suggestions.suggest('lam 998', 5)).toEqual([])
    expect(suggestions.suggest('so', 5)).toEqual(['Sofas'])
  })

  const word = fc.constantFrom('Lamp', 'lamps', 'Läden', 'red', 'Rot', 'ro', '__proto__', 'x1')
  const name = fc.array(word, { minLength: 1, maxLength: 3 }).map(words => words.join(' '))
  const typed = fc.array(fc.constantFrom('l', 'la', 'lam', 'lamps', 'r', 'ro', 'proto', 'x'), {
    minLength: 1,
    maxLength: 2,
  })

  it('finds the same tags as a look at every name, after any changes', () => {
    const change = fc.record({ id: fc.constantFrom('1', '2', '3', '4', '5'), name: fc.option(name) })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), typed, (changes, starts) => {
        const { suggestions, apply } = shopOf([])
        const names = new Map<string, string>()
        for (const { id, name } of changes) {
          if (name === null) names.delete(id)
          else names.set(id, name)
          apply(
            name === null ? { put: [], remove: [id] } : { put: [{ id, name, parentId: null }], remove: [] },
          )
        }
        const matching = [...names].filter(([, name]) => {
          const words = fold(name).split(/[ _]+/)
          return starts.every(start => words.some(word => word.startsWith(start)))
        })
        expect(suggestions.suggest(starts.join(' '), 10).sort()).toEqual(matching.map(([id]) => id).sort())
      }),
    )
  })

  it('gives the first of those that count', () => {
    const tag = fc.record({ id: fc.constantFrom(...'123456789'), name })
    const tags = fc.uniqueArray(tag, { selector: ({ id }) => id, maxLength: 9 })
    const known = fc.array(fc.constantFrom(...'123456789'), { maxLength: 9 }).map(ids => new Set(ids))
    fc.assert(
      fc.property(tags, typed, known, fc.nat(9), (all, starts, some, limit) => {
        const { suggestions } = shopOf(all.map(one => ({ ...one, parentId: null })))
        const found = suggestions.suggest(starts.join(' '), 100).filter(id => some.has(id))
        expect(suggestions.suggest(starts.join(' '), limit, some)).toEqual(found.slice(0, limit))
      }),
    )
  })
})
