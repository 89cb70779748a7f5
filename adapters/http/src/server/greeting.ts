import { sampleDataset } from '../sample/example.ts'
import type { Running } from './start.ts'

/** What the console shows when the server is ready: where it is, how to get in, and three calls to paste. */
export function greeting({ address, engine, newSecret, setupToken }: Running): string {
  const base = reachable(address)
  return [
    '',
    `Findling listens on ${address}`,
    '',
    `Secret:         ${secretLine(newSecret, setupToken)}`,
    ...(setupToken === undefined ? [] : [`Setup:          ${base}/setup?token=${setupToken}`]),
    `Documentation:  ${base}/docs`,
    '',
    newSecret === undefined
      ? 'To try it, put your secret into the variable FINDLING_SECRET and paste:'
      : 'To try it, paste:',
    '',
    ...calls(base, newSecret, engine.datasets.has(sampleDataset)).map(call => `  ${call}`),
    '',
  ].join('\n')
}

function secretLine(newSecret: string | undefined, setupToken: string | undefined): string {
  if (newSecret !== undefined)
    return `${newSecret}   (provisional, shown only once; set your own on the setup page)`
  return setupToken === undefined
    ? 'the one that was set'
    : 'still the provisional one from the first start; set your own on the setup page'
}

/** An address that means all of the machine cannot be called on every system. */
function reachable(address: string): string {
  return address.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//localhost')
}

function calls(base: string, secret: string | undefined, hasSample: boolean): string[] {
  const key = `-H "Authorization: Findling ${secret ?? '$FINDLING_SECRET'}"`
  const json = `-H 'Content-Type: application/json'`
  const status = `curl ${key} ${base}/api/Status`
  if (hasSample) {
    const dataset = `-H 'X-DataSet: ${sampleDataset}'`
    return [
      `curl ${key} ${dataset} ${json} -d '{"Text":"cordles drill","Limit":3,"Highlight":true}' ${base}/api/Documents/Search`,
      `curl ${key} ${dataset} ${json} -d '{"Text":"cordles drill"}' ${base}/api/Documents/Suggest`,
      `curl ${key} ${dataset} ${json} -d '{"Filter":{"Query":"drill AND price:<100"},"Pagination":{"Limit":3}}' ${base}/api/Documents/Filter`,
    ]
  }
  const first =
    '{"Name":"first","IdField":"id","TagField":"tag","InterpretedFields":["title"],"NGramCount":3,' +
    '"SampleDocument":{"id":"1","title":"A title","tag":["news"]}}'
  return [
    `curl ${key} ${json} -d '${first}' ${base}/api/DataSets`,
    `curl ${key} ${base}/api/DataSets`,
    status,
  ]
}
