import type { Engine } from 'findling'
import { type Catalogue, declineSample, loadSample, wantsSample } from '../sample/catalogue.ts'
import { sampleDataset } from '../sample/example.ts'
import type { Running } from './start.ts'

/** Id of the client that comes with the sample catalogue. */
const demo = 'demo'

type Print = (text: string) => void

/** The first start fills an empty installation with the sample; with clients, a client of its own. */
export async function loadSampleOnce(
  { engine, clients }: Pick<Running, 'engine' | 'clients'>,
  catalogue: Catalogue | undefined,
  print: Print,
): Promise<void> {
  if (!(await wantsSample(engine))) return
  if (!catalogue)
    print('The sample catalogue comes only with the repository: starting without data, as with --empty.')
  else if (!clients) return await loadWithProgress(engine, catalogue, print)
  else {
    const client = clients.list().length === 0 ? await clients.add(demo) : clients.get(demo)
    // One that the operator has added does without.
    if (client && (await wantsSample(client.engine))) await loadWithProgress(client.engine, catalogue, print)
  }
  await declineSample(engine)
}

export async function loadWithProgress(engine: Engine, catalogue: Catalogue, print: Print): Promise<void> {
  let shown = -1
  await loadSample(engine, catalogue, percent => {
    const step = Math.floor(percent / 25) * 25
    if (step > shown) print(`Loading the sample catalogue into the dataset ${sampleDataset}: ${step} %`)
    shown = Math.max(shown, step)
  })
}
