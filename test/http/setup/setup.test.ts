import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { install, owner, Visitor } from './installation.ts'

const chosen = { Secret: 'owners-secret', SecretConfirm: 'owners-secret' }
const licencePath = '/setup/RequestOpenSourceLicense'
const here = '192.0.2.1'

describe('the token', () => {
  test('is all that opens the setup', async () => {
    const { setup } = await install()
    const page = await new Visitor(setup).look()
    expect(page.status).toBe(200)
    expect(page.formToken).toBe('')
    expect(page.headers.get('Set-Cookie')).toBeNull()
    expect((await new Visitor(setup).open()).formToken).not.toBe('')
  })

  test.each(['', 'wrong', '__proto__', '%00', '%ff', 'x'.repeat(10_000)])('refuses %.20j', async token => {
    const { setup } = await install()
    const page = await new Visitor(setup).look(`?token=${token}`)
    expect(page.status).toBe(403)
    expect(page.formToken).toBe('')
    expect(page.headers.get('Set-Cookie')).toBeNull()
    expect(page.html).toContain('This is not the token')
  })

  test('is new with every start, and so are cookies', async () => {
    const [one, other] = [await install(), await install()]
    expect(one.setup.token()).not.toBe(other.setup.token())
    const visitor = new Visitor(one.setup)
    await visitor.open()
    const elsewhere = new Visitor(other.setup)
    elsewhere.cookie = visitor.cookie
    expect((await elsewhere.look()).formToken).toBe('')
  })

  test('is kept in a cookie that scripts and other sites do not get', async () => {
    const { setup } = await install()
    const { headers } = await new Visitor(setup).open()
    expect(headers.get('Set-Cookie')).toMatch(
      /^findling-setup=[\w.-]+; Path=\/setup; HttpOnly; SameSite=Strict$/,
    )
    expect(headers.get('Set-Cookie')).not.toContain(setup.token()!)
  })

  test('makes a cookie for https alone where the page came over it', async () => {
    const { setup } = await install()
    const { headers } = await new Visitor(setup, 'https://localhost').open()
    expect(headers.get('Set-Cookie')).toMatch(/; Secure$/)
  })

  test('opens for several browsers, and again without it where the cookie is', async () => {
    const { setup } = await install()
    const [first, second] = [new Visitor(setup), new Visitor(setup)]
    const pages = [await first.open(), await second.open(), await first.look(), await second.look()]
    const formTokens = pages.map(({ formToken }) => formToken)
    expect(formTokens.slice(2)).toEqual(formTokens.slice(0, 2))
    expect(formTokens[0]).not.toBe(formTokens[1])
  })

  test.each(['', 'a', 'a.b', '.', 'x'.repeat(5_000), 'findling-setup=; findling-setup=a.b'])(
    'is not replaced by the forged cookie %.30j',
    async value => {
      const { setup } = await install()
      const visitor = new Visitor(setup)
      visitor.cookie = `findling-setup=${value}`
      expect((await visitor.look()).formToken).toBe('')
    },
  )

  test('lets guesses wait', async () => {
    const { setup, waits } = await install()
    const visitor = new Visitor(setup)
    for (let guess = 0; guess < 12; guess++) await visitor.look(`?token=${guess}`)
    expect(waits).toEqual([100, 200])
    await visitor.open()
    expect(waits.length).toBe(2)
  })
})

