import { readFileSync } from 'node:fs'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attachmentRule } from '../../../src/datasets/schema/field-types.ts'
import { slowDocx } from '../../extraction/packed.ts'
import { type Api, startApi } from './api.ts'
import { keyOf } from './named-keys.ts'

let api: Api
beforeAll(async () => {
  api = await startApi({ engine: await Engine.open({ extraction: { processes: 1 } }) })
})
afterAll(async () => {
  await api.stop()
  await api.engine.close()
})

const parse = (Content: unknown) => api.send('POST', '/api/Helper/FileParser', { body: { Content } })
const file = (name: string): string =>
  readFileSync(new URL(`../../fixtures/files/${name}`, import.meta.url)).toString('base64')

describe('attachments of documents', () => {
  const properties = { id: { type: 'string' }, tag: { type: 'string' }, manual: { type: 'attachment' } }
  const settings = { Name: 'tools', IdField: 'id', TagField: 'tag', InterpretedFields: ['manual'] }
  const document = (id: string, manual: string) => ({ id, tag: 'a', manual })
  const send = (path: string, body: unknown) => api.send('POST', path, { dataset: 'tools', body })

  test('are searched as interpreted fields, and shown as they were given, when asked for', async () => {
    const Schema = { type: 'object', properties }
    const dataSet = { ...settings, NGramCount: 1, Schema }
    const made = await api.send('POST', '/api/DataSets/Schema', { body: dataSet })
    expect(made.status).toBe(201)
    const bench = document('bench', file('letter.odt'))
    expect((await send('/api/Documents', bench)).status).toBe(201)
    const one = await api.send('GET', '/api/Documents/bench', { dataset: 'tools' })
    expect(one.body).toEqual(bench)
    const Filter = { Query: 'splinters' }
    const found = await send('/api/Documents/Filter', { Pagination: { Limit: 5 }, Filter })
    expect(found.body.Items).toEqual([{ id: 'bench', tag: 'a' }])
    const search = await send('/api/Documents/Search', { Text: 'linsed oil' })
    expect(JSON.stringify(search.body)).toContain('bench')
  })

  test('that cannot be read are refused, in a bulk each for itself', async () => {
    const locked = document('locked', file('locked.pdf'))
    const refused = await send('/api/Documents', locked)
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining('manual')])
    const lamp = document('lamp', Buffer.from('petroleum').toString('base64'))
    const { body } = await send('/api/Documents/Bulk', { Documents: [locked, document('no', 'no!'), lamp] })
    const results: { Id: string; StatusCode: number }[] = body.Results
    expect(results.map(({ Id, StatusCode }) => [Id, StatusCode]).sort()).toEqual([
      ['lamp', 200],
      ['locked', 400],
      ['no', 400],
    ])
  })
})

test('an attachment that takes too much is refused with the setting that allows more, alone and in a bulk', async () => {
  const strict = await startApi({ engine: await Engine.open({ extraction: { processes: 1, textLimit: 7 } }) })
  const schema = { type: 'object', properties: { id: { type: 'string' }, manual: { type: 'attachment' } } }
  await strict.engine.datasets.create('manuals', { schema })
  const body = { id: '1', manual: Buffer.from('two lamps').toString('base64') }
  const says = expect.stringContaining('a larger FINDLING_FILE_CHARACTERS')
  const alone = await strict.send('POST', '/api/Documents', { dataset: 'manuals', body })
  expect([alone.status, alone.body.Errors]).toEqual([400, [says]])
  const Documents = [body]
  const bulk = await strict.send('POST', '/api/Documents/Bulk', { dataset: 'manuals', body: { Documents } })
  expect(bulk.body.Results).toEqual([{ StatusCode: 400, Id: '1', Error: says }])
  await strict.stop()
  await strict.engine.close()
})

