import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Engine } from 'findling'
import { describe, expect, onTestFinished, test } from 'vitest'
import { collected, openEngine, temporaryFolder } from '../../engine/engines.ts'
import { secret, startApi } from './api.ts'
import { openShop, sample, shopForEach } from './shop.ts'

const here = shopForEach()

const get = async (path: string) => (await here.api.send('GET', path, { dataset: here.shop })).body

describe('POST /api/Documents/Import', () => {
  const upload = (body: string, type: string) =>
    here.api.send('POST', '/api/Documents/Import', {
      dataset: here.shop,
      body,
      headers: { 'Content-Type': type },
    })

  test('stores good lines, and tells of bad ones in the file', async () => {
    const rows = [{ ...sample, id: '3' }, { id: '4' }, { ...sample, id: '1', title: 'Replaced' }]
    const { status, body } = await upload(
      `${rows.map(row => JSON.stringify(row)).join('\n')}\n{broken`,
      'application/x-ndjson',
    )
    expect([status, body.Type, body.Status]).toEqual([202, 'DocumentsImport', 'Finished'])
    const [sentence, link] = body.ResultMessage.split('\n')
    expect(sentence).toBe(`Importing into ${here.shop}: 4 rows, 2 stored, 2 failed.`)
    expect(body.ErrorMessages).toEqual([
      '2 of 4 rows failed.',
      expect.stringMatching(/^line 2: .*tag/),
      expect.stringMatching(/^line 4 is not valid JSON/),
    ])
    expect(await (await fetch(link)).json()).toEqual([
      { StatusCode: 400, Id: '4', Error: expect.stringContaining('tag'), Line: 2 },
      { StatusCode: 400, Id: null, Error: expect.stringContaining('JSON'), Line: 4 },
    ])
    expect(await here.api.engine.datasets.get(here.shop).documents.get('1')).toMatchObject({
      title: 'Replaced',
    })
  })

  test.each(['text/plain', 'application/octet-stream', 'text/json', 'application/x-www-form-urlencoded', ''])(
    'refuses the content type %j, which is none of its own, and stores nothing',
    async type => {
      const { status, body } = await upload(JSON.stringify({ ...sample, id: '9' }), type)
      expect([status, body.Errors]).toEqual([415, [expect.stringContaining('application/x-ndjson or ')]])
      expect(await here.api.engine.datasets.get(here.shop).documents.get('9')).toBeUndefined()
    },
  )

  test.each([
    ['application/jsonl', '{"no":"id"}\n'.repeat(1500), 1],
    ['text/csv', `id,title\n${',Lamp\n'.repeat(1500)}`, 2],
    ['application/json', `[${'{"no":"id"},'.repeat(1499)}{}]`, 1],
  ])(
    'of %s is an error when all rows failed, with the reasons of the first ten',
    async (type, rows, line) => {
      const { status, body } = await upload(rows, type)
      expect([status, body.Status, body.ResultMessage]).toEqual([202, 'Error', null])
      expect(body.ErrorMessages).toHaveLength(12)
      expect(body.ErrorMessages.slice(0, 3)).toEqual([
        'The process failed.',
        'None of 1500 rows could be stored.',
        expect.stringMatching(new RegExp(`^line ${line}: .*id`)),
      ])
      expect((await here.api.send('GET', `/api/Processes/${body.Id}`)).body).toEqual(body)
      const one = await upload(`${JSON.stringify(sample)}\n{}`, 'application/jsonl')
      expect([one.body.Status, one.body.ErrorMessages[0]]).toEqual(['Finished', '1 of 2 rows failed.'])
    },
  )

  test('is finished when there is no row, and tells nothing when none failed', async () => {
    for (const [type, none] of [
      ['application/jsonl', ''],
      ['text/csv', 'id,title\n'],
      ['application/json', '[]'],
    ] as const) {
      const { body } = await upload(none, type)
      expect([type, body.Status, body.ErrorMessages]).toEqual([type, 'Finished', []])
    }
    const good = await upload(JSON.stringify(sample), 'application/jsonl')
    expect(good.body.ErrorMessages).toEqual([])
  })

  test('reads a CSV with the delimiter that is given or guessed, and a JSON list', async () => {
    const { documents } = here.api.engine.datasets.get(here.shop)
    const lines = (delimiter: string) =>
      `id,title,desc,price,tag\n7,Lamp,Oak,1,a|b\n`.replaceAll(',', delimiter)
    const expected = { id: '7', title: 'Lamp', desc: 'Oak', price: 1, tag: ['a', 'b'] }
    for (const [path, body, type] of [
      ['', lines(';'), 'text/csv'],
      ['?delimiter=!', lines('!'), 'text/csv'],
      ['', JSON.stringify([expected], undefined, 1), 'application/json'],
      ['', JSON.stringify([expected], undefined, 1), 'Application/JSON; charset=utf-8'],
    ] as const) {
      await documents.delete('7')
      const headers = { 'Content-Type': type }
      await here.api.send('POST', `/api/Documents/Import${path}`, { dataset: here.shop, body, headers })
      expect(await documents.get('7')).toEqual(expected)
    }
    const wrong = await here.api.send('POST', '/api/Documents/Import?delimiter=ab', {
      dataset: here.shop,
      body: lines(','),
      headers: { 'Content-Type': 'text/csv' },
    })
    expect(wrong.status).toBe(400)
  })

  test('reads what other programs write, updates, and tells what was doubtful', async () => {
    const { documents } = here.api.engine.datasets.get(here.shop)
    const send = (query: string, body: string | Buffer, type = 'text/csv') =>
      here.api.send('POST', `/api/Documents/Import?${query}`, {
        dataset: here.shop,
        body,
        headers: { 'Content-Type': type },
      })
    const western = Buffer.from(
      'id;title;desc;price;tag\n7;Gr\xf6\xdfe;Eiche;1.299,00;Haus > Garten\n',
      'latin1',
    )
    for (const [query, type] of [
      ['tagPath=tag', 'text/csv; charset=windows-1252'],
      ['tagPath=tag&encoding=latin1', 'text/csv'],
      ['tagPath=tag', 'text/csv; charset=utf-8'],
    ] as const) {
      await documents.delete('7')
      await send(query, western, type)
      expect(await documents.get('7')).toMatchObject({ title: 'Größe', price: 1299, tag: ['Haus > Garten'] })
    }
    await send('mode=update&decimal=.', 'id,price\n7,"1,500"\n')
    expect(await documents.get('7')).toMatchObject({ title: 'Größe', price: 1500 })
    const doubtful = await send('mode=update', 'id;price\n7;1.200\nnone;5\n')
    expect(await documents.get('7')).toMatchObject({ price: 1500 })
    const told: string = doubtful.body.ErrorMessages.join('\n')
    expect(told).toContain('price, line 2: "1.200" is ambiguous without the option decimal')
    expect(told).toContain('has no document "none"')
    expect((await send('mode=merge', 'id\n7\n')).status).toBe(400)
    expect((await send('encoding=cp9', 'id\n7\n')).status).toBe(400)
  })

  test('names and types columns whose names no field may have, and says which of these are wrong', async () => {
    const { documents } = here.api.engine.datasets.get(here.shop)
    const send = (columns: string) =>
      here.api.send('POST', `/api/Documents/Import?${new URLSearchParams({ columns, mode: 'update' })}`, {
        dataset: here.shop,
        body: 'Art.-Nr.;VK-Preis (€);Geändert von\n7;1.299,00;Ada\n',
        headers: { 'Content-Type': 'text/csv' },
      })
    const before = { id: '7', title: 'Lamp', desc: 'Oak', price: 1, tag: ['a'] }
    await documents.upsert(before)
    const named = { 'Art.-Nr.': 'id', 'VK-Preis (€)': 'price:number' }
    const { status } = await send(JSON.stringify({ ...named, 'Geändert von': null }))
    expect([status, await documents.get('7')]).toEqual([202, { ...before, price: 1299 }])
    for (const [columns, problem] of [
      ['{"Art.-Nr.":', 'columns is not valid JSON'],
      ['["id"]', 'columns is a list of 1; expected an object'],
      [
        JSON.stringify({ ...named, 'VK-Preis (€)': 'price:float' }),
        'columns.VK-Preis (€) is "price:float"; expected',
      ],
    ] as const) {
      const { status, body } = await send(columns)
      expect([status, body]).toEqual([400, { Errors: [expect.stringContaining(problem)] }])
    }
    const unknown = await send(JSON.stringify({ ...named, Preis: 'price' }))
    expect(unknown.body.ErrorMessages.join()).toContain(
      'columns names "Preis"; expected a column of the header',
    )
  })

  test.each([
    ['text/csv; charset=utf-8', ','],
    ['Text/Tab-Separated-Values', '\t'],
  ])('reads %s by the types of the dataset', async (type, delimiter) => {
    const rows = [
      ['id', 'title', 'desc', 'price', 'tag'],
      ['7', 'Lamp', 'Oak', '29.5', 'a|b'],
    ]
    await upload(rows.map(row => row.join(delimiter)).join('\n'), type)
    expect(await here.api.engine.datasets.get(here.shop).documents.get('7')).toEqual({
      id: '7',
      title: 'Lamp',
      desc: 'Oak',
      price: 29.5,
      tag: ['a', 'b'],
    })
  })

  test('takes in what the export gives out', async () => {
    const other = await openShop(here.api.engine)
    for (const [format, type] of [
      ['jsonl', 'application/jsonl'],
      ['csv', 'text/csv'],
      ['json', 'application/json'],
    ]) {
      await here.api.engine.datasets.get(other).documents.deleteWhere({ id: { in: ['1', '2'] } }).finished
      const exported = await get(`/api/Documents/Export?format=${format}`)
      const body = typeof exported === 'string' ? exported : JSON.stringify(exported)
      const headers = { 'Content-Type': type! }
      await here.api.send('POST', '/api/Documents/Import', { dataset: other, body, headers })
      const [one, two] = [here.shop, other].map(name => here.api.engine.datasets.get(name).documents)
      expect(await two!.getMany(['1', '2'])).toEqual(await one!.getMany(['1', '2']))
    }
  })

  test('streams: rows are stored and the process is listed while the body still comes', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const answer = fetch(`${here.api.url}/api/Documents/Import`, {
      method: 'POST',
      body: readable,
      duplex: 'half',
      headers: {
        Authorization: `Bearer ${secret}`,
        'X-DataSet': here.shop,
        'Content-Type': 'application/jsonl',
      },
    } as RequestInit)
    const writer = writable.getWriter()
    const { documents } = here.api.engine.datasets.get(here.shop)
    for (let id = 0; documents.count < 100; id += 1000) {
      const rows = Array.from({ length: 1000 }, (_, i) => JSON.stringify({ ...sample, id: `s${id + i}` }))
      await writer.write(Buffer.from(`${rows.join('\n')}\n`))
      await wait(1)
    }
    expect(await get('/api/Processes?extensions=true')).toMatchObject([
      { Type: 'DocumentsImport', Status: 'InProgress' },
    ])
    await writer.close()
    expect(await (await answer).json()).toMatchObject({ Status: 'Finished' })
  })

  test('ends with an error where the body cannot be read at all', async () => {
    const { body } = await upload('id,id\n1,2\n', 'text/csv')
    expect(body).toMatchObject({ Status: 'Error', ResultMessage: null })
    expect(body.ErrorMessages).toHaveLength(2)
  })

  test('stops at the size limit', async () => {
    const small = await startApi({ engine: here.api.engine, config: { maxRequestMb: 1 } })
    onTestFinished(small.stop)
    const row = Buffer.from(`${JSON.stringify({ ...sample, desc: 'x'.repeat(1000) })}\n`)
    const response = await fetch(`${small.url}/api/Documents/Import`, {
      method: 'POST',
      body: ReadableStream.from(Array.from({ length: 2000 }, () => row)),
      duplex: 'half',
      headers: {
        Authorization: `Findling ${secret}`,
        'X-DataSet': here.shop,
        'Content-Type': 'application/jsonl',
      },
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({ Errors: [expect.any(String)] })
  })
})

describe('GET /api/Documents/Export', () => {
  test('gives every document as a line', async () => {
    const { headers, body } = await here.api.send('GET', '/api/Documents/Export', { dataset: here.shop })
    expect(headers.get('Content-Type')).toBe('application/x-ndjson')
    const ids = body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line).id)
    expect(ids).toEqual(['1', '2'])
  })

  test('gives the columns asked for as CSV', async () => {
    expect(await get('/api/Documents/Export?FORMAT=CSV&columns=id,price')).toBe(
      'id,price\r\n1,89\r\n2,19\r\n',
    )
  })

  test('refuses a column that no document has', async () => {
    const { status, body } = await here.api.send('GET', '/api/Documents/Export?format=csv&columns=id,prise', {
      dataset: here.shop,
    })
    expect(status).toBe(400)
    expect(body.Errors[0]).toContain('columns[1] is "prise"; expected')
    expect(body.Errors[0]).toContain('did you mean "price"')
  })
})

