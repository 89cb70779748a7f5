import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { TypingSession, type TypingState } from '../../adapters/client/src/as-you-type.ts'
import { KeptAnswers } from '../../adapters/client/src/instantsearch/kept-answers.ts'
import type { Result } from '../../adapters/client/src/result.ts'
import { CallError, failed } from '../../adapters/client/src/result.ts'
import { fillShop, type Product, type Server, startServer } from './server.ts'

let server: Server

beforeAll(async () => {
  server = await startServer()
  await fillShop(server.client())
})

afterAll(() => server.stop())

/** All that a session has told. */
function told<R>(session: TypingSession<R>): TypingState<R>[] {
  const states: TypingState<R>[] = []
  session.subscribe(state => states.push(state))
  onTestFinished(() => session.close())
  return states
}

const settled = (session: { readonly state: { readonly isSearching: boolean } }) =>
  expect.poll(() => session.state.isSearching).toBe(false)

const answer = (text: string): Result<string> => ({
  isSuccessful: true,
  httpStatusCode: 200,
  serverMessage: '',
  errors: { errors: [] },
  apiVersion: '1.5.0',
  requestId: '',
  responseObject: `of ${text}`,
})

describe('a search as somebody types', () => {
  it('searches for what was typed last, once, with the beginning of a word', async () => {
    const calls: string[] = []
    const client = server.client({
      fetch: (address, init) => {
        calls.push(JSON.parse(String(init!.body)).Text)
        return fetch(address, init)
      },
    })
    const session = client.dataset<Product>('shop').asYouType({ limit: 3 }, { debounce: 30 })
    const states = told(session)
    for (const text of ['g', 'ga', 'gar', 'gard']) session.type(text)
    expect(session.state).toEqual({ text: 'gard', isSearching: true })
    await settled(session)
    expect(calls).toEqual(['gard'])
    expect(session.state.answer!.result.hits.map(({ id }) => id).sort()).toEqual(['p3', 'p4'])
    expect(states.map(({ text, isSearching }) => `${text} ${isSearching}`)).toEqual([
      'g true',
      'ga true',
      'gar true',
      'gard true',
      'gard false',
    ])
  })

  it('answers at once what it has answered before, as long as that is good', async () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1000)
    onTestFinished(() => clock.mockRestore())
    let calls = 0
    const ask = async (text: string) => {
      calls++
      return answer(text)
    }
    const session = new TypingSession(ask, { debounce: 0, cacheSize: 2, maxAge: 200 })
    told(session)
    const type = async (text: string) => {
      session.type(text)
      await settled(session)
      expect(session.state.answer).toEqual({ text, result: `of ${text}` })
    }
    for (const text of ['a', 'b', 'a', 'b', 'b']) await type(text)
    expect(calls).toBe(2)
    await type('c') // the third: that of a goes
    for (const text of ['b', 'c']) await type(text)
    expect(calls).toBe(3)
    await type('a')
    expect(calls).toBe(4)
    clock.mockReturnValue(1199)
    await type('c')
    expect(calls).toBe(4)
    clock.mockReturnValue(1200)
    await type('a')
    expect(calls).toBe(5)
  })

  it('shows the earlier answer while somebody types on, and none for too short a text', async () => {
    const session = new TypingSession(async text => answer(text), { debounce: 0, minLength: 2 })
    told(session)
    session.type('ab')
    await settled(session)
    session.type('abc')
    expect(session.state).toEqual({ text: 'abc', isSearching: true, answer: { text: 'ab', result: 'of ab' } })
    session.type(' a ')
    expect(session.state).toEqual({ text: ' a ', isSearching: false })
  })

  it('aborts what nobody waits for any more', async () => {
    const signals: AbortSignal[] = []
    const session = new TypingSession<string>(
      (_, { signal }) => {
        signals.push(signal!)
        return new Promise(resolve => {
          signal!.addEventListener('abort', () => resolve(failed('aborted', '')))
        })
      },
      { debounce: 0 },
    )
    const states = told(session)
    session.type('a')
    session.flush()
    session.type('b')
    session.flush()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    const before = states.length
    session.close()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(states.length).toBe(before)
  })

  it('says why there is no answer, keeps the last one, and asks again for the same text', async () => {
    let isDown = false
    const ask = async (text: string) => {
      if (text === 'thrown') throw new CallError(failed('timeout', 'late'))
      if (text === 'odd') throw new Error('odd')
      return isDown ? failed('offline', 'no network') : answer(text)
    }
    const session = new TypingSession(ask, { debounce: 0 })
    told(session)
    const type = async (text: string) => {
      session.type(text)
      await settled(session)
      return session.state
    }
    await type('a')
    isDown = true
    const kept = { text: 'a', result: 'of a' }
    expect(await type('b')).toMatchObject({ text: 'b', answer: kept, failure: { failure: 'offline' } })
    isDown = false
    expect(await type('b')).toEqual({ text: 'b', isSearching: false, answer: { text: 'b', result: 'of b' } })
    expect(await type('thrown')).toMatchObject({ failure: { failure: 'timeout' } })
    expect(await type('odd')).toMatchObject({ failure: { failure: 'unsent', cause: { message: 'odd' } } })
  })

  it('says that there is no answer where its function throws before it returns a promise', async () => {
    const ask = (): never => {
      throw new Error('no request')
    }
    const session = new TypingSession(ask, { debounce: 0 })
    told(session)
    session.type('a')
    await settled(session)
    expect(session.state).toMatchObject({ text: 'a', failure: { cause: { message: 'no request' } } })
  })

  it('trusts no cached answer after the clock was put back', async () => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    let calls = 0
    const session = new TypingSession(async text => answer(`${text}${++calls}`), {
      debounce: 0,
      maxAge: 1_000,
    })
    told(session)
    const type = async (text: string) => {
      session.type(text)
      await settled(session)
      return session.state.answer?.result
    }
    expect([await type('a'), await type('b'), await type('a')]).toEqual(['of a1', 'of b2', 'of a1'])
    vi.setSystemTime(900_000)
    expect(await type('b')).toBe('of b3')
    const kept = new KeptAnswers<number>(10, 1_000)
    const ask = async () => [++calls]
    expect([await kept.of(['q'], ask), await kept.of(['q'], ask)]).toEqual([[4], [4]])
    vi.setSystemTime(800_000)
    expect(await kept.of(['q'], ask)).toEqual([5])
  })

  it('asks again when what is searched has changed', async () => {
    let filter = 'one'
    const session = new TypingSession(async text => answer(`${text} ${filter}`), {
      debounce: 0,
      minLength: 0,
    })
    told(session)
    session.type('a')
    await settled(session)
    filter = 'two'
    session.refresh()
    await settled(session)
    expect(session.state.answer).toEqual({ text: 'a', result: 'of a two' })
  })

  it('ends with the answer to the text in the box, whatever is typed and however late answers come', async () => {
    const steps = fc.array(
      fc.record({ text: fc.constantFrom('a', 'b', 'c', ''), wait: fc.nat(6), takes: fc.nat(8) }),
      { minLength: 1, maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async typed => {
        let takes = 0
        const session = new TypingSession(
          async text => {
            await new Promise(resolve => setTimeout(resolve, takes))
            return answer(text)
          },
          { debounce: 2, cacheSize: 2 },
        )
        // None is shown for anything but a text that was typed, and none is late.
        session.subscribe(({ text, answer, isSearching }) => {
          if (!isSearching && answer) expect(answer.text).toBe(text)
        })
        for (const step of typed) {
          takes = step.takes
          session.type(step.text)
          await new Promise(resolve => setTimeout(resolve, step.wait))
        }
        await expect.poll(() => session.state.isSearching, { interval: 2 }).toBe(false)
        const { text } = typed.at(-1)!
        expect(session.state.answer?.result).toBe(text === '' ? undefined : `of ${text}`)
        session.close()
      }),
      { numRuns: 30 },
    )
  })

  it('searches for what a listener types in place of what was typed', async () => {
    const asked: string[] = []
    const session = new TypingSession(
      async text => {
        asked.push(text)
        return answer(text)
      },
      { debounce: 0 },
    )
    session.subscribe(({ text }) => {
      if (text !== text.trim()) session.type(text.trim())
    })
    const states = told(session)
    session.type('drill ')
    await settled(session)
    expect(asked).toEqual(['drill'])
    expect(session.state).toMatchObject({ text: 'drill', answer: { result: 'of drill' } })
    // Others hear of it once, and of the earlier text no more.
    expect(states.map(({ text }) => text)).toEqual(['drill', 'drill'])
  })

  it('is silent as soon as it is closed, and for a listener that has gone, also by another listener', () => {
    const heard: string[] = []
    const session = new TypingSession(async text => answer(text))
    session.subscribe(({ text }) => {
      if (text === 'b') leave()
      if (text === 'c') session.close()
    })
    const leave = session.subscribe(({ text }) => heard.push(`first ${text}`))
    session.subscribe(({ text }) => heard.push(`second ${text}`))
    for (const text of ['a', 'b', 'c']) session.type(text)
    expect(heard).toEqual(['first a', 'second a', 'second b'])
  })

  it('searches although a listener throws', async () => {
    const session = new TypingSession(async text => answer(text), { debounce: 0 })
    session.subscribe(({ isSearching }) => {
      if (isSearching) throw new Error('of the page')
    })
    expect(() => session.type('a')).toThrow('of the page')
    await settled(session)
    expect(() => session.refresh()).toThrow('of the page')
    await settled(session)
    expect(session.state.answer).toEqual({ text: 'a', result: 'of a' })
    session.close()
  })

  it('refuses options that no session can have', () => {
    expect(() => new TypingSession(async text => answer(text), { debounce: -1 })).toThrow(/^debounce is -1/)
  })
})