describe('documents with very many files', () => {
  test('keep no other key waiting with its small ones, whatever it calls', async () => {
    const busy = await startApi({ engine: await Engine.open({ extraction: { processes: 1 } }) })
    const schemaOf = (type: string) => ({
      type: 'object',
      properties: { id: { type: 'string' }, tag: { type: 'string' }, manual: { type } },
    })
    const fields = { IdField: 'id', TagField: 'tag', InterpretedFields: ['manual'], NGramCount: 1 }
    for (const body of [
      { ...fields, Name: 'manuals', Schema: schemaOf('attachment') },
      { ...fields, Name: 'notes', Schema: schemaOf('string') },
    ])
      expect((await busy.send('POST', '/api/DataSets/Schema', { body })).status).toBe(201)
    const base64 = (word: string) => Buffer.from(word).toString('base64')
    const document = (id: string, word: string) => ({ id, tag: 'a', manual: base64(word) })
    const Documents = [document('copied', 'elm'), document('moved', 'ash')]
    await busy.send('POST', '/api/Documents/Bulk', { dataset: 'notes', body: { Documents } })
    const few = await keyOf(busy, { Scopes: ['Read', 'Write'] })
    const slow = await Promise.all(Array.from({ length: 20 }, (_, i) => slowDocx(`lamp${i}`)))
    let [read, isMostRead] = [0, () => {}]
    const mostRead = new Promise<void>(resolve => {
      isMostRead = resolve
    })
    const bombs = slow.map(async (file, i) => {
      const body = { id: `slow${i}`, tag: 'a', manual: file.toString('base64') }
      await busy.send('POST', '/api/Documents', { dataset: 'manuals', body })
      if (++read > 15) isMostRead()
    })
    const send = async (method: string, path: string, body?: unknown, dataset = 'manuals') => {
      const headers = { ...few.headers!, 'Content-Type': 'application/json' }
      return (await busy.send(method, path, { headers, dataset, body })).status
    }
    const writes = async () => {
      expect(await send('POST', '/api/Helper/FileParser', { Content: base64('larch') })).toBe(200)
      expect(await send('POST', '/api/Documents', document('1', 'oak'))).toBe(201)
      expect(await send('PUT', '/api/Documents/1', { manual: base64('maple') })).toBe(200)
      expect(await send('POST', '/api/Documents/Bulk', { Documents: [document('2', 'birch')] })).toBe(200)
      const rows = JSON.stringify([document('3', 'cherry')])
      expect(await send('POST', '/api/Documents/Import', rows)).toBe(202)
      for (const [path, id] of [
        ['/api/Documents/Copy', 'copied'],
        ['/api/Documents/Move', 'moved'],
      ] as const) {
        const transfer = { DocumentIdList: [id], TargetDataSetName: 'manuals' }
        expect(await send('POST', path, transfer, 'notes')).toBe(202)
        while ((await send('GET', `/api/Documents/${id}`)) !== 200);
      }
      return 'few'
    }
    expect(await Promise.race([writes(), mostRead.then(() => 'many')])).toBe('few')
    // What is still read ends with the engine.
    await busy.engine.close()
    await Promise.all(bombs)
    await busy.stop()
  })
})

describe('the file parser', () => {
  test('gives all members, null where the file says nothing', async () => {
    const marked = Buffer.from('\ufeffThe lamp is green.\n').toString('base64')
    const { status, body } = await parse(marked)
    expect(status).toBe(200)
    expect(body).toEqual({
      Content: 'The lamp is green.\n',
      Title: null,
      Author: null,
      Keywords: null,
      Date: null,
      ContentType: 'text/plain; charset=UTF-8',
      ContentLength: 22,
      Language: null,
    })
  })

  test('tells what an office file and a mail say of themselves', async () => {
    const slides = (await parse(file('slides.pptx'))).body
    expect(slides).toMatchObject({
      Title: 'Autumn in the nursery',
      Date: '2026-02-01 08:00:00Z',
      Language: 'en',
    })
    expect(slides.Content).toContain('Tulip bulbs go into the ground before the first frost.\n')
    const mail = (await parse(file('letter.eml'))).body
    expect(mail).toMatchObject({ Author: 'Jörg at the Mill', Keywords: 'delivery, lanterns' })
    expect(mail).toMatchObject({ Date: '2026-03-03 08:14:58Z', ContentType: 'message/rfc822' })
  })

  test('ignores members that it does not have, as all calls of 1.5.0', async () => {
    const body = { content: Buffer.from('A hose').toString('base64'), FileName: 'hose.txt' }
    const reply = await api.send('POST', '/api/Helper/FileParser', { body })
    expect(reply).toMatchObject({ status: 200, body: { Content: 'A hose\n' } })
  })

  test('skips blanks and line ends', async () => {
    expect((await parse('QSBo\r\nb 3Nl')).body.Content).toBe('A hose\n')
  })

  test.each([
    ['an encrypted file', file('locked.pdf'), 'encrypted'],
    ['a damaged file', file('letter.docx').slice(0, 4000), 'damaged'],
    ['a picture', 'iVBORw0KGgoAAAANSUhEUg==', 'of another kind'],
  ])('refuses %s', async (_, content, why) => {
    const { status, body } = await parse(content)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(why)
  })

  test('takes as base64 what an attachment takes', async () => {
    for (const text of [
      '',
      ' ',
      'A',
      'QUJD',
      'QUI=',
      'QQ==',
      'A===',
      '====',
      'QUJ=D',
      'QUJD\n',
      'QUJD\t',
      'äöü=',
      'QUJDRA',
    ])
      expect([text, (await parse(text)).body.Errors?.[0]?.includes('base64') ?? false]).toEqual([
        text,
        !attachmentRule.fits(text),
      ])
    for (const none of [null, undefined, 5]) expect((await parse(none)).status).toBe(400)
  })
})
