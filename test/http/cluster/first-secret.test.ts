import { ClusterNode, MemoryLog } from '@findling/cluster'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Access, openAccess } from '../../../adapters/http/src/access/access.ts'
import { openLicence } from '../../../adapters/http/src/licence/licence.ts'
import { createSetup } from '../../../adapters/http/src/setup/setup.ts'
import { hashCost } from '../access/hash-cost.ts'
import { Visitor } from '../setup/installation.ts'

const schemes = ['Findling']
const secrets = ['secret-of-one', 'secret-of-other'] as const

/** A log that answers no reads for a while. */
class SlowLog extends MemoryLog {
  #reads: Promise<void> = Promise.resolve()
  resume: () => void = () => {}

  hold(): void {
    this.#reads = new Promise(resolve => {
      this.resume = resolve
    })
  }

  override async read(...given: Parameters<MemoryLog['read']>) {
    await this.#reads
    return await super.read(...given)
  }
}

/** Two nodes that know a provisional secret; the second can be kept from hearing of more. */
async function twoProvisional() {
  const log = new MemoryLog()
  const slow = new SlowLog(log)
  const one = await ClusterNode.open({ log })
  const other = await ClusterNode.open({ log: slow })
  onTestFinished(async () => {
    slow.resume()
    for (const node of [one, other]) await node.close()
  })
  await (await openAccess(one.engine, { schemes, hashCost })).makeProvisional()
  await other.latest()
  const openBoth = () =>
    Promise.all([one, other].map(({ engine }) => openAccess(engine, { schemes, hashCost })))
  /** What the second does before it hears of what the first has done. */
  const unheard = async <One, Other>(first: () => Promise<One>, second: () => Promise<Other>) => {
    slow.hold()
    const done = await first()
    const { position } = await log.head()
    const late = second().catch((error: unknown) => error)
    await vi.waitUntil(async () => (await log.head()).position > position)
    slow.resume()
    return [done, await late] as const
  }
  return { one, other, openBoth, unheard }
}

/** Which of the secrets each of them takes. */
const taken = (accesses: readonly Access[]): Promise<string[][]> =>
  Promise.all(
    accesses.map(async access => {
      const answers = await Promise.all(
        secrets.map(secret => access.check(`Findling ${secret}`, { address: '192.0.2.1' })),
      )
      return secrets.filter((_, i) => answers[i] === 'ok')
    }),
  )

describe('of two servers that set the first secret at the same moment', () => {
  it('one has set it, and the other is told that it is set', async () => {
    const { openBoth, unheard } = await twoProvisional()
    const [one, other] = (await openBoth()) as [Access, Access]
    const [, refusal] = await unheard(
      () => one.setSecret(secrets[0], { isFirst: true }),
      () => other.setSecret(secrets[1], { isFirst: true }),
    )
    expect(refusal).toMatchObject({ status: 409 })
    expect(await taken([one, other])).toEqual([[secrets[0]], [secrets[0]]])
  })

  it('the setup page of one completes it, and that of the other shows that it is completed', async () => {
    const { one, other, openBoth, unheard } = await twoProvisional()
    const accesses = await openBoth()
    const visitors = await Promise.all(
      [one, other].map(async ({ engine }, i) => {
        const licence = await openLicence(engine)
        const visitor = new Visitor(createSetup({ access: accesses[i]!, licence }))
        await visitor.open()
        return visitor
      }),
    )
    const finish = (i: 0 | 1) => () => visitors[i]!.submit({ Secret: secrets[i], SecretConfirm: secrets[i] })
    const pages = await unheard(finish(0), finish(1))
    for (const page of pages) expect(page).toMatchObject({ status: 200, formToken: '' })
    expect(await taken(accesses)).toEqual([[secrets[0]], [secrets[0]]])
  })

  it('one starts with its FINDLING_SECRET in force, and the other does not replace it', async () => {
    const { one, other, unheard } = await twoProvisional()
    const accesses = await unheard(
      () => openAccess(one.engine, { schemes, hashCost, seed: secrets[0] }),
      () => openAccess(other.engine, { schemes, hashCost, seed: secrets[1] }),
    )
    expect(await taken(accesses as readonly Access[])).toEqual([[secrets[0]], [secrets[0]]])
  })

  it('it can be set and changed while servers of the version before take part', async () => {
    const log = new MemoryLog()
    const older = await ClusterNode.open({ log, commandsVersion: 1 })
    await older.write([{ type: 'createDataset', dataset: 'products' }])
    const newer = await ClusterNode.open({ log })
    onTestFinished(async () => {
      for (const node of [older, newer]) await node.close()
    })
    await newer.latest()
    const access = await openAccess(newer.engine, { schemes, hashCost })
    await access.makeProvisional()
    const seeded = await openAccess(newer.engine, { schemes, hashCost, seed: secrets[0] })
    await access.setSecret(secrets[1])
    await older.latest()
    const elsewhere = await openAccess(older.engine, { schemes, hashCost })
    expect(await taken([access, seeded, elsewhere])).toEqual([[secrets[1]], [secrets[1]], [secrets[1]]])
  })
})
