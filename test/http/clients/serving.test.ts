import { cp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { describe, expect, onTestFinished, test } from 'vitest'
import { clientIdOf, clientIdProblem } from '../../../adapters/http/src/clients/client-id.ts'
import { addClient, listClients, removeClient } from '../../../adapters/http/src/commands/clients.ts'
import { type Config, readConfig } from '../../../adapters/http/src/config/config.ts'
import { MemoryShares } from '../../../adapters/http/src/config/memory-shares.ts'
import { checkInstallation } from '../../../adapters/http/src/server/check.ts'
import { createUpdater } from '../../../adapters/http/src/update/update.ts'
import { bytesOfKeptAnswers, lampsIn } from '../../engine/kept-answers.ts'
import { slowDocx } from '../../extraction/packed.ts'
import { hashCost } from '../access/hash-cost.ts'
import { Visitor } from '../setup/installation.ts'
import { add, emptyFolder, operatorsSecret, type Several, secretOf, several } from './several.ts'

async function opened(ids: readonly string[], given: Partial<Config> = {}, options = {}): Promise<Several> {
  const folder = await emptyFolder()
  await add(folder, ...ids)
  const all = await several(folder, given, options)
  onTestFinished(all.stop)
  return all
}

const operator = { key: operatorsSecret }
const keyOf = (id: string) => ({ key: secretOf(id) })

const dataSet = {
  Name: 'products',
  IdField: 'id',
  TagField: 'tag',
  InterpretedFields: ['title'],
  NGramCount: 3,
  SampleDocument: { id: '1', title: 'A lamp', tag: ['a'] },
}

describe('the id of a client', () => {
  test.each(['a', '0', 'shop', 'shop-42', 'my_shop', 'x'.repeat(50), 'constructor'])('may be %j', id => {
    expect(clientIdProblem(id)).toBeUndefined()
    expect(clientIdOf(id.toUpperCase())).toBe(id)
  })

  test.each(['', 'Shop', '-a', '_a', '.', '..', 'a.b', 'a b', 'a/b', 'ä', 'x'.repeat(51), '__proto__', 'K'])(
    'may not be %j',
    id => {
      expect(clientIdProblem(id)).toContain('expected 1 to 50 lower-case letters')
    },
  )

  test('is nothing that the host has for itself', async () => {
    const { send } = await opened([])
    const { body } = await send('GET', '/openapi.json')
    const first = Object.keys(body.paths).map(path => path.split('/')[1]!)
    expect(first).toContain('setup')
    for (const word of new Set(first)) expect([word, clientIdOf(word)]).toEqual([word, undefined])
  })
})

describe('the address of a client', () => {
  test('is matched in any case, with doubled slashes and escapes, as all paths are', async () => {
    const { send } = await opened(['shop-1'])
    for (const path of [
      '/shop-1/api/Status',
      '/SHOP-1/api/status',
      '//Shop-1///API/status/',
      '/sh%6Fp-1/api/Status',
    ])
      expect([path, (await send('GET', path, keyOf('shop-1'))).status]).toEqual([path, 200])
  })

  test('begins all links in answers, also behind a proxy', async () => {
    const plain = await opened(['shop'])
    const behind = await opened(['shop'], { baseUrlPrefix: 'https://europe.example.com/search' })
    for (const [{ send }, base] of [
      [plain, 'http://localhost/shop'],
      [behind, 'https://europe.example.com/search/shop'],
    ] as const) {
      expect((await send('GET', '/SHOP')).body.Information).toBe(`${base}/docs`)
      expect((await send('GET', '/')).body.Information).toBe(`${base.slice(0, -'/shop'.length)}/docs`)
      await send('POST', '/shop/api/DataSets', { ...keyOf('shop'), body: dataSet })
      const dataset = { ...keyOf('shop'), dataset: 'products' }
      const tag = await send('POST', '/Shop/api/Tags', { ...dataset, body: { Id: '1', Name: 'One' } })
      expect(tag.headers.get('Location')).toBe(`${base}/api/tags/1`)
      const service = { Name: 'Search', Type: 'Search' }
      const made = await send('POST', '/shop/api/Services', { ...keyOf('shop'), body: service })
      expect(made.headers.get('Location')).toBe(`${base}/api/services/${made.body.Id}`)
      await send('POST', '/shop/api/DataSets', { ...keyOf('shop'), body: { ...dataSet, Name: 'copies' } })
      const copy = { DocumentIdList: ['1'], TargetDataSetName: 'copies' }
      const copied = await send('POST', '/shop/api/Documents/Copy', { ...dataset, body: copy })
      const process = async () =>
        (await send('GET', `/shop/api/Processes/${copied.body.Id}`, keyOf('shop'))).body
      await expect.poll(process).toMatchObject({ ResultMessage: expect.stringContaining(`\n${base}/files/`) })
      const link: string = (await process()).ResultMessage.split('\n')[1]
      expect((await send('GET', `/shop${link.slice(base.length)}`)).status).toBe(200)
    }
  })

  test('is what its documentation leads to, wherever a proxy shows it', async () => {
    const { send } = await opened(['shop'])
    for (const path of ['/shop/docs', '/shop/docs/', '//shop//docs']) {
      const { text } = await send('GET', path)
      const [, script = ''] = /src="([^"]*start\.js)"/.exec(text)!
      const url = new URL(script, `https://example.com/eu${path}`)
      expect(url.pathname.replaceAll('//', '/')).toBe('/eu/shop/docs/start.js')
    }
    const { body } = await send('GET', '/shop/openapi.json')
    expect(new URL(body.servers[0].url, 'https://example.com/eu/shop/openapi.json').pathname).toBe(
      '/eu/shop/',
    )
    expect(body.servers[1].url).toBe((await send('GET', '/shop')).body.Information.replace(/\/docs$/, ''))
    expect(Object.keys(body.paths)).toContain('/api/Documents')
    expect(Object.keys(body.paths).filter(path => /setup|update|metrics/.test(path))).toEqual([])
  })
})

