import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  maxTagLevel,
  type Tag,
  type TagChange,
  TagTree,
  type TagView,
} from '../../src/datasets/tags/tag-tree.ts'
import { FindlingError } from '../../src/errors.ts'
import { atOnce } from '../../src/scheduling/at-once.ts'

const shop: Tag[] = [
  { id: 'home', name: 'Home', parentId: null },
  { id: 'sofas', name: 'Sofas', parentId: 'home' },
  { id: 'lamps', name: 'Lamps', parentId: 'home' },
  { id: 'desk', name: 'Desk lamps', parentId: 'lamps' },
  { id: 'garden', name: 'Garden', parentId: null },
]

const treeOf = (tags: Iterable<Tag>, integerIds = false) => new TagTree(tags, { integerIds })

const listOf = (tree: TagTree): TagView[] => atOnce(tree.list())

const tagsOf = (tree: TagTree): Tag[] =>
  listOf(tree).map(({ id, name, parentId }) => ({ id, name, parentId }))

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

describe('views', () => {
  it('tell path, level and whether anything is below', () => {
    expect(treeOf(shop).get('desk')).toEqual({
      id: 'desk',
      name: 'Desk lamps',
      parentId: 'lamps',
      path: [
        { id: 'home', name: 'Home', level: 1 },
        { id: 'lamps', name: 'Lamps', level: 2 },
      ],
      level: 3,
      isLeaf: true,
    })
    expect(treeOf(shop).get('home')).toMatchObject({ path: [], level: 1, isLeaf: false })
    expect(treeOf(shop).get('nothing')).toBeUndefined()
  })

  it('come in the order of their ids, however the tags came', () => {
    const ids = ['desk', 'garden', 'home', 'lamps', 'sofas']
    expect(listOf(treeOf(shop)).map(tag => tag.id)).toEqual(ids)
    expect(listOf(treeOf([...shop].reverse())).map(tag => tag.id)).toEqual(ids)
    expect(treeOf(shop).size).toBe(5)
  })

  it('are those of the moment when listing began', () => {
    const tree = treeOf(shop)
    const before = listOf(tree)
    const listing = tree.list()
    listing.next()
    tree.apply(tree.planUpdate('lamps', { name: 'Lanterns', parentId: 'garden' }))
    tree.apply(tree.planRemove('sofas', { force: false }))
    expect(atOnce(listing)).toEqual(before)
    expect(listOf(tree)).not.toEqual(before)
  })

  it('cannot be used to change the tree', () => {
    const tree = treeOf(shop)
    const { path } = tree.get('desk')!
    expect(() => Object.assign(path[0]!, { name: 'Hacked' })).toThrow(TypeError)
    expect(tree.get('desk')?.path[0]?.name).toBe('Home')
  })

  it('know what is above and below', () => {
    const tree = treeOf(shop)
    expect(tree.ancestors('desk')).toEqual(['home', 'lamps'])
    expect(tree.descendants('home')).toEqual(['sofas', 'lamps', 'desk'])
    expect(tree.descendants('desk')).toEqual([])
    expect(tree.ancestors('nothing')).toEqual([])
  })
})