describe('GET /api/Documents/Changes', () => {
  test('tells each changed document once, page by page', async () => {
    const { documents } = here.api.engine.datasets.get<object>(here.shop)
    await documents.update('1', { price: 1 })
    await documents.delete('2')
    const first = await get('/api/Documents/Changes?limit=1')
    expect(first).toMatchObject({ Items: [{ Id: '1', Kind: 'Content' }], Count: 1, IsComplete: false })
    const second = await get(`/api/Documents/Changes?since=${first.Since}&limit=1`)
    expect(second).toMatchObject({ Items: [{ Id: '2', Kind: 'Removal' }], Count: 1, IsComplete: true })
    const none = await get(`/api/Documents/Changes?since=${second.Since}`)
    expect(none).toEqual({ Items: [], Count: 0, Since: second.Since, Begun: 0, IsComplete: true })
  })

  test('is read page by page from 0 also where removals have been forgotten, but not if more are meanwhile', async () => {
    const { documents } = await here.api.engine.datasets.create<object>('forgetful')
    const filled = async (name: string, count: number) => {
      await documents.bulk(Array.from({ length: count }, (_, i) => ({ id: `${name}${i}` })))
    }
    const forgotten = async () => {
      const before = documents.prunedSeq
      await filled('gone', 1_500)
      for (let i = 0; i < 1_500; i++) await documents.delete(`gone${i}`)
      await expect.poll(() => documents.prunedSeq).toBeGreaterThan(before)
    }
    const page = (query: string) =>
      here.api.send('GET', `/api/Documents/Changes?${query}`, { headers: { 'X-DataSet': 'forgetful' } })
    await filled('kept', 9)
    await forgotten()
    const read = new Set<string>()
    let { body } = await page('limit=2')
    expect((await page(`since=${body.Since}&limit=2`)).status).toBe(410)
    const first = `since=${body.Since}&begun=${body.Begun}&limit=2`
    for (;;) {
      for (const { Id, Kind } of body.Items) Kind === 'Removal' ? read.delete(Id) : read.add(Id)
      if (body.IsComplete) break
      ;({ body } = await page(`since=${body.Since}&begun=${body.Begun}&limit=500`))
    }
    expect([...read]).toEqual(Array.from({ length: 9 }, (_, i) => `kept${i}`))
    await forgotten()
    expect((await page(first)).status).toBe(410)
  })
})

