import { Engine, errorCodes, FindlingError } from 'findling'
import { describe, expect, test } from 'vitest'
import { statusOf } from '../../../adapters/http/src/http/error-status.ts'
import { HttpError, toHttpError } from '../../../adapters/http/src/http/errors.ts'

describe('every code of the engine', () => {
  test('has a status, and no status is without a code', () => {
    expect(Object.keys(statusOf).sort()).toEqual([...errorCodes].sort())
    for (const status of Object.values(statusOf))
      expect([400, 404, 406, 409, 410, 413, 500, 503]).toContain(status)
  })

  test.each(errorCodes)('%s keeps its message', code => {
    expect(toHttpError(new FindlingError(code, 'what happened'))).toMatchObject({
      status: statusOf[code],
      errors: ['what happened'],
    })
  })
})

describe('toHttpError', () => {
  test('gives refusals of the adapter back', () => {
    const refusal = new HttpError(406, ['too short', 'no blanks'])
    expect(toHttpError(refusal)).toBe(refusal)
    expect(refusal.errors).toEqual(['too short', 'no blanks'])
  })

  test('names every problem that the engine found', async () => {
    await using engine = await Engine.open()
    const failed = await engine.datasets.create('ab', { nGramCount: 9, idField: '' }).catch(error => error)
    const { status, errors } = toHttpError(failed)
    expect(status).toBe(400)
    expect(errors.length).toBe(failed.details.issues?.length ?? 1)
    expect(errors.every(text => /expected/.test(text))).toBe(true)
  })

  test('names the code, and asks to come back when the engine is busy', () => {
    expect(toHttpError(new FindlingError('TAG_NOT_FOUND', 'none')).headers).toEqual({
      'X-Error-Code': 'TAG_NOT_FOUND',
    })
    expect(toHttpError(new FindlingError('WRITE_QUEUE_FULL', 'full')).headers).toEqual({
      'X-Error-Code': 'WRITE_QUEUE_FULL',
      'Retry-After': '1',
    })
  })

  test('knows the error of an engine that was loaded from elsewhere', () => {
    const foreign = Object.assign(new Error('no such tag'), {
      name: 'FindlingError',
      code: 'TAG_NOT_FOUND',
      details: {},
    })
    expect(toHttpError(foreign)).toMatchObject({ status: 404, errors: ['no such tag'] })
  })

  test.each([
    new TypeError('at /home/somebody'),
    'text',
    undefined,
    null,
    { status: 404 },
    Object.assign(new Error('x'), { name: 'FindlingError', code: 'constructor' }),
    Object.assign(new Error('x'), { code: 'TAG_NOT_FOUND' }),
  ])('says nothing of what nobody foresaw: %o', error => {
    expect(toHttpError(error)).toMatchObject({ status: 500, errors: ['Internal Server Error'] })
  })
})