describe('planCreate', () => {
  it('trims, takes numbers as text, and makes a root of a tag with a blank parent', () => {
    const tree = treeOf(shop)
    expect(tree.planCreate({ id: ' a ', name: ' A b ', parentId: ' home ' })).toEqual({
      put: [{ id: 'a', name: 'A b', parentId: 'home' }],
      remove: [],
    })
    for (const parentId of [null, undefined, '', '  ']) {
      expect(tree.planCreate({ id: 7, name: 8, parentId }).put).toEqual([
        { id: '7', name: '8', parentId: null },
      ])
    }
  })

  it('takes a name of 1,000 characters, blanks around it apart', () => {
    const name = 'x'.repeat(1_000)
    expect(treeOf(shop).planCreate({ id: 'a', name: ` ${name} ` }).put).toMatchObject([{ name }])
  })

  it('changes nothing until it is applied', () => {
    const tree = treeOf(shop)
    const change = tree.planCreate({ id: 'floor', name: 'Floor lamps', parentId: 'desk' })
    expect(tagsOf(tree)).toEqual(tagsOf(treeOf(shop)))
    tree.apply(change)
    expect(tree.get('floor')).toMatchObject({ level: 4, isLeaf: true })
    expect(tree.get('desk')?.isLeaf).toBe(false)
  })

  it.each([
    ['a taken id', { id: 'sofas', name: 'x' }, 'TAG_EXISTS'],
    ['an unknown parent', { id: 'x', name: 'x', parentId: 'nowhere' }, 'TAG_PARENT_NOT_FOUND'],
    ['itself as the parent', { id: 'x', name: 'x', parentId: 'x' }, 'TAG_PARENT_NOT_FOUND'],
    ['a blank id', { id: ' ', name: 'x' }, 'INVALID_ARGUMENT'],
    ['a blank name', { id: 'x', name: ' ' }, 'INVALID_ARGUMENT'],
    ['a name beyond 1,000 characters', { id: 'x', name: 'x'.repeat(1_001) }, 'INVALID_ARGUMENT'],
    ['no name', { id: 'x' }, 'INVALID_ARGUMENT'],
    ['a lone surrogate', { id: '\ud800', name: 'x' }, 'INVALID_ARGUMENT'],
    ['an id beyond 1,024 bytes', { id: 'ü'.repeat(513), name: 'x' }, 'INVALID_ARGUMENT'],
    ['a number beyond 2^53', { id: 2 ** 53, name: 'x' }, 'INVALID_ARGUMENT'],
    ['no object', 'x', 'INVALID_ARGUMENT'],
    ['an object as the parent', { id: 'x', name: 'x', parentId: {} }, 'INVALID_ARGUMENT'],
  ])('refuses %s', (_, tag, code) => {
    expect(codeOf(() => treeOf(shop).planCreate(tag))).toBe(code)
  })

  it('wants digits where the ids are whole numbers', () => {
    const tree = treeOf([], true)
    expect(codeOf(() => tree.planCreate({ id: '12a', name: 'x' }))).toBe('INVALID_ARGUMENT')
    expect(codeOf(() => tree.planCreate({ id: -1, name: 'x' }))).toBe('INVALID_ARGUMENT')
    expect(tree.planCreate({ id: 12, name: 'x' }).put[0]?.id).toBe('12')
  })

  it.each(['__proto__', 'constructor', 'toString', '\u0000'])('takes the id %j like any other', id => {
    const tree = treeOf(shop)
    tree.apply(tree.planCreate({ id, name: id === '\u0000' ? 'x' : id, parentId: 'home' }))
    tree.apply(tree.planCreate({ id: 'below', name: 'x', parentId: id }))
    expect(tree.ancestors('below')).toEqual(['home', id])
  })

  it(`allows ${maxTagLevel} levels`, () => {
    const tree = treeOf(chain(maxTagLevel - 1))
    tree.apply(tree.planCreate({ id: 'last', name: 'x', parentId: `t${maxTagLevel - 1}` }))
    expect(tree.get('last')?.level).toBe(maxTagLevel)
    expect(codeOf(() => tree.planCreate({ id: 'more', name: 'x', parentId: 'last' }))).toBe(
      'INVALID_ARGUMENT',
    )
  })
})

describe('planUpdate', () => {
  it('changes only what is given', () => {
    const tree = treeOf(shop)
    expect(tree.planUpdate('desk', { name: 'Desks' }).put).toEqual([
      { id: 'desk', name: 'Desks', parentId: 'lamps' },
    ])
    expect(tree.planUpdate('desk', { parentId: null }).put[0]?.parentId).toBeNull()
    expect(tree.planUpdate('desk', { parentId: ' ' }).put[0]?.parentId).toBeNull()
    expect(tree.planUpdate('desk', {}).put).toEqual([shop[3]])
  })

  it('moves everything below along', () => {
    const tree = treeOf(shop)
    tree.apply(tree.planUpdate('lamps', { parentId: 'garden', name: 'Lanterns' }))
    expect(tree.get('desk')?.path.map(step => step.name)).toEqual(['Garden', 'Lanterns'])
    expect(tree.descendants('home')).toEqual(['sofas'])
  })

  it('lets the children follow a changed id', () => {
    const tree = treeOf(shop)
    const change = tree.planUpdate('home', { id: 'house' })
    expect(change.remove).toEqual(['home'])
    tree.apply(change)
    expect(tree.has('home')).toBe(false)
    expect(tree.ancestors('desk')).toEqual(['house', 'lamps'])
    expect(tree.descendants('house')).toEqual(['sofas', 'lamps', 'desk'])
  })

  it('makes a leaf of a parent that lost its only child', () => {
    const tree = treeOf(shop)
    tree.apply(tree.planUpdate('desk', { parentId: 'sofas' }))
    expect(tree.get('lamps')?.isLeaf).toBe(true)
    expect(tree.get('sofas')?.isLeaf).toBe(false)
  })

  it.each([
    ['an unknown tag', 'nowhere', { name: 'x' }, 'TAG_NOT_FOUND'],
    ['a taken id', 'sofas', { id: 'lamps' }, 'TAG_EXISTS'],
    ['an unknown parent', 'sofas', { parentId: 'nowhere' }, 'TAG_PARENT_NOT_FOUND'],
    ['a tag below itself', 'home', { parentId: 'home' }, 'TAG_CYCLE'],
    ['a tag below its descendant', 'home', { parentId: 'desk' }, 'TAG_CYCLE'],
    ['a tag below its own new id', 'home', { id: 'house', parentId: 'house' }, 'TAG_CYCLE'],
    ['a bad id even of an unknown tag', 'nowhere', { id: '' }, 'INVALID_ARGUMENT'],
    ['a blank name', 'sofas', { name: '' }, 'INVALID_ARGUMENT'],
    ['a name beyond 1,000 characters', 'sofas', { name: 'x'.repeat(1_001) }, 'INVALID_ARGUMENT'],
  ])('refuses %s', (_, id, update, code) => {
    expect(codeOf(() => treeOf(shop).planUpdate(id, update))).toBe(code)
  })

  it('names in every refusal the field, what was received and what is expected', () => {
    const tree = treeOf(shop)
    const refused: [plan: () => unknown, message: string, field: string, expected: string][] = [
      [
        () => tree.planUpdate('nowhere', { name: 'x' }),
        'There is no tag "nowhere".',
        'id',
        'the id of a tag that exists',
      ],
      [
        () => tree.planUpdate('sofas', { id: 'lamps' }),
        'There is already a tag "lamps".',
        'id',
        'an id that is not taken',
      ],
      [
        () => tree.planUpdate('sofas', { parentId: 'nowhere' }),
        'There is no tag "nowhere" to be the parent.',
        'parentId',
        'the id of a tag that exists',
      ],
      [
        () => tree.planUpdate('home', { parentId: 'desk' }),
        'The tag "home" cannot be below itself: its parent would be "desk".',
        'parentId',
        'a tag that is not below this one',
      ],
      [
        () => tree.planRemove('lamps', { force: false }),
        'The tag "lamps" has 1 tag below it; force removes it too.',
        'id',
        'a tag with none below it, or the option force',
      ],
    ]
    for (const [plan, message, field, expected] of refused) {
      const received = expect.stringMatching(/^"\w+"$/)
      expect(plan).toThrow(expect.objectContaining({ message, details: { field, received, expected } }))
    }
  })

  it(`refuses to push what is below deeper than ${maxTagLevel} levels`, () => {
    const tree = treeOf([
      ...chain(maxTagLevel - 1),
      { id: 'a', name: 'a', parentId: null },
      { id: 'b', name: 'b', parentId: 'a' },
    ])
    const parentId = `t${maxTagLevel - 1}`
    expect(codeOf(() => tree.planUpdate('a', { parentId }))).toBe('INVALID_ARGUMENT')
    expect(codeOf(() => tree.planUpdate('b', { parentId }))).toBe('planned')
    expect(codeOf(() => tree.planUpdate('a', { parentId: `t${maxTagLevel - 2}` }))).toBe('planned')
  })
})

