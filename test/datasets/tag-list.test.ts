import { describe, expect, it } from 'vitest'
import { readTags } from '../../src/datasets/tags/tag-list.ts'
import { maxTagLevel, type RefusedTag, type Tag, TagTree } from '../../src/datasets/tags/tag-tree.ts'
import { FindlingError } from '../../src/errors.ts'
import { atOnce } from '../../src/scheduling/at-once.ts'

const shop: Tag[] = [
  { id: 'home', name: 'Home', parentId: null },
  { id: 'sofas', name: 'Sofas', parentId: 'home' },
]

const chain = (length: number): Tag[] =>
  Array.from({ length }, (_, i) => ({ id: `t${i + 1}`, name: 'x', parentId: i === 0 ? null : `t${i}` }))

function codeOf(plan: () => unknown): string {
  try {
    plan()
    return 'planned'
  } catch (error) {
    if (error instanceof FindlingError) return error.code
    throw error
  }
}

describe('a list of tags', () => {
  const refusals = (tags: unknown, integerIds = false) => {
    try {
      atOnce(readTags(tags, { integerIds }))
      return 'planned'
    } catch (error) {
      if (!(error instanceof FindlingError) || !error.details.refused) throw error
      const refused = error.details.refused as RefusedTag[]
      expect(error.code).toBe(refused[0]!.code)
      return refused.map(({ id, code }) => [id, code])
    }
  }

  it('replaces everything, in any order, with null entries left out', () => {
    const tree = new TagTree(shop, { integerIds: false })
    const reading = readTags(
      [
        { id: 2, name: 'Two', parentId: 1 },
        null,
        { id: 'sofas', name: 'Couches', parentId: 'NULL' },
        { id: 1, name: 'One', parentId: ' ' },
      ],
      { integerIds: false },
    )
    const tags = atOnce(reading)
    const replacing = tree.planReplaceAll(tags, new Map(tags.map(tag => [tag.id, tag])))
    tree.apply(atOnce(replacing))
    expect(atOnce(tree.sorted())).toEqual([
      { id: '1', name: 'One', parentId: null },
      { id: '2', name: 'Two', parentId: '1' },
      { id: 'sofas', name: 'Couches', parentId: null },
    ])
  })

  it('names the tags that no root leads to', () => {
    const tags = [
      { id: 'ok', name: 'x', parentId: null },
      { id: 'lost', name: 'x', parentId: 'nowhere' },
      { id: 'with', name: 'x', parentId: 'lost' },
      { id: 'a', name: 'x', parentId: 'b' },
      { id: 'b', name: 'x', parentId: 'a' },
      { id: 'c', name: 'x', parentId: 'b' },
      { id: 'self', name: 'x', parentId: 'self' },
    ]
    expect(refusals(tags)).toEqual([
      ['lost', 'TAG_PARENT_NOT_FOUND'],
      ['with', 'TAG_PARENT_NOT_FOUND'],
      ['a', 'TAG_CYCLE'],
      ['b', 'TAG_CYCLE'],
      ['c', 'TAG_CYCLE'],
      ['self', 'TAG_CYCLE'],
    ])
  })

  it('does not count old tags as parents', () => {
    expect(refusals([{ id: 'x', name: 'x', parentId: 'home' }])).toEqual([['x', 'TAG_PARENT_NOT_FOUND']])
  })

  it('names the ids that are no digits before it looks at the tree', () => {
    const tags = [
      { id: 1, name: 'x', parentId: 'nowhere' },
      { id: 'two', name: 'x' },
    ]
    expect(refusals(tags, true)).toEqual([['two', 'INVALID_ARGUMENT']])
  })

  it(`names the tags deeper than ${maxTagLevel} levels`, () => {
    expect(refusals(chain(maxTagLevel))).toBe('planned')
    expect(refusals(chain(maxTagLevel + 2))).toEqual([
      [`t${maxTagLevel + 1}`, 'INVALID_ARGUMENT'],
      [`t${maxTagLevel + 2}`, 'INVALID_ARGUMENT'],
    ])
  })

  it('takes a chain of 100,000 in its stride', () => {
    expect(refusals(chain(100_000))).toHaveLength(100_000 - maxTagLevel)
  })

  it.each([
    ['an empty list', []],
    ['a list of nulls', [null]],
    ['no list', { id: 'x' }],
    ['an empty id', [{ id: ' ', name: 'x' }]],
    ['a missing name', [{ id: 'x', name: 'x' }, { id: 'y' }]],
  ])('refuses %s', (_, tags) => {
    expect(codeOf(() => refusals(tags))).toBe('INVALID_ARGUMENT')
  })

  it('names all ids that come more than once', () => {
    const tags = ['a', ' b', 'a', 'c', 'b', 'a'].map(id => ({ id, name: 'x' }))
    expect(() => refusals(tags)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', details: { field: 'tags', repeated: ['a', 'b'] } }),
    )
  })

  it('is read piece by piece, and what is wrong is named by its place in all of it', () => {
    const tags = Array.from({ length: 1000 }, (_, i) => ({ id: i, name: 'x', parentId: i > 0 ? 0 : null }))
    expect([...readTags(tags, { integerIds: true })].length).toBeGreaterThan(3)
    const wrong = tags.with(700, { id: 700, name: ' ', parentId: null }).with(900, tags[0]!)
    expect(() => atOnce(readTags(wrong, { integerIds: true }))).toThrow('tags: [700].name is " "')
    const behindNull = (tag: object) => () => refusals([null, { id: 'x', name: 'x' }, null, tag])
    expect(behindNull({ id: 'y' })).toThrow('tags: [3].name is missing')
    expect(behindNull({ id: 'y'.repeat(2_000), name: 'x' })).toThrow('tags[3].id is ')
  })
})
