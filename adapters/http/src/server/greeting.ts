import type { Engine } from 'findling'
import type { OpenedClient } from '../clients/serve-clients.ts'
import { sampleDataset } from '../sample/example.ts'
import { type Curl, curlOf } from './curl.ts'
import type { Running } from './start.ts'

/**
 * What the console shows when the server is ready: where it is, how to get in, and three calls to paste.
 * @param certificate the file with that of the server, where it speaks HTTPS
 */
export async function greeting(
  { address, engine, newSecret, setupToken, clients }: Running,
  opened: OpenedClient[],
  certificate?: string,
): Promise<string> {
  const base = reachable(address)
  const called = await curlOf(base, certificate)
  const shown = opened.find(({ newSecret }) => newSecret !== undefined) ?? opened[0]
  return [
    '',
    `Findling listens on ${address}`,
    '',
    ...(clients ? ['Operator'] : []),
    ...entry(base, base, { newSecret, setupToken }),
    `Documentation:  ${base}/docs`,
    '',
    ...opened.flatMap(client => [clientEntry(address, client), '']),
    ...(clients
      ? toTry(
          { ...called, base: `${called.base}/${shown?.id}` },
          shown?.newSecret,
          shown && callsOf(shown.engine),
          `the secret of ${shown?.id}`,
        )
      : toTry(called, newSecret, callsOf(engine))),
    '',
  ].join('\n')
}

/** What the console shows of a client that is served: where it is and how to get in. */
export function clientEntry(address: string, { id, newSecret, setupToken }: OpenedClient): string {
  const base = reachable(address)
  return [`Client ${id}`, ...entry(base, `${base}/${id}`, { newSecret, setupToken })].join('\n')
}

/** What a client that was added without a server has to know. */
export function addedEntry(id: string, newSecret: string | undefined): string {
  const secret = newSecret === undefined ? 'the one that was given' : secretLine(newSecret, undefined)
  return [
    `Client ${id}`,
    `Secret:         ${secret}`,
    `Address:        the address of the server followed by /${id}`,
    'A running server serves it within a few seconds and prints a link to its setup page.',
  ].join('\n')
}

function entry(
  host: string,
  base: string,
  { newSecret, setupToken }: Pick<Running, 'newSecret' | 'setupToken'>,
) {
  return [
    ...(host === base ? [] : [`Address:        ${base}`]),
    `Secret:         ${secretLine(newSecret, setupToken)}`,
    ...(setupToken === undefined ? [] : [`Setup:          ${host}/setup?token=${setupToken}`]),
  ]
}

/** @param calls undefined where there is nothing to call yet */
function toTry(
  curl: Curl,
  secret: string | undefined,
  calls: Calls | undefined,
  which = 'your secret',
): string[] {
  if (!calls) return ['There is no client yet. Add one: findling-http clients add <id>']
  return [
    secret === undefined
      ? `To try it, put ${which} into the variable FINDLING_SECRET and paste:`
      : 'To try it, paste:',
    '',
    ...calls(curl, secret).map(call => `  ${call}`),
  ]
}

function secretLine(newSecret: string | undefined, setupToken: string | undefined): string {
  if (newSecret !== undefined)
    return `${newSecret}   (provisional, shown only once; set your own on the setup page)`
  return setupToken === undefined
    ? 'the one that was set'
    : 'still the provisional one from the first start; set your own on the setup page'
}

/** A secret that was made by a start that failed or was stopped. @param id of the client, if it is not the owner's */
export function unseenSecret(secret: string, id?: string): string {
  const whose = id === undefined ? '' : ` of the client ${id}`
  return `The secret${whose} is ${secret}   (provisional, shown only once)`
}

/** An address that means all of the machine cannot be called on every system. */
function reachable(address: string): string {
  return address.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:)/, '//localhost')
}

type Calls = (curl: Curl, secret: string | undefined) => string[]

function callsOf({ datasets }: Engine): Calls {
  return datasets.has(sampleDataset) ? callsOnSample : callsOnNothing
}

const json = `-H 'Content-Type: application/json'`
const keyOf = (secret: string | undefined) => `-H "Authorization: Findling ${secret ?? '$FINDLING_SECRET'}"`

const callsOnSample: Calls = ({ curl, base }, secret) => {
  const call = `${curl} ${keyOf(secret)} -H 'X-DataSet: ${sampleDataset}' ${json}`
  return [
    `${call} -d '{"Text":"cordles drill","Limit":3,"Highlight":true}' ${base}/api/Documents/Search`,
    `${call} -d '{"Text":"cordles drill"}' ${base}/api/Documents/Suggest`,
    `${call} -d '{"Filter":{"Query":"drill AND price:<100"},"Pagination":{"Limit":3}}' ${base}/api/Documents/Filter`,
  ]
}

const callsOnNothing: Calls = ({ curl, base }, secret) => {
  const key = keyOf(secret)
  const first =
    '{"Name":"first","IdField":"id","TagField":"tag","InterpretedFields":["title"],"NGramCount":3,' +
    '"SampleDocument":{"id":"1","title":"A title","tag":["news"]}}'
  return [
    `${curl} ${key} ${json} -d '${first}' ${base}/api/DataSets`,
    `${curl} ${key} ${base}/api/DataSets`,
    `${curl} ${key} ${base}/api/Status`,
  ]
}
