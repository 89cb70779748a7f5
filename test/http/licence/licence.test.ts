import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Licence, openLicence } from '../../../adapters/http/src/licence/licence.ts'

const notSet = { isValid: false, message: '', type: 'Not set', base64: '' }
const toXml = (base64: string) => Buffer.from(base64, 'base64').toString()
const toBase64 = (xml: string) => Buffer.from(xml).toString('base64')

let engine: Engine
let licence: Licence
beforeEach(async () => {
  engine = await Engine.open()
  licence = await openLicence(engine)
})
afterEach(() => engine.close())

describe('instanceId', () => {
  test('is a GUID of this installation alone and survives a restart, as the licence does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'findling-licence-'))
    try {
      const first = await Engine.open({ store: folder })
      const made = await openLicence(first)
      await made.store(await made.issueOpenSource('owner@example.com'))
      const state = await made.state()
      await first.close()
      await using second = await Engine.open({ store: folder })
      const reopened = await openLicence(second)
      expect(reopened.instanceId).toBe(made.instanceId)
      expect(reopened.instanceId).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
      expect(reopened.instanceId).not.toBe(licence.instanceId)
      expect(await reopened.state()).toEqual(state)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe('issueOpenSource', () => {
  test.each(['owner@example.com', '  o@x ', `o'hara&"sons"<x>@example.com`, '用户@例え.テスト'])(
    'makes a licence for %j that is valid here',
    async email => {
      await licence.store(await licence.issueOpenSource(email))
      expect(await licence.state()).toMatchObject({ isValid: true, message: '', type: 'OpenSource' })
    },
  )

  test('states the elements of the contract', async () => {
    const xml = toXml(await licence.issueOpenSource('owner@example.com'))
    const elements = [...xml.matchAll(/<([A-Za-z]+)/g)].map(([, name]) => name)
    expect(elements.join(' ')).toBe(
      'License Id Type Cores Customer Email Expiration ProductFeatures LicenseAttributes Signature',
    )
    expect(xml).toContain(`<Id>${licence.instanceId}</Id>`)
    expect(xml).toContain('<Expiration>Fri, 31 Dec 9999 23:59:59 GMT</Expiration>')
  })

  test.each([
    '',
    ' ',
    'nobody',
    '@',
    'a@',
    '@b',
    'a@b@c',
    'a b@c',
    'a@b\nc',
    'a\u0000@b',
    '\ud800@b',
    `${'a'.repeat(300)}@b`,
  ])('refuses %.40j with 400', async email => {
    await expect(licence.issueOpenSource(email)).rejects.toMatchObject({ status: 400 })
  })

  test('stores nothing', async () => {
    await licence.issueOpenSource('owner@example.com')
    expect(await licence.state()).toEqual(notSet)
  })
})

describe('store', () => {
  let issued: string
  beforeEach(async () => {
    issued = await licence.issueOpenSource('owner@example.com')
  })

  test.each<[string, (base64: string) => string]>([
    ['base64', text => text],
    ['base64 in lines with blanks', text => ` ${text.replace(/.{64}/g, '$&\r\n\t ')}\n`],
    ['XML', toXml],
    [
      'XML in lines with a declaration',
      text => `<?xml version="1.0"?>\n${toXml(text).replaceAll('><', '>\n<')}`,
    ],
    ['XML behind a byte order mark', text => `\ufeff${toXml(text)}`],
    ['base64 of XML behind a byte order mark', text => toBase64(`\ufeff${toXml(text)}`)],
  ])('takes %s', async (_, form) => {
    await licence.store(form(issued))
    const { isValid, message, type, base64 } = await licence.state()
    expect({ isValid, message, type }).toEqual({ isValid: true, message: '', type: 'OpenSource' })
    expect(toXml(base64)).toContain(licence.instanceId)
  })

  test.each<[string, (base64: string) => string, string]>([
    ['nothing', () => '', 'not a complete key'],
    ['half a key', text => text.slice(0, text.length / 2), 'not a complete key'],
    ['the end of a key', text => text.slice(4), 'not a complete key'],
    ['what is no base64', () => 'nonsense!', 'not a complete key'],
    ['base64 of something else', () => toBase64('nonsense'), 'not a complete key'],
    ['half the XML', text => toXml(text).slice(0, 200), 'cannot be read'],
    ['a key of 10 MB', () => 'A'.repeat(10_000_000), 'at most 65536'],
    ['10 MB of opening elements', () => '<A>'.repeat(3_000_000), 'at most 65536'],
    ['a changed licence', text => toXml(text).replace('OpenSource', 'Commercial'), 'signature'],
    [
      'an external entity',
      () => '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><License>&e;</License>',
      'cannot be read',
    ],
  ])('refuses %s with 400 and keeps the stored one', async (_, form, reason) => {
    await licence.store(issued)
    const before = await licence.state()
    await expect(licence.store(form(issued))).rejects.toMatchObject({
      status: 400,
      errors: expect.arrayContaining([expect.stringContaining(reason)]),
    })
    expect(await licence.state()).toEqual(before)
  })

  test('tells everything that is wrong with the licence of another installation', async () => {
    await using other = await Engine.open()
    const foreign = await (await openLicence(other)).issueOpenSource('owner@example.com')
    const refusal = await licence.store(foreign).catch(error => error)
    expect(refusal.errors).toEqual([
      expect.stringContaining('signature'),
      expect.stringContaining(licence.instanceId),
    ])
    expect(await licence.state()).toEqual(notSet)
  })
})