describe('GET /api/Status', () => {
  test('tells on demand what the datasets take of the memory', async () => {
    await here.api.engine.datasets.get(here.shop).search('hose')
    await here.api.engine.datasets.get(here.shop).complete('hose')
    const { Loaded, ...usual } = await get('/api/Status?WithMemory=true')
    expect(Object.keys(usual)).toEqual(Object.keys(await get('/api/Status')))
    const { DataSets, Total } = Loaded
    const names = here.api.engine.datasets.list().map(({ name }) => name)
    expect(
      DataSets.map(({ Name }: { Name: string }) => Name).every((name: string) => names.includes(name)),
    ).toBe(true)
    expect(DataSets.find(({ Name }: { Name: string }) => Name === here.shop).Index).toBeGreaterThan(0)
    expect(Total).toBeGreaterThan(0)
  })
})

describe('POST /api/Maintenance/Backup', () => {
  test('without a folder for backups names the setting that is missing', async () => {
    const { status, body } = await here.api.send('POST', '/api/Maintenance/Backup')
    expect([status, body.Errors]).toEqual([404, [expect.stringContaining('FINDLING_BACKUP_FOLDER')]])
  })

  test('makes a backup that restores all that was acknowledged, and the next only writes what has changed', async () => {
    const backupFolder = join(await temporaryFolder(), 'backup')
    const own = await startApi({ engine: here.api.engine, config: { backupFolder } })
    onTestFinished(own.stop)
    const sentences: string[] = []
    for (let round = 0; round < 2; round++) {
      const { body } = await own.send('POST', '/api/Maintenance/Backup')
      expect([body.Type, body.Status]).toEqual(['MaintenanceBackup', 'InProgress'])
      let process = body
      while (process.Status === 'InProgress') {
        await wait(10)
        process = (await own.send('GET', `/api/Processes/${body.Id}`)).body
      }
      expect([process.Status, process.ErrorMessages]).toEqual(['Finished', []])
      sentences.push(process.ResultMessage)
    }
    expect(sentences).toEqual([
      expect.stringMatching(/^Backing up: \d+ entries, all of them written in \d+ bytes\.$/),
      expect.stringMatching(/^Backing up: \d+ entries, only changes written in \d+ bytes\.$/),
    ])
    const store = await temporaryFolder()
    await Engine.restore(backupFolder, store)
    const again = await openEngine({ store })
    const [there, kept] = [again, here.api.engine].map(engine => engine.datasets.get(here.shop).documents)
    expect(await collected(there!.scan())).toEqual(await collected(kept!.scan()))
  })
})