test('a backup without a folder for it names the setting, of one client and of all', async () => {
  const { send } = await opened(['shop'])
  for (const [path, who] of [
    ['/shop/api/Maintenance/Backup', keyOf('shop')],
    ['/api/Maintenance/Backup', operator],
  ] as const) {
    const { status, body } = await send('POST', path, who)
    expect([path, status, body.Errors]).toEqual([
      path,
      404,
      [expect.stringContaining('FINDLING_BACKUP_FOLDER')],
    ])
  }
})

describe('the documentation at the root of the host', () => {
  test('is that of the operator, and leads to those of clients without telling which there are', async () => {
    const { send } = await opened(['shop'])
    const { status, body, text } = await send('GET', '/openapi.json')
    expect([status, Object.keys(body.paths)]).toEqual([
      200,
      expect.arrayContaining(['/api/Keys', '/metrics']),
    ])
    expect(Object.keys(body.paths)).not.toContain('/api/Documents')
    for (const led of ['`/<client_id>/docs`', '`/<client_id>/openapi.json`'])
      expect(body.info.description).toContain(led)
    expect(text).not.toMatch(/shop/)
    expect((await send('GET', '/docs')).status).toBe(200)
    expect((await send('GET', '/shop/openapi.json')).body.info.description).not.toContain('<client_id>')
  })
})

