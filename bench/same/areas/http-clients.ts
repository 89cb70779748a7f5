import { sample, type World } from '../world.ts'

/** Several clients of one server: each has its own, and nobody learns of another. */
export async function httpClients({ at, serveClients }: World): Promise<void> {
  const { send, post, get } = (await serveClients(['alpha', 'beta'])).for(at)
  const definition = {
    Name: 'data',
    IdField: 'id',
    TagField: 'tag',
    NGramCount: 3,
    InterpretedFields: ['title'],
  }
  for (const client of ['/alpha', '/beta', '/none', '/Alpha', '']) {
    await post(`${client}/api/DataSets`, { ...definition, SampleDocument: sample })
    await post(`${client}/api/Documents`, { ...sample, id: `of${client}` }, { dataset: 'data' })
    await post(`${client}/api/Documents/Search`, { Text: 'desk lamp' }, { dataset: 'data' })
    for (const path of [
      '/api/DataSets',
      '/api/Documents/of%2Falpha',
      '/api/License',
      '/setup',
      '/health',
      '/ready',
    ])
      await get(client + path, { dataset: 'data' })
    await get(`${client}/api/DataSets`, { key: null })
    await get(`${client}/`, { key: null })
  }
  await post('/alpha/api/Keys', { Name: 'reads', Scopes: ['Read'] })
  await get('/beta/api/Keys')
  await send('DELETE', '/alpha/api/DataSets/data')
  await get('/beta/api/DataSets')
}
