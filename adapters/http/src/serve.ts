#!/usr/bin/env node
import { type Arguments, readArguments, WrongUse } from './config/arguments.ts'
import { ConfigError, type Environment, readSettings, type Settings } from './config/config.ts'
import { listSettings } from './config/describe.ts'
import { usage } from './config/usage.ts'
import { isEmail } from './licence/licence.ts'
import { declineSample, findCatalogue, loadSample, wantsSample } from './sample/catalogue.ts'
import { sampleDataset } from './sample/example.ts'
import { checkInstallation, listChecks } from './server/check.ts'
import { startFailure } from './server/failure.ts'
import { greeting } from './server/greeting.ts'
import { openLog } from './server/log.ts'
import { type Running, start } from './server/start.ts'

const manifest = new URL('../package.json', import.meta.url)
const catalogueFolder = new URL('../../../test/fixtures/catalogue/', import.meta.url)

/** How long a start may take to end once the server has been asked to stop. */
const PATIENCE_MS = 10_000

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function complain(text: string): void {
  process.stderr.write(`findling-http: ${text}\n`)
}

/** Exit code 0 when it was stopped as asked, 1 when it could not start, 2 when options or settings are wrong. */
async function main(args: readonly string[], env: Environment): Promise<number> {
  try {
    const given = readArguments(args)
    if (given.help) return finish(usage())
    if (given.licence !== undefined && !isEmail(given.licence)) {
      throw new WrongUse(`--licence is ${JSON.stringify(given.licence)}; expected an email address`)
    }
    const { config: file, secretFile, turnedOn } = given
    const settings = readSettings({ env, file, secretFile, turnedOn })
    for (const name of settings.unknown) complain(`${name} is not a setting and has no effect (see --help)`)
    return given.checkConfig ? await check(settings) : await run(settings, given, env)
  } catch (error) {
    if (error instanceof WrongUse) complain(`${error.message} (see --help)`)
    else if (error instanceof ConfigError) for (const mistake of error.mistakes) complain(mistake)
    else throw error
    return 2
  }
}

/** Exit code 0 when a start would find all it needs, 1 when not. */
async function check(settings: Settings): Promise<number> {
  const checks = await checkInstallation(settings.config)
  print(`${listSettings(settings)}\n\n${listChecks(checks)}`)
  return checks.every(({ isGood }) => isGood) ? 0 : 1
}

function finish(text: string): number {
  print(text)
  return 0
}

async function run(
  { config }: Settings,
  { empty, licence, acceptLoss }: Arguments,
  env: Environment,
): Promise<number> {
  const stopped = stopSignal()
  const logger = openLog(config)
  const starting = start({ config, env, logger, manifest, licenceEmail: licence, acceptLoss })
  const ready = starting.then(async running => {
    await (empty ? declineSample(running.engine) : loadSampleOnce(running))
    return running
  })
  try {
    const first = await Promise.race([ready, stopped])
    if (typeof first === 'object') print(greeting(first))
    print(`Stopping on ${await stopped}.`)
    return 0
  } catch (error) {
    const line = startFailure(error, config)
    if (line === undefined) throw error
    complain(line)
    return 1
  } finally {
    await stop(starting, ready)
  }
}

/** What was interrupted when it was asked to stop needs no answer any more. */
async function stop(starting: Promise<Running>, ready: Promise<Running>): Promise<void> {
  ready.catch(() => {})
  // A store that takes long to open is safe without being closed.
  const patience = setTimeout(() => process.exit(0), PATIENCE_MS).unref()
  const running = await starting.catch(() => undefined)
  clearTimeout(patience)
  await running?.stop()
}

/** The first signal asks to stop; a second one does not wait for what is still running. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        resolve(signal)
        process.once(signal, () => process.exit(1))
      })
    }
  })
}

async function loadSampleOnce({ engine }: Running): Promise<void> {
  if (!(await wantsSample(engine))) return
  const catalogue = await findCatalogue(catalogueFolder)
  if (!catalogue) {
    print('The sample catalogue comes with the repository only: starting without data, as with --empty.')
    await declineSample(engine)
    return
  }
  let shown = -1
  await loadSample(engine, catalogue, percent => {
    const step = Math.floor(percent / 25) * 25
    if (step > shown) print(`Loading the sample catalogue into the dataset ${sampleDataset}: ${step} %`)
    shown = Math.max(shown, step)
  })
}

process.exitCode = await main(process.argv.slice(2), process.env)