describe('what is the operator’s', () => {
  test('is updates and metrics, for no key of a client', async () => {
    const { send } = await opened(['shop', 'other'], {}, { updater: createUpdater([]) })
    const admin = (
      await send('POST', '/shop/api/Keys', { ...keyOf('shop'), body: { Name: 'A', Scopes: ['Admin'] } })
    ).body.Key
    for (const [method, path] of [
      ['GET', '/update'],
      ['POST', '/update'],
      ['GET', '/metrics'],
    ] as const) {
      for (const key of [undefined, secretOf('shop'), admin])
        expect([path, (await send(method, path, { key })).status]).toEqual([path, 401])
      expect([path, (await send(method, path, operator)).status]).toEqual([path, 200])
    }
    expect((await send('GET', '/shop/metrics', operator)).status).toBe(404)
  })

  test('is updates below every address, which open nothing else there', async () => {
    const { send, logged } = await opened(['shop'], {}, { updater: createUpdater([]) })
    const make = async (at: string, who: { key: string }, scope: string) =>
      (await send('POST', `${at}/api/Keys`, { ...who, body: { Name: scope, Scopes: [scope] } })).body.Key
    const [admin, reader] = [await make('', operator, 'Admin'), await make('', operator, 'Read')]
    const clientsAdmin = await make('/shop', keyOf('shop'), 'Admin')
    for (const id of ['shop', 'nobody']) {
      for (const key of [operatorsSecret, admin]) {
        expect((await send('GET', `/${id}/update`, { key })).text).toBe('OK')
        expect((await send('POST', `/${id}//UPDATE/`, { key })).body).toEqual({ Log: '' })
        expect((await send('GET', `/${id}/api/Status`, { key })).status).toBe(401)
      }
      for (const method of ['GET', 'POST']) {
        const statusWith = async (key?: string) => (await send(method, `/${id}/update`, { key })).status
        for (const key of [undefined, 'wrong-secret', secretOf('shop'), clientsAdmin])
          expect([id, key, await statusWith(key)]).toEqual([id, key, 401])
        expect([id, await statusWith(reader)]).toEqual([id, 403])
      }
    }
    const updates = logged.filter(({ details }) => details.path === '/update')
    expect(new Set(updates.map(({ details }) => details.client))).toEqual(new Set(['shop', 'nobody']))
    expect((await send('GET', '/shop/api/Status', keyOf('shop'))).status).toBe(200)
  })

  test('is no update anywhere where none is set', async () => {
    const { send } = await opened(['shop'])
    for (const path of ['/update', '/shop/update', '/nobody/update'])
      expect([path, (await send('GET', path, operator)).status]).toEqual([path, 404])
  })

  test('is a store without data, keys and a secret of its own', async () => {
    const { send } = await opened(['shop'])
    const read = { ...operator, body: { Name: 'prometheus', Scopes: ['Read'] } }
    const { Key } = (await send('POST', '/api/Keys', read)).body
    expect((await send('GET', '/metrics', { key: Key })).status).toBe(200)
    expect((await send('POST', '/api/DataSets', { ...operator, body: dataSet })).status).toBe(404)
    const changed = { ...operator, body: { Secret: 'another-secret' } }
    expect((await send('POST', '/api/Maintenance/ChangeSecret', changed)).status).toBe(200)
    expect((await send('GET', '/api/Status', operator)).status).toBe(401)
    expect((await send('GET', '/shop/api/Status', keyOf('shop'))).status).toBe(200)
  })

  test('tells clients apart in metrics, and shows none of them to another', async () => {
    const { send } = await opened(['shop', 'other'])
    await send('POST', '/shop/api/DataSets', { ...keyOf('shop'), body: dataSet })
    await send('GET', '/other/api/Status')
    await send('GET', '/nobody/api/Status')
    const { text } = await send('GET', '/metrics', operator)
    for (const line of [
      'findling_http_requests_total{client="shop",method="POST",route="/api/DataSets",status="201"} 1',
      'findling_http_requests_total{client="other",method="GET",route="none",status="401"} 1',
      'findling_http_requests_total{client="?",method="GET",route="none",status="401"} 1',
      'findling_documents{client="shop",dataset="products"} 0',
    ])
      expect(text.split('\n')).toContain(line)
    expect(text.match(/^# TYPE findling_http_requests_total /gm)).toHaveLength(1)
    expect(text).not.toContain('nobody')
  })

  test('is a log whose lines name the client', async () => {
    const { send, logged } = await opened(['shop'])
    await send('GET', '/SHOP/api/Status', keyOf('shop'))
    await send('GET', '/nobody/api/Status')
    await send('GET', '/health')
    const requests = logged.filter(({ message }) => message === 'request')
    expect(requests.map(({ details }) => [details.client, details.path])).toEqual([
      ['shop', '/api/status'],
      ['nobody', '/api/status'],
      [undefined, '/health'],
    ])
  })
})

describe('the setup', () => {
  const chosen = { Secret: 'chosen-secret', SecretConfirm: 'chosen-secret' }

  /** Goes to the setup pages of a server as a browser does. */
  function visitor({ served }: Several): Visitor {
    return new Visitor({ handle: request => served.fetch(request, { remoteAddress: '192.0.2.1' }) })
  }

  test('is at the host; its token selects the client', async () => {
    const folder = await emptyFolder()
    for (const id of ['one', 'two'])
      await addClient(id, join(folder, 'clients'), readConfig({}), { hashCost })
    const all = await several(folder)
    onTestFinished(all.stop)
    const { opened, send, served } = all
    expect(served.setupToken).toBeUndefined() // the operator's secret was given
    const [one, two] = opened.map(({ setupToken }) => setupToken)
    expect(new Set([one, two, undefined]).size).toBe(3)
    const browser = visitor(all)
    expect((await browser.open(two)).html).toContain('Set up the client two')
    expect((await browser.submit(chosen)).html).toContain('http://localhost/two/api/DataSets')
    const statusOf = async (id: string) =>
      (await send('GET', `/${id}/api/Status`, { key: chosen.Secret })).status
    expect([await statusOf('one'), await statusOf('two')]).toEqual([401, 200])
    // The next token wins over the cookie that is still there.
    expect((await browser.open(one)).html).toContain('Set up the client one')
    await browser.submit(chosen)
    expect([await statusOf('one'), await statusOf('two')]).toEqual([200, 200])
  })

  test('tells nothing without a token, and makes wrong ones wait', async () => {
    const all = await opened(['shop'])
    const browser = visitor(all)
    expect(await browser.look()).toMatchObject({ status: 200, formToken: '' })
    expect(await browser.look('?token=wrong')).toMatchObject({ status: 403, formToken: '' })
    expect((await browser.look()).html).not.toContain('shop')
    expect((await browser.post(chosen)).status).toBe(302)
    expect((await all.send('GET', '/shop/api/Status', keyOf('shop'))).status).toBe(200)
  })

  test('of the operator is its own', async () => {
    const all = await opened(['shop'], { secret: undefined })
    const browser = visitor(all)
    expect((await browser.open(all.served.setupToken)).html).toContain('Set up the operator of this server')
    await browser.submit(chosen)
    expect((await all.send('GET', '/api/Status', { key: chosen.Secret })).status).toBe(200)
    expect((await all.send('GET', '/shop/api/Status', { key: chosen.Secret })).status).toBe(401)
  })
})

describe('while the server runs', () => {
  test('a client is added and removed by the operator, and a new one of its name has nothing of it', async () => {
    const folder = await emptyFolder()
    const all = await several(folder)
    onTestFinished(all.stop)
    const { send, served, folder: clients } = all
    served.clients.follow(10)
    const statusWith = async (key: string) => (await send('GET', '/shop/api/DataSets', { key })).status
    const provisional = await addClient('shop', clients, readConfig({}), { hashCost })
    await expect.poll(() => statusWith(provisional!)).toBe(200)
    await send('POST', '/shop/api/DataSets', { key: provisional!, body: dataSet })
    const aside = await removeClient('shop', clients)
    expect(await statusWith(provisional!)).toBe(401)
    expect(await listClients(clients)).toEqual([])
    await add(folder, 'shop')
    await expect.poll(() => statusWith(secretOf('shop'))).toBe(200)
    expect((await send('GET', '/shop/api/DataSets', keyOf('shop'))).body).toEqual([])
    expect(await statusWith(provisional!)).toBe(401)
    // What was removed is all there.
    await using engine = await Engine.open({ store: join(aside, 'store') })
    expect(engine.datasets.list()).toMatchObject([{ name: 'products' }])
  })

  test('a folder becomes a client when its store is finished, not while it is being copied or restored', async () => {
    const folder = await emptyFolder()
    await add(folder, 'shop')
    const all = await several(folder)
    onTestFinished(all.stop)
    const { clients } = all.served
    const served = async () => {
      // One is new to the first look, and opened by the second if it is still the same.
      await clients.look()
      await clients.look()
      return clients.list().map(({ id }) => id)
    }
    await rename(join(all.folder, 'shop'), join(folder, 'elsewhere'))
    expect(await served()).toEqual([])
    const [from, store] = [join(folder, 'elsewhere', 'store'), join(all.folder, 'shop', 'store')]
    await mkdir(store, { recursive: true })
    expect([await served(), await readdir(store)]).toEqual([[], []])
    await writeFile(join(store, 'findling.restore'), '')
    await cp(from, store, { recursive: true })
    expect([await served(), await listClients(all.folder)]).toEqual([[], []])
    await rm(join(store, 'findling.restore'))
    expect([await served(), all.failed]).toEqual([['shop'], []])
    expect((await all.send('GET', '/shop/api/Status', keyOf('shop'))).status).toBe(200)
    await clients.add('empty')
    expect(await served()).toEqual(['empty', 'shop'])
  })

  test('a client whose files are still being copied is not opened, and one that paused half-way is tried again', async () => {
    const folder = await emptyFolder()
    await add(folder, 'shop', 'model')
    const all = await several(folder)
    onTestFinished(all.stop)
    const { clients } = all.served
    await rename(join(all.folder, 'shop'), join(folder, 'elsewhere'))
    await clients.look()
    const [from, store] = [join(folder, 'elsewhere', 'store'), join(all.folder, 'shop', 'store')]
    await mkdir(store, { recursive: true })
    const names = (await readdir(from)).sort(
      (one, other) => Number(other === 'CURRENT') - Number(one === 'CURRENT'),
    )
    for (const name of names) {
      await cp(join(from, name), join(store, name), { recursive: true })
      await clients.look()
      expect([clients.get('shop'), all.failed]).toEqual([undefined, []])
    }
    await clients.look()
    expect((await all.send('GET', '/shop/api/Status', keyOf('shop'))).status).toBe(200)

    await rename(join(all.folder, 'shop'), join(folder, 'moved'))
    await clients.look()
    await mkdir(store, { recursive: true })
    await cp(join(from, 'CURRENT'), join(store, 'CURRENT'))
    for (let at = 0; at < 4; at++) await clients.look()
    expect(all.failed).toMatchObject([{ id: 'shop', error: { code: 'STORE_CORRUPT' } }])
    expect((await all.send('GET', '/shop/api/Status')).status).toBe(503)
    await cp(from, store, { recursive: true })
    await clients.look()
    await clients.look()
    expect((await all.send('GET', '/shop/api/Status', keyOf('shop'))).status).toBe(200)
    expect(all.failed).toHaveLength(1)
  })

  test('a client stays open while its folder cannot be looked at, or that of all clients is away', async () => {
    const all = await opened(['shop'])
    const { clients } = all.served
    const status = async () => (await all.send('GET', '/shop/api/Status', keyOf('shop'))).status
    const store = join(all.folder, 'shop', 'store')
    await rename(store, `${store}-away`)
    await symlink(store, store) // leads to itself: ELOOP
    await clients.look()
    expect(await status()).toBe(200)
    await rm(store)
    await rename(`${store}-away`, store)
    await rename(all.folder, `${all.folder}-away`)
    await expect(clients.look()).rejects.toThrow('does not exist')
    expect(await status()).toBe(200)
    await rename(`${all.folder}-away`, all.folder)
    await clients.look()
    expect([await status(), all.opened.length]).toEqual([200, 1])
    await rename(join(all.folder, 'shop'), join(all.folder, '.shop'))
    await clients.look()
    expect(await status()).toBe(401)
  })

  test('a stop waits for the client that is being opened, and opens no others', async () => {
    const folder = await emptyFolder()
    const ids: string[] = []
    let stopped: Promise<void> | undefined
    const onOpened = ({ id }: { id: string }) => {
      ids.push(id)
      stopped ??= all.stop()
    }
    const all = await several(folder, {}, { onOpened })
    await add(folder, 'one', 'two')
    await all.served.clients.look()
    await all.served.clients.look()
    await stopped
    expect(ids).toEqual(['one'])
    for (const id of ['one', 'two'])
      await (await Engine.open({ store: join(all.folder, id, 'store') })).close()
  })

  test('a client is neither added twice nor under a wrong id, nor is one removed that there is not', async () => {
    const { folder } = await opened(['shop'])
    const add = (id: string, secret?: string) => addClient(id, folder, readConfig({}), { secret, hashCost })
    await expect(add('shop')).rejects.toThrow('There is already a client or a folder shop')
    await expect(add('API')).rejects.toThrow('The id of a client is "API"')
    await expect(add('api')).rejects.toThrow('reserved for the server')
    await expect(add('good', 'short')).rejects.toThrow('at least 6')
    await expect(removeClient('none', folder)).rejects.toThrow('There is no client none')
    await expect(removeClient('../shop', folder)).rejects.toThrow('The id of a client is')
    await expect(removeClient('shop', folder, { patienceMs: 0 })).rejects.toThrow('still in use')
    expect(await readdir(folder)).toEqual(['shop'])
  })

  test('files in a folder of their own are set aside with their client', async () => {
    const folder = await emptyFolder()
    await add(folder, 'shop')
    const files = join(folder, 'files')
    await mkdir(join(files, 'shop', 'files'), { recursive: true })
    await removeClient('shop', join(folder, 'clients'), { others: [files, join(folder, 'no-backups')] })
    expect(await readdir(files)).toEqual([expect.stringMatching(/^shop\.removed-/)])
    expect(await readdir(join(folder, 'clients'))).toEqual(await readdir(files))
  })

  test('an addition that fails leaves nothing', async () => {
    const folder = join(await emptyFolder(), 'clients')
    const fill = () => Promise.reject(new Error('no sample'))
    await expect(addClient('shop', folder, readConfig({}), { hashCost, fill })).rejects.toThrow('no sample')
    expect(await readdir(folder)).toEqual([])
  })
})

describe('a start', () => {
  test('has secrets, data, keys, files and counts of each client as they were, and an end closes all stores', async () => {
    const folder = await emptyFolder()
    await add(folder, 'one', 'two')
    const first = await several(folder)
    for (const id of ['one', 'two']) {
      await first.send('POST', `/${id}/api/DataSets`, {
        ...keyOf(id),
        body: { ...dataSet, Name: `of-${id}` },
      })
    }
    const changed = { ...keyOf('two'), body: { Secret: 'secret-later' } }
    await first.send('POST', '/two/api/Maintenance/ChangeSecret', changed)
    const named = { ...keyOf('one'), body: { Name: 'reader', Scopes: ['Read'] } }
    const { Key } = (await first.send('POST', '/one/api/Keys', named)).body
    const idsOf = async ({ send }: Several) =>
      await Promise.all(
        ['/', '/one/', '/two/', '/nobody/'].map(async path => (await send('GET', path)).body.InstanceId),
      )
    const ids = await idsOf(first)
    await first.stop()
    for (const id of ['one', 'two'])
      await (await Engine.open({ store: join(first.folder, id, 'store') })).close()
    await (await Engine.open({ store: first.config.store })).close()

    const second = await several(folder)
    onTestFinished(second.stop)
    expect(await idsOf(second)).toEqual(ids)
    const datasetsOf = async (id: string, key: string) =>
      (await second.send('GET', `/${id}/api/DataSets`, { key })).body?.map(
        ({ Name }: { Name: string }) => Name,
      )
    expect(await datasetsOf('one', Key)).toEqual(['of-one'])
    expect(await datasetsOf('two', 'secret-later')).toEqual(['of-two'])
    expect((await second.send('GET', '/two/api/Status', keyOf('two'))).status).toBe(401)
    expect((await second.send('GET', '/one/api/Statistics', keyOf('one'))).body.Sum).toBeGreaterThan(2)
  })

  test('has a backup of each client in a folder of its own', async () => {
    const folder = await emptyFolder()
    const backupFolder = join(folder, 'backups')
    await add(folder, 'one', 'two')
    const all = await several(folder, { backupFolder })
    onTestFinished(all.stop)
    for (const id of ['one', 'two']) {
      const { status, body } = await all.send('POST', `/${id}/api/Maintenance/Backup`, keyOf(id))
      expect(status).toBe(202)
      const ended = async () =>
        (await all.send('GET', `/${id}/api/Processes/${body.Id}`, keyOf(id))).body.Status
      await expect.poll(ended).toBe('Finished')
      expect(await Engine.verifyBackup(join(backupFolder, id))).toMatchObject({ entries: expect.any(Number) })
    }
    expect((await readdir(backupFolder)).sort()).toEqual(['one', 'two'])
  })

  test('serves all clients but those whose store cannot be read', async () => {
    const folder = await emptyFolder()
    await add(folder, 'good', 'bad')
    await writeFile(join(folder, 'clients', 'bad', 'store', 'CURRENT'), 'nothing of the kind')
    const all = await several(folder)
    onTestFinished(all.stop)
    expect(all.failed).toMatchObject([{ id: 'bad', error: { code: 'STORE_CORRUPT' } }])
    expect((await all.send('GET', '/good/api/Status', keyOf('good'))).status).toBe(200)
    const refused = await all.send('GET', '/bad/api/Status', keyOf('bad'))
    expect([refused.status, refused.body.Errors, refused.headers.get('X-Api-Version')]).toEqual([
      503,
      [expect.stringContaining('cannot be read at the moment')],
      '1.5.0',
    ])
  })

  test('is refused where the operator’s store has data, which becomes a client when it is moved', async () => {
    const folder = await emptyFolder()
    const store = join(folder, 'operator')
    const engine = await Engine.open({ store })
    await engine.datasets.create('products')
    await engine.close()
    await expect(several(folder)).rejects.toThrow(/has datasets, .* move it to .*clients.<id>.store/)
    await mkdir(join(folder, 'clients', 'shop'), { recursive: true })
    await rename(store, join(folder, 'clients', 'shop', 'store'))
    const all = await several(folder)
    onTestFinished(all.stop)
    const { body } = await all.send('GET', '/shop/api/DataSets', { key: all.opened[0]?.newSecret })
    expect(body).toMatchObject([{ Name: 'products' }])
  })

  test('is checked before, client by client', async () => {
    const folder = await emptyFolder()
    await add(folder, 'bad', 'good')
    await writeFile(join(folder, 'clients', 'bad', 'store', 'CURRENT'), 'nothing of the kind')
    const clientsFolder = join(folder, 'clients')
    const config = { ...readConfig({ FINDLING_CLIENTS: clientsFolder }), store: join(folder, 'operator') }
    const checks = (await checkInstallation({ ...config, diskMinimumMb: 0 })).map(
      ({ subject, isGood }) => `${subject}: ${isGood}`,
    )
    expect(checks).toEqual([
      'address: true',
      'folder of the store: true',
      'folder for files: true',
      'disk: true',
      'store: true',
      'folder of the clients: true',
      'store of bad: false',
      'store of good: true',
      'secret of good: true',
      'licence of good: true',
    ])
    const engine = await Engine.open({ store: config.store })
    await engine.datasets.create('products')
    await engine.close()
    expect(await checkInstallation({ ...config, diskMinimumMb: 0 })).toContainEqual({
      subject: 'store',
      isGood: false,
      says: expect.stringContaining('has datasets'),
    })
  })

  test('names what looks like a client and is none, and so does a check', async () => {
    const folder = await emptyFolder()
    await add(folder, 'ended', 'good', 'lost', 'restored')
    const of = (id: string, ...path: string[]) => join(folder, 'clients', id, ...path)
    await rm(of('lost', 'store', 'CURRENT'))
    await writeFile(of('restored', 'store', 'findling.restore'), '')
    await writeFile(of('ended', 'leaving'), '')
    await mkdir(of('.hidden'))
    const says = [
      ['ended', 'repeat clients remove ended'],
      ['lost', `${of('lost', 'store')} has no file CURRENT`],
      ['restored', `${of('restored', 'store')} is being restored`],
    ] as const
    const all = await several(folder)
    onTestFinished(all.stop)
    expect(all.opened.map(({ id }) => id)).toEqual(['good'])
    expect(all.failed).toMatchObject(
      says.map(([id, why]) => ({ id, error: { message: expect.stringContaining(why) } })),
    )
    const checks = await checkInstallation(all.config)
    for (const [id, why] of says)
      expect(checks).toContainEqual({
        subject: `store of ${id}`,
        isGood: false,
        says: expect.stringContaining(why),
      })
  })

  test('refuses a client for which no memory is left, and takes none from the others', async () => {
    const all = await opened(['a', 'b', 'c'], { memoryMb: 480 })
    expect(all.opened.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(all.failed).toMatchObject([{ id: 'c', error: { message: expect.stringContaining('32 MB') } }])
  })
})

test.each([
  [undefined, true],
  [0, false],
])(
  'with an answer cache of %s KB searches of a client that come again take memory: %s',
  async (answerCacheKb, takes) => {
    const all = await opened(['a'], { answerCacheKb })
    const { engine } = all.opened[0]!
    expect((await bytesOfKeptAnswers(engine, await lampsIn(engine))) > 100_000).toBe(takes)
  },
)

describe('files of clients', () => {
  const parse = (all: Several, id: string, content: string | Buffer) => {
    const body = { Content: Buffer.from(content).toString('base64') }
    return all.send('POST', `/${id}/api/Helper/FileParser`, { ...keyOf(id), body })
  }

  test('keep no other client waiting, however many and how slow they are', async () => {
    const all = await opened(['many', 'few'], { memoryMb: 704 })
    const slow = await slowDocx('lamp')
    const order: string[] = []
    const read = async (id: string) => {
      const { status } = await parse(all, id, slow)
      order.push(`${id} ${status}`)
    }
    // The processes have begun before anybody is waited for.
    await Promise.all([read('few'), read('many')])
    order.length = 0
    const reads = Array.from({ length: 8 }, () => read('many'))
    await Promise.all([...reads, read('few')])
    // It was sent last, and few of the others’ were before it.
    expect(order.indexOf('few 200')).toBeLessThan(6)
    expect(order.filter(one => one === 'many 200')).toHaveLength(8)
  })

  test('are held to the settings, which refusals name', async () => {
    const all = await opened(['held'], { memoryMb: 704, fileCharacters: 7 })
    expect((await parse(all, 'held', 'a lamp')).status).toBe(200)
    const { status, body } = await parse(all, 'held', 'two lamps')
    expect([status, body.Errors]).toEqual([
      400,
      [expect.stringContaining('a larger FINDLING_FILE_CHARACTERS')],
    ])
  })

  test('that one of them waits for end with it, and no others', async () => {
    const all = await opened(['leaving', 'staying'], { memoryMb: 704 })
    const files = (id: string) => [1, 2, 3].map(at => parse(all, id, `file ${at}`))
    const [ended, read] = [files('leaving'), files('staying')]
    await all.served.clients.get('leaving')!.close()
    expect((await Promise.all(ended)).map(({ status }) => status)).toEqual([503, 503, 503])
    expect((await Promise.all(read)).map(({ body }) => body.Content)).toEqual([
      'file 1\n',
      'file 2\n',
      'file 3\n',
    ])
  })
})

test('the memory is shared evenly, with a share left for those who come later, and never given twice', () => {
  const MEGABYTE = 2 ** 20
  const shares = new MemoryShares(2400)
  // A quarter is for reading files, of it 192 MB for small ones, and 32 MB are the operator's.
  expect(shares.reading).toEqual({ processes: 1, memoryLimit: 172 * MEGABYTE })
  const three = [3, 2, 1].map(count => shares.take(count)! / MEGABYTE)
  expect(three).toEqual([442, 442, 442])
  expect(shares.take(1)! / MEGABYTE).toBe(221)
  shares.give(442 * MEGABYTE)
  expect(shares.take(1)! / MEGABYTE).toBe(331.5)
  expect(new MemoryShares(64_000, 100 * MEGABYTE).reading.memoryLimit).toBe(100 * MEGABYTE)
  expect(new MemoryShares(448).take(1)).toBe(32 * MEGABYTE)
  expect(new MemoryShares(447).take(1)).toBeUndefined()
  expect(new MemoryShares(64_000).reading).toEqual({
    processes: Math.min(2, availableParallelism()),
    memoryLimit: 256 * MEGABYTE,
  })
  expect(new MemoryShares(undefined).take(1)).toBeGreaterThan(32 * MEGABYTE)
  // Half of a machine, or what one client needs.
  expect(new MemoryShares(undefined, undefined, 4800 * MEGABYTE).take(3)).toBe(442 * MEGABYTE)
  for (const small of [256, 600, 895])
    expect(new MemoryShares(undefined, undefined, small * MEGABYTE).take(1)).toBe(32 * MEGABYTE)
})
