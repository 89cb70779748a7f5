import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePath, pathPattern, pathSegment } from '../../../adapters/http/src/http/path.ts'
import { anyCharacter } from '../../any-character.ts'

describe('parsePath', () => {
  test.each([
    ['/api/Tags', '/api/tags'],
    ['/api/tags/', '/api/tags'],
    ['//api///TAGS//', '/api/tags'],
    ['/', '/'],
    ['/api/%54ags', '/api/tags'],
    ['/api/Documents/Filter/', '/api/documents/filter'],
  ])('brings %s to the route %s', (pathname, route) => {
    expect(parsePath(pathname).route).toBe(route)
  })

  test.each([
    ['/api/Tags/My%20Tag', 'My Tag'],
    ['/api/Tags/a%2Fb', 'a/b'],
    ['/api/Tags/%C3%81rvíz', 'Árvíz'],
    ['/api/Tags/%252F', '%2F'],
    ['/api/Tags/%00', '\0'],
  ])('decodes the last segment of %s to %j and keeps its case', (pathname, id) => {
    expect(parsePath(pathname)).toMatchObject({ segments: ['api', 'Tags', id], malformed: false })
  })

  test.each(['/api/Tags/%', '/api/Tags/%zz', '/api/Tags/%C3', '/api/Tags/%ED%A0%80'])(
    'calls %s malformed',
    pathname => {
      expect(parsePath(pathname).malformed).toBe(true)
    },
  )

  test('gives every text back that encodeURIComponent can write', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), id => {
        expect(parsePath(`/api/Tags/${encodeURIComponent(id)}`).segments[2]).toBe(id)
      }),
    )
  })

  test('gives every text back that pathSegment() writes, also what no address keeps', () => {
    const dots = fc.array(fc.constantFrom('.', '%2E', '%2e', '%252E', '%25', '25'), {
      minLength: 1,
      maxLength: 3,
    })
    const ids = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1 }),
      dots.map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(ids, id => {
        const { pathname } = new URL(`http://localhost/api/Tags/${pathSegment(id)}`)
        expect(parsePath(pathname).segments).toEqual(['api', 'Tags', id])
      }),
    )
  })

  test('makes routes of as many parts as there are segments, whatever the text', () => {
    fc.assert(
      fc.property(fc.webPath(), pathname => {
        const { route, segments } = parsePath(pathname)
        expect(route.split('/').filter(part => part !== '')).toHaveLength(segments.length)
      }),
    )
  })
})

describe('pathPattern', () => {
  test('names the members by their place in the path', () => {
    const { route, members } = pathPattern('/api/DataSets/{name}/Swap/{other}')
    expect(route).toBe('/api/datasets/:at2/swap/:at4')
    expect(members(parsePath('/API//datasets/One/swap/TWO/'))).toEqual({ name: 'One', other: 'TWO' })
  })
})
