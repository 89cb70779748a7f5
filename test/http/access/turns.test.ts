import { describe, expect, test } from 'vitest'
import { Turns } from '../../../adapters/http/src/access/turns.ts'

/** Turns whose first piece of work holds everything up until it is released. */
function heldUp() {
  const turns = new Turns()
  const done: string[] = []
  let release = () => {}
  const held = turns.take('holder', () => new Promise<boolean>(resolve => (release = () => resolve(true))))
  const take = (network: string, name = network) =>
    turns.take(network, async () => {
      done.push(name)
      return true
    })
  return { take, done, held, release: () => release(), turns }
}

describe('take', () => {
  test('answers what the work answers', async () => {
    const turns = new Turns()
    expect(await turns.take('a', async () => true)).toBe(true)
    expect(await turns.take('a', async () => false)).toBe(false)
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
    await Promise.all(Array.from({ length: 20 }, (_, at) => turns.take(`network ${at % 3}`, work)))
    expect(most).toBe(1)
  })

  test('lets a newcomer pass those who wait behind themselves', async () => {
    const { take, done, release } = heldUp()
    const flood = Array.from({ length: 100 }, (_, at) => take('flood', `flood ${at}`))
    const visitor = take('visitor')
    release()
    await Promise.all([...flood, visitor])
    expect(done.slice(0, 3)).toEqual(['flood 0', 'visitor', 'flood 1'])
    expect(done.length).toBe(101)
  })

  test('refuses the newest of the longest line when a thousand wait', async () => {
    const { take, done, release } = heldUp()
    const flood = Array.from({ length: 1_000 }, (_, at) => take('flood', `flood ${at}`))
    const visitor = take('visitor')
    expect(await flood.at(-1)).toBe(false)
    release()
    expect(await visitor).toBe(true)
    expect((await Promise.all(flood)).filter(answer => answer).length).toBe(999)
    expect(done).not.toContain('flood 999')
  })

  test('goes on after work that failed', async () => {
    const { take, turns, held, release } = heldUp()
    const failing = turns.take('a', async () => {
      throw new Error('the disk is gone')
    })
    const next = take('b')
    release()
    await expect(failing).rejects.toThrow('the disk is gone')
    expect(await next).toBe(true)
    expect(await held).toBe(true)
  })
})
