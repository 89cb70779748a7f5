import { describe, expect, test } from 'vitest'
import { baseAddress, relativeRoot } from '../../../adapters/http/src/answer/base.ts'
import { parallelLimit, workerThreads } from '../../../adapters/http/src/request/parallel.ts'

describe('parallelLimit', () => {
  test.each<[string, string | null, number, number, number]>([
    ['all cores without a wish', null, 0, 8, 8],
    ['what the client asks for', '3', 0, 8, 3],
    ['no more than there are', '100', 0, 8, 8],
    ['what the operator allows', null, 2, 8, 2],
    ['the least of all', '3', 2, 8, 2],
    ['the wish below what is allowed', '1', 2, 8, 1],
    ['all, when the wish is no number', 'xyz', 0, 8, 8],
    ['all, when the wish is below zero', '-1', 0, 8, 8],
    ['all, when the wish is zero', '0', 0, 8, 8],
    ['all, when the wish is a fraction', '1.5', 0, 8, 8],
    ['all, when the wish is endless', '9'.repeat(400), 0, 8, 8],
  ])('is %s', (_, header, configured, cores, expected) => {
    expect(parallelLimit(header, configured, cores)).toBe(expected)
  })
})

describe('workerThreads', () => {
  test.each([
    [1, 1],
    [2, 1],
    [8, 7],
  ])('of %d cores are %d', (cores, threads) => {
    expect(workerThreads(cores)).toBe(threads)
  })
})

describe('baseAddress', () => {
  test.each([
    ['http://localhost:8080/api/tags?x=1', '', 'http://localhost:8080'],
    ['https://shop.example/api', '', 'https://shop.example'],
    [
      'http://test_api.internal.net:1234/api',
      'https://europe.example.com',
      'https://europe.example.com/test_api',
    ],
    ['http://single/api', 'https://europe.example.com/eu', 'https://europe.example.com/eu/single'],
  ])('of %s with the prefix %j is %s', (url, prefix, base) => {
    expect(baseAddress(new Request(url), prefix)).toBe(base)
  })

  test.each([
    ['http://localhost:8080/shop/api/tags', '', 'http://localhost:8080/shop'],
    ['http://inner/shop/api', 'https://europe.example.com', 'https://europe.example.com/shop'],
    ['http://inner/shop/api', 'https://example.com/eu', 'https://example.com/eu/shop'],
  ])('of %s for the client shop, with the prefix %j, is %s', (url, prefix, base) => {
    expect(baseAddress(new Request(url), prefix, 'shop')).toBe(base)
  })

  test('of the own pages of a server with clients is that of the server', () => {
    const request = new Request('http://inner/docs')
    expect(baseAddress(request, '', '')).toBe('http://inner')
    expect(baseAddress(request, 'https://example.com/eu', '')).toBe('https://example.com/eu')
  })

  test('is https where the proxy in front says so', () => {
    const behind = new Request('http://shop.example/api/tags', { headers: { 'X-Forwarded-Proto': 'https' } })
    expect(baseAddress(behind, '')).toBe('https://shop.example')
  })
})

describe('relativeRoot', () => {
  test.each([
    ['/docs', '.', '/'],
    ['/docs/', '..', '/'],
    ['//docs', '..', '/'],
    ['/shop/docs', '..', '/'],
    ['/api/documents/a%2Fb', '../..', '/'],
    ['/', '.', '/'],
  ])('of %s is %s', (path, root, resolved) => {
    const url = new URL(`http://localhost${path}?a=/b/c`)
    expect(relativeRoot(url.pathname)).toBe(root)
    expect(new URL(`${root}/`, url).pathname).toBe(resolved)
  })
})
