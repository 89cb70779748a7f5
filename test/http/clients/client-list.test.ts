import { Engine } from 'findling'
import { expect, it } from 'vitest'
import { ClientList } from '../../../adapters/http/src/clients/client-list.ts'

it('a list that could not be read once is read again', async () => {
  await using engine = await Engine.open()
  const namespace = engine.namespace('http-clients')
  await namespace.put('alpha', 'alpha.1')
  let failures = 1
  const entries: typeof namespace.entries = (...given) => {
    if (failures-- > 0) throw new Error('The disk does not answer.')
    return namespace.entries(...given)
  }
  const failing = new Proxy(namespace, {
    get: (target, name) => {
      if (name === 'entries') return entries
      const found = Reflect.get(target, name)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  const list = new ClientList({ namespace: () => failing } as unknown as Engine)
  await expect(list.read()).rejects.toThrow('The disk does not answer.')
  expect([...(await list.read()).clients]).toEqual([['alpha', 'alpha.1']])
})