describe('every page', () => {
  test('brings its own style and lets nothing else in', async () => {
    const { visitor, setup } = await owner()
    const pages = [
      await new Visitor(setup).look(),
      await new Visitor(setup).look('?token=x'),
      await visitor.look(),
    ]
    pages.push(await visitor.submit(chosen))
    expect(pages.map(({ status }) => status)).toEqual([200, 403, 200, 200])
    for (const { headers, html } of pages) {
      const style = /<style>(.*)<\/style>/s.exec(html)![1]!
      const hash = createHash('sha256').update(style).digest('base64')
      expect(headers.get('Content-Security-Policy')).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      )
      expect(headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(html).not.toMatch(/<script|<link rel="stylesheet"|<img|<iframe|src=|url\(|@import|javascript:/i)
    }
  })

  test('shows what was typed as text', async () => {
    const { visitor } = await owner()
    const attack = `"><script>alert(1)</script><b x='`
    const { html } = await visitor.submit({ ...chosen, LicenseKey: attack, Email: attack })
    expect(html).not.toContain('<script')
    expect(html).not.toContain('<b x')
    expect(html).toContain('&lt;script&gt;')
  })
})

describe('POST /setup', () => {
  test('sets the secret and completes the setup', async () => {
    const { access, visitor, setup } = await owner()
    const { html } = await visitor.submit(chosen)
    expect(html).toContain('Setup is complete')
    expect(html).toContain('<a href="/docs">Open the documentation</a>')
    expect(html).toContain(
      "curl -H 'Authorization: Findling YOUR-SECRET' http://localhost/api/DataSets</code>",
    )
    expect(setup.token()).toBeUndefined()
    expect(await access.check('Findling owners-secret', { address: here })).toBe('ok')
  })

  test('needs no licence, and stores one that is valid', async () => {
    const { licence, visitor } = await owner()
    const key = await licence.issueOpenSource('owner@example.com')
    await visitor.submit({ ...chosen, LicenseKey: key, ApplicationId: licence.instanceId.toUpperCase() })
    expect(await licence.state()).toMatchObject({ isValid: true, base64: key })
  })

  test('takes the names of fields in any case', async () => {
    const { access, visitor } = await owner()
    await visitor.submit({ secret: 'owners-secret', SECRETCONFIRM: 'owners-secret' })
    expect(access.isSet()).toBe(true)
  })

  test.each<[string, Record<string, string>, string]>([
    ['no secret', {}, 'Choose a secret'],
    ['a short secret', { Secret: 'short', SecretConfirm: 'short' }, 'at least 6'],
    ['a long secret', { Secret: 'x'.repeat(33), SecretConfirm: 'x'.repeat(33) }, 'at most 32'],
    ['a blank in it', { Secret: 'two words', SecretConfirm: 'two words' }, 'blank'],
    ['another confirmation', { ...chosen, SecretConfirm: 'Owners-secret' }, 'The two secrets differ'],
    ['no confirmation', { Secret: 'owners-secret' }, 'The two secrets differ'],
    ['a licence that is none', { ...chosen, LicenseKey: 'nonsense' }, 'not a complete key'],
    [
      'the id of another installation',
      { ...chosen, ApplicationId: 'another' },
      'for another installation (another)',
    ],
    ['a form of another page', { ...chosen, FormToken: 'forged' }, 'was not sent from this page'],
    ['a form that is too large', { ...chosen, LicenseKey: 'x'.repeat(200_000) }, 'too large'],
  ])('changes nothing for %s and says so once', async (_, fields, message) => {
    const { access, licence, visitor } = await owner()
    const problem = await visitor.submit(fields)
    expect(problem.html).toContain('role="alert"')
    expect(problem.html).toContain(message)
    expect((await visitor.look()).html).not.toContain('role="alert"')
    expect(access.isSet()).toBe(false)
    expect((await licence.state()).type).toBe('Not set')
  })

  test('shows all problems together, each at its field, and never the secret', async () => {
    const { visitor } = await owner()
    const { html } = await visitor.submit({ Secret: 'ä b', SecretConfirm: 'zzz', LicenseKey: 'nonsense' })
    expect(html).toContain('There are 5 problems')
    for (const field of ['Secret', 'SecretConfirm', 'LicenseKey']) {
      expect(html).toMatch(
        new RegExp(`id="${field}"[^>]*aria-describedby="[^"]*${field}-error"[^>]*aria-invalid="true"`),
      )
      expect(html).toContain(`id="${field}-error"`)
      expect(html).toContain(`href="#${field}"`)
    }
    expect(html).not.toContain('ä b"')
    expect(html).not.toContain('zzz')
    expect(html.split('autofocus').length).toBe(2)
  })

  test('always redirects to /setup', async () => {
    const { visitor, setup } = await owner()
    const { formToken } = await visitor.look()
    const answers = [
      await new Visitor(setup).post(chosen),
      await visitor.post({}),
      await visitor.post({ Email: 'x' }, licencePath),
      await visitor.post({ FormToken: formToken, ...chosen }),
      await visitor.post(chosen),
    ]
    for (const { status, headers } of answers) {
      expect(status).toBe(302)
      expect(headers.get('Location')).toBe('/setup')
    }
  })

  test.each<[string, (installation: Awaited<ReturnType<typeof owner>>) => Promise<Visitor>]>([
    ['without the cookie', async ({ setup }) => new Visitor(setup)],
    [
      'with the cookie of another visitor',
      async ({ setup }) => {
        const other = new Visitor(setup)
        await other.open()
        return other
      },
    ],
  ])('changes nothing for a form sent %s', async (_, sender) => {
    const installation = await owner()
    const { formToken } = await installation.visitor.look()
    const other = await sender(installation)
    await other.post({ FormToken: formToken, ...chosen })
    await other.post({ FormToken: formToken, Email: 'a@b', Accepted: 'true' }, licencePath)
    expect(installation.access.isSet()).toBe(false)
    expect((await installation.licence.state()).type).toBe('Not set')
  })

  test('lets one of several owners who post together win', async () => {
    const { access, visitor } = await owner()
    const { formToken } = await visitor.look()
    const secrets = ['secret-one', 'secret-two', 'secret-three']
    await Promise.all(
      secrets.map(secret => visitor.post({ FormToken: formToken, Secret: secret, SecretConfirm: secret })),
    )
    const answers = await Promise.all(
      secrets.map(secret => access.check(`Findling ${secret}`, { address: here })),
    )
    expect(answers.sort()).toEqual(['ok', 'refused', 'refused'])
  })

  test('replaces a provisional secret', async () => {
    const { access, visitor, setup } = await owner()
    const provisional = await access.makeProvisional()
    expect(setup.token()).toBeDefined()
    expect((await visitor.look()).html).toContain('A provisional secret is in use')
    await visitor.submit(chosen)
    expect(await access.check(`Findling ${provisional}`, { address: here })).toBe('refused')
    expect(await access.check('Findling owners-secret', { address: here })).toBe('ok')
  })
})

describe('POST /setup/RequestOpenSourceLicense', () => {
  const request = { Email: 'owner@example.com', Accepted: 'true' }

  test('makes a licence here, stores it and shows it', async () => {
    const { licence, visitor } = await owner()
    const { html } = await visitor.submit(request, licencePath)
    const { isValid, base64 } = await licence.state()
    expect(isValid).toBe(true)
    expect(html).toContain(base64)
    expect(html).toContain('it proves nothing and unlocks nothing')
  })

  test.each<[string, Record<string, string>, string]>([
    ['without the acceptance', { Email: 'owner@example.com' }, 'accept the Apache License'],
    ['without an address', { Accepted: 'true' }, 'not an email address'],
    ['for what is no address', { ...request, Email: 'nobody' }, 'not an email address'],
    ['from another page', { ...request, FormToken: 'forged' }, 'was not sent from this page'],
  ])('makes none %s', async (_, fields, message) => {
    const { licence, visitor } = await owner()
    const { html } = await visitor.submit(fields, licencePath)
    expect(html).toContain(message)
    expect(html).toContain(`value="${fields.Email ?? ''}"`)
    expect((await licence.state()).type).toBe('Not set')
  })
})

describe('after the setup', () => {
  test('the page is the same for everyone and tells no secret', async () => {
    const { licence, visitor, setup } = await owner()
    const token = setup.token()!
    await visitor.submit({ Email: 'owner@example.com', Accepted: 'true' }, licencePath)
    await visitor.submit(chosen)
    const pages = [
      await visitor.look(),
      await new Visitor(setup).look(),
      await new Visitor(setup).look(`?token=${token}`),
    ]
    for (const { status, html, formToken } of pages) {
      expect(status).toBe(200)
      expect(html).toContain('Setup is complete')
      expect(formToken).toBe('')
      for (const hidden of ['owners-secret', 'owner@example.com', (await licence.state()).base64]) {
        expect(html).not.toContain(hidden)
      }
    }
  })

  test('posts are not even read', async () => {
    const { access, licence, visitor, setup } = await owner()
    const { formToken } = await visitor.look()
    await visitor.submit(chosen)
    const key = await licence.issueOpenSource('owner@example.com')
    const other = {
      FormToken: formToken,
      Secret: 'other-secret',
      SecretConfirm: 'other-secret',
      LicenseKey: key,
    }
    await visitor.post(other)
    await visitor.post({ FormToken: formToken, Email: 'a@b', Accepted: 'true' }, licencePath)
    expect(await access.check('Findling owners-secret', { address: here })).toBe('ok')
    expect((await licence.state()).type).toBe('Not set')

    const untouched = new Request('http://localhost/setup', {
      method: 'POST',
      headers: { Cookie: visitor.cookie },
      body: new URLSearchParams(other),
    })
    await setup.handle(untouched, '/setup', here)
    expect(untouched.bodyUsed).toBe(false)
  })
})

test.each([
  ['GET', '/setup/requestopensourcelicense'],
  ['POST', '/setup/other'],
  ['PUT', '/setup'],
  ['DELETE', '/setup'],
])('%s %s is not found', async (method, path) => {
  const { setup } = await install()
  const request = new Request(`http://localhost${path}`, { method })
  await expect(setup.handle(request, path, here)).rejects.toMatchObject({ status: 404 })
})
