import { describe, expect, it } from 'vitest'
import { frontOf } from '../../../adapters/http/src/clients/front.ts'

const answering = (text: string) => ({ fetch: async () => new Response(text) })

describe('the front of a server with clients', () => {
  const open = new Map([['shop', answering('shop')]])
  const fetch = frontOf({
    clients: {
      get: id => open.get(id) as never,
      isBroken: id => id === 'broken',
      isOpening: id => id === 'new',
    },
    nobody: answering('nobody'),
    host: answering('host'),
  })
  const asked = async (path: string) => {
    const response = await fetch(new Request(`http://localhost${path}`))
    return [response.status, response.headers.get('retry-after'), await response.text()]
  }

  it('hands a request to the client that is named, and to the host where none can be', async () => {
    expect(await asked('/shop/api/Documents')).toEqual([200, null, 'shop'])
    expect(await asked('/other/api/Documents')).toEqual([200, null, 'nobody'])
    expect(await asked('/health')).toEqual([200, null, 'host'])
    expect(await asked('/new/update')).toEqual([200, null, 'host'])
  })

  it('says when to ask again for a client that is being opened, or cannot be', async () => {
    expect(await asked('/new/api/Documents')).toEqual([503, '1', expect.stringContaining('being opened')])
    expect(await asked('/broken/api/Documents')).toEqual([
      503,
      '60',
      expect.stringContaining('cannot be read'),
    ])
  })
})
