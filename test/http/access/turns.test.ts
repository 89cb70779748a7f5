import { describe, expect, test } from 'vitest'
import { Turns } from '../../../adapters/http/src/access/turns.ts'

/** Turns whose first piece of work holds everything up until it is released. */
function heldUp() {
  const turns = new Turns()
  const done: string[] = []
  let release = () => {}
  const held = turns.take(() => new Promise<boolean>(resolve => (release = () => resolve(true))), {
    network: 'holder',
    name: 'held',
  })
  const take = (network: string, name = network, signal?: AbortSignal) =>
    turns.take(
      async () => {
        done.push(name)
        return true
      },
      { network, name, signal },
    )
  return { take, done, held, release: () => release(), turns }
}

const tooMany = { status: 503, headers: { 'Retry-After': '5' } }

describe('take', () => {
  test('answers what the work answers', async () => {
    const turns = new Turns()
    expect(await turns.take(async () => true, { network: 'a', name: '1' })).toBe(true)
    expect(await turns.take(async () => false, { network: 'a', name: '2' })).toBe(false)
  })

  test('works for one at a time', async () => {
    const turns = new Turns()
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      return true
    }
    const asked = Array.from({ length: 20 }, (_, at) => ({ network: `network ${at % 3}`, name: String(at) }))
    await Promise.all(asked.map(one => turns.take(work, one)))
    expect(most).toBe(1)
  })

  test('lets a newcomer pass those who wait behind themselves', async () => {
    const { take, done, release } = heldUp()
    const flood = Array.from({ length: 10 }, (_, at) => take('flood', `flood ${at}`))
    const visitor = take('visitor')
    release()
    await Promise.all([...flood, visitor])
    expect(done.slice(0, 3)).toEqual(['flood 0', 'visitor', 'flood 1'])
    expect(done.length).toBe(11)
  })

  test('lets a newcomer wait for one check of each other network', async () => {
    const { take, done, release } = heldUp()
    const others = Array.from({ length: 49 * 10 }, (_, at) => take(`network ${at % 49}`, `other ${at}`))
    const visitor = take('visitor')
    release()
    await Promise.all([...others, visitor])
    expect(done.indexOf('visitor')).toBe(49)
  })

  test('tells the eleventh of a network to come again, and nobody else', async () => {
    const { take, done, release } = heldUp()
    const flood = Array.from({ length: 10 }, (_, at) => take('flood', `flood ${at}`))
    await expect(take('flood', 'flood 10')).rejects.toMatchObject(tooMany)
    const visitor = take('visitor')
    release()
    expect(await visitor).toBe(true)
    expect(await Promise.all(flood)).toEqual(Array(10).fill(true))
    expect(done).not.toContain('flood 10')
    expect(await take('flood', 'flood 10')).toBe(true)
  })

  test('tells the network after fifty to come again', async () => {
    const { take, release } = heldUp()
    const fifty = Array.from({ length: 50 }, (_, at) => take(`network ${at}`))
    await expect(take('one more')).rejects.toMatchObject(tooMany)
    release()
    await Promise.all(fifty)
    expect(await take('one more')).toBe(true)
  })

  test('does once what one network asks for again while it waits', async () => {
    const { take, done, release } = heldUp()
    const same = Array.from({ length: 100 }, () => take('network', 'the same'))
    const others = take('other', 'the same')
    release()
    expect(await Promise.all([...same, others])).toEqual(Array(101).fill(true))
    expect(done).toEqual(['the same', 'the same'])
  })

  test('does nothing for those who go away, and gives their place to others', async () => {
    const { take, done, release } = heldUp()
    const leaving = new AbortController()
    const gone = Promise.allSettled(
      Array.from({ length: 10 }, (_, at) => take('network', `gone ${at}`, leaving.signal)),
    )
    leaving.abort()
    expect(await gone).toMatchObject(Array(10).fill({ reason: { status: 503 } }))
    await expect(take('network', 'late', leaving.signal)).rejects.toMatchObject({ status: 503 })
    const staying = take('network', 'staying')
    release()
    expect(await staying).toBe(true)
    expect(done).toEqual(['staying'])
  })

  test('does what one of several still waits for', async () => {
    const { take, done, release } = heldUp()
    const leaving = new AbortController()
    const gone = take('network', 'shared', leaving.signal)
    const staying = take('network', 'shared')
    leaving.abort()
    await expect(gone).rejects.toMatchObject({ status: 503 })
    release()
    expect(await staying).toBe(true)
    expect(done).toEqual(['shared'])
  })

  test('ends work that has begun, whoever goes away', async () => {
    const leaving = new AbortController()
    let release = () => {}
    const work = () => new Promise<boolean>(resolve => (release = () => resolve(true)))
    const answer = new Turns().take(work, { network: 'a', name: 'a', signal: leaving.signal })
    leaving.abort()
    release()
    expect(await answer).toBe(true)
  })

  test('goes on after work that failed', async () => {
    const { take, turns, held, release } = heldUp()
    const failing = turns.take(
      async () => {
        throw new Error('the disk is gone')
      },
      { network: 'a', name: 'a' },
    )
    const next = take('b')
    release()
    await expect(failing).rejects.toThrow('the disk is gone')
    expect(await next).toBe(true)
    expect(await held).toBe(true)
  })
})