describe('planRemove', () => {
  it('removes a leaf, and with force all that is below', () => {
    const tree = treeOf(shop)
    expect(tree.planRemove('desk', { force: false })).toEqual({ put: [], remove: ['desk'] })
    tree.apply(tree.planRemove('home', { force: true }))
    expect(tagsOf(tree).map(tag => tag.id)).toEqual(['garden'])
  })

  it('refuses an unknown tag, and one with children without force', () => {
    expect(codeOf(() => treeOf(shop).planRemove('nowhere', { force: true }))).toBe('TAG_NOT_FOUND')
    expect(codeOf(() => treeOf(shop).planRemove('home', { force: false }))).toBe('TAG_HAS_CHILDREN')
    const pair = [
      { id: 'a', name: 'A', parentId: null },
      { id: 'b', name: 'B', parentId: 'a' },
    ]
    expect(() => treeOf(pair).planRemove('a', { force: false })).toThrow(
      '1 tag below it; force removes it too',
    )
  })
})

describe('a random history', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__')
  const parentId = fc.option(id)
  const step = fc.oneof(
    fc.record({ kind: fc.constant('create' as const), id, parentId }),
    fc.record({ kind: fc.constant('update' as const), old: id, id, parentId }),
    fc.record({ kind: fc.constant('remove' as const), id, force: fc.boolean() }),
  )

  function plan(
    tree: TagTree,
    action: typeof step extends fc.Arbitrary<infer S> ? S : never,
  ): TagChange | undefined {
    try {
      if (action.kind === 'create') return tree.planCreate({ ...action, name: `name of ${action.id}` })
      if (action.kind === 'update')
        return tree.planUpdate(action.old, { id: action.id, parentId: action.parentId })
      return tree.planRemove(action.id, action)
    } catch (error) {
      if (error instanceof FindlingError) return undefined
      throw error
    }
  }

  it('leaves what a tree made of the stored tags shows, and every tag below a root', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), actions => {
        const tree = treeOf([])
        const stored = new Map<string, Tag>()
        for (const action of actions) {
          listOf(tree)
          const change = plan(tree, action)
          if (!change) continue
          for (const gone of change.remove) stored.delete(gone)
          for (const tag of change.put) stored.set(tag.id, tag)
          tree.apply(change)
        }
        expect(listOf(tree)).toEqual(listOf(treeOf(stored.values())))
        for (const tag of listOf(tree)) {
          const up = [...tag.path.map(step => step.id), tag.id]
          expect(new Set(up).size).toBe(up.length)
          expect(stored.get(up[0]!)?.parentId).toBeNull()
          expect(tree.descendants(up[0]!).includes(tag.id)).toBe(tag.level > 1)
        }
      }),
    )
  })
})
