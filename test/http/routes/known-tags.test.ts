import { type Dataset, Engine } from 'findling'
import { expect, it } from 'vitest'
import { HttpError } from '../../../adapters/http/src/http/errors.ts'
import { requireTags } from '../../../adapters/http/src/routes/known-tags.ts'

const failure = async (dataset: Dataset, ids: readonly string[]): Promise<HttpError> => {
  const error = await requireTags(dataset, ids).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(HttpError)
  return error as HttpError
}

it('names tags that a dataset does not have, and reads no others than those asked for', async () => {
  const engine = await Engine.open()
  const shop = await engine.datasets.create('shop')
  await shop.tags.create({ id: 'lamps', name: 'Lamps' })
  // As large as the tree is, a request with few tags does not read all of it.
  shop.tags.list = () => Promise.reject(new Error('read all tags'))
  await requireTags(shop, [])
  await requireTags(shop, ['lamps', 'lamps'])
  const expected = 'expected the id of a tag of the dataset'
  const impossible = ['', ' ', '__proto__', '\ud800', 'x'.repeat(2_000)]
  const { status, errors } = await failure(shop, ['lamps', ...impossible])
  expect(status).toBe(400)
  expect(errors).toEqual(
    impossible.map((id, i) => `TagIdList[${i + 1}] is ${JSON.stringify(id.slice(0, 60))}; ${expected}`),
  )
  const many = Array.from({ length: 23 }, (_, i) => `no ${i}`)
  expect((await failure(shop, many)).errors.slice(19)).toEqual([
    `TagIdList[19] is "no 19"; ${expected}`,
    '3 more are not listed.',
  ])
  await engine.close()
})
