import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { withoutMeasures } from '../normal.ts'
import type { World } from '../world.ts'

const files = fileURLToPath(new URL('../../../test/fixtures/files/', import.meta.url))

/** Processes, backups, licence, files that are read, status. */
export async function httpProcesses({ at, http }: World): Promise<void> {
  const { post, get } = (await http()).for(at)
  for (const query of ['', '?allStatus=true', '?allStatus=x', '?allTime=true'])
    await get(`/api/Processes${query}`)
  await get('/api/Processes/none')
  await post('/api/Processes/none/Cancel', undefined)
  const copied = await post(
    '/api/Documents/Copy',
    { DocumentIdList: ['e1'], TargetDataSetName: 'laden' },
    { dataset: 'shop' },
  )
  await get(`/api/Processes/${copied?.Id}`)
  await post(`/api/Processes/${copied?.Id}/Cancel`, undefined)
  await at.record('the status', async () => withoutMeasures(await (await http()).json('/api/Status')))
  await at.record('the status with memory', async () => {
    const { Loaded, ...status } = (await (await http()).json('/api/Status?withMemory=true')) as {
      Loaded: { DataSets: { Name: string }[] }
    }
    return [withoutMeasures(status), Loaded.DataSets.map(one => [one.Name, Object.keys(one)])]
  })
  for (let times = 0; times < 2; times++) await post('/api/Maintenance/Backup', undefined)
  await get('/api/License')
  for (const License of ['x', '<License/>', '']) await post('/api/License', { License })
  for (const name of ['letter.docx', 'letter.html', 'letter.txt', 'locked.pdf', 'stock.csv']) {
    const Content = (await readFile(files + name)).toString('base64')
    await post('/api/Helper/FileParser', { Content })
  }
  for (const Content of ['', 'A', 'no base64', null]) await post('/api/Helper/FileParser', { Content })
  for (const Secret of ['short', 'x'.repeat(40), ' ', null])
    await post('/api/Maintenance/ChangeSecret', { Secret })
  await get('/files/none')
}
