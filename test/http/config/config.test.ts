import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readArguments } from '../../../adapters/http/src/config/arguments.ts'
import { ConfigError, readConfig, readSettings } from '../../../adapters/http/src/config/config.ts'
import { describeSettings, listSettings, settingsTable } from '../../../adapters/http/src/config/describe.ts'
import { usage } from '../../../adapters/http/src/config/usage.ts'

async function fileWith(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-config-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'settings.json')
  await writeFile(path, content)
  return path
}

function mistakesOf(read: () => unknown): readonly string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
  return []
}

describe('readConfig', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      trustProxy: false,
      insecure: false,
      store: './data',
      clusterReadyLag: 1000,
      filesFolder: `${resolve('./data')}-files`,
      authSchemes: ['Findling', 'Service', 'Bearer'],
      versionCheck: true,
      baseUrlPrefix: '',
      parallelLimit: 0,
      maxRequestMb: 200,
      maxQueryMb: 1,
      maxRows: 100_000,
      maxValues: 5_000_000,
      maxDocumentMb: 16,
      maxDocumentValues: 100_000,
      fileTimeoutMs: 30_000,
      fileMemoryMb: 256,
      fileUnpackedMb: 256,
      fileCharacters: 10_000_000,
      maxRequestMemoryPercent: 30,
      requestsPerMinute: 0,
      maxConcurrent: 1000,
      searchTimeoutMs: 5000,
      refreshMs: 5000,
      diskMinimumMb: 1000,
      stats: true,
      analytics: 'counts',
      analyticsTimeZone: 'UTC',
      analyticsDays: 400,
      logLevel: 'info',
    })
  })

  const component = { name: 'db', check: ['true'], update: ['true'] }

  test.each([
    ['PORT', '0', 'port', 0],
    ['HOST', '::1', 'host', '::1'],
    ['FINDLING_TRUST_PROXY', 'on', 'trustProxy', true],
    ['FINDLING_INSECURE', 'true', 'insecure', true],
    ['FINDLING_STORE', '/srv/shop', 'store', '/srv/shop'],
    ['FINDLING_STORE', '/srv/shop/', 'filesFolder', '/srv/shop-files'],
    ['FINDLING_FILES_FOLDER', '/srv/files', 'filesFolder', '/srv/files'],
    ['FINDLING_SECRET', 's3cr3t', 'secret', 's3cr3t'],
    ['FINDLING_AUTH_SCHEME', 'Slamby', 'authSchemes', ['Findling', 'Service', 'Bearer', 'Slamby']],
    ['FINDLING_AUTH_SCHEME', 'A, B Bearer', 'authSchemes', ['Findling', 'Service', 'Bearer', 'A', 'B']],
    ['FINDLING_VERSION_CHECK', 'off', 'versionCheck', false],
    ['FINDLING_VERSION_CHECK', 'On', 'versionCheck', true],
    ['FINDLING_BASE_URL_PREFIX', 'https://eu.example.com/', 'baseUrlPrefix', 'https://eu.example.com'],
    ['FINDLING_PARALLEL_LIMIT', '2', 'parallelLimit', 2],
    ['FINDLING_MAX_REQUEST_MB', '10', 'maxRequestMb', 10],
    ['FINDLING_MAX_REQUEST_MEMORY_PERCENT', '12.5', 'maxRequestMemoryPercent', 12.5],
    ['FINDLING_ANSWER_CACHE_KB', '0', 'answerCacheKb', 0],
    ['FINDLING_REFRESH_MS', '100', 'refreshMs', 100],
    ['FINDLING_REQUESTS_PER_MINUTE', '600', 'requestsPerMinute', 600],
    ['FINDLING_MAX_CONCURRENT', '0', 'maxConcurrent', 0],
    ['FINDLING_DISK_MINIMUM_MB', '0', 'diskMinimumMb', 0],
    ['FINDLING_STATS', 'false', 'stats', false],
    ['FINDLING_LOG_LEVEL', 'WARN', 'logLevel', 'warn'],
    ['FINDLING_LOG_FOLDER', '/var/log', 'logFolder', '/var/log'],
    [
      'FINDLING_UPDATE',
      JSON.stringify({ components: [component] }),
      'update',
      { components: [{ ...component, timeoutSeconds: 600 }] },
    ],
  ])('takes %s=%s', (variable, text, field, value) => {
    expect(readConfig({ [variable]: text })).toHaveProperty(field, value)
  })

  test('takes an empty variable for one that is not set', () => {
    expect(readConfig({ PORT: '', FINDLING_SECRET: '', FINDLING_CONFIG: '' })).toEqual(readConfig({}))
  })

  test('reads the file given, else that of FINDLING_CONFIG, and lets variables win', async () => {
    const [one, other] = [await fileWith('{"port":1,"stats":false}'), await fileWith('{"port":2}')]
    expect(readConfig({ FINDLING_CONFIG: one })).toMatchObject({ port: 1, stats: false })
    expect(readConfig({ FINDLING_CONFIG: one }, other)).toMatchObject({ port: 2, stats: true })
    expect(readConfig({ FINDLING_CONFIG: one, PORT: '3' })).toMatchObject({ port: 3, stats: false })
  })

  test('tells all mistakes at once: what was set, what came, what is accepted', async () => {
    const file = await fileWith(
      '{"memryMb":64,"colour":1,"stats":"yes","diskMinimumMb":-1,"authSchemes":["a b"]}',
    )
    expect(mistakesOf(() => readConfig({ PORT: 'http', FINDLING_LOG_LEVEL: 'loud' }, file))).toEqual([
      `memryMb in ${file} is not a setting; did you mean memoryMb?`,
      expect.stringContaining(`colour in ${file} is not a setting; expected one of port, host, tlsCert`),
      'PORT is "http"; expected a whole number from 0 to 65535',
      `authSchemes in ${file}: [0] is "a b"; expected words of letters, digits and hyphens, separated by commas (in the file: a list)`,
      `diskMinimumMb in ${file} is -1; expected a whole number from 0`,
      `stats in ${file} is "yes"; expected on or off (true or false in the file)`,
      'FINDLING_LOG_LEVEL is "loud"; expected trace, debug, info, warn, error, fatal, silent',
    ])
  })

  test.each([
    ['127.0.0.1', {}],
    ['127.8.8.8', {}],
    ['::1', {}],
    ['::ffff:127.0.0.1', {}],
    ['localhost', {}],
    ['0.0.0.0', { FINDLING_TRUST_PROXY: 'on' }],
    ['::', { FINDLING_INSECURE: 'on' }],
    ['192.0.2.1', { FINDLING_TLS_CERT: 'a.crt', FINDLING_TLS_KEY: 'a.key' }],
  ])('listens on %s with %j', (HOST, env) => {
    expect(readConfig({ HOST, ...env })).toMatchObject({ host: HOST })
  })

  test.each([
    [
      { FINDLING_CLIENTS: './data' },
      'FINDLING_CLIENTS is "./data", which is the same folder as FINDLING_STORE',
    ],
    [
      { FINDLING_CLIENTS: 'data/clients/' },
      'FINDLING_CLIENTS is "data/clients/", which is inside of FINDLING_STORE',
    ],
    [{ FINDLING_CLIENTS: '.' }, 'FINDLING_CLIENTS is ".", which is around FINDLING_STORE, "./data"'],
    [{ FINDLING_STORE: '/srv/c/shop/store', FINDLING_CLIENTS: '/srv/c' }, 'which is around FINDLING_STORE'],
    [
      { FINDLING_BACKUP_FOLDER: 'data' },
      'FINDLING_BACKUP_FOLDER is "data", which is the same folder as FINDLING_STORE',
    ],
    [
      { FINDLING_BACKUP_FOLDER: '/srv/c/../c', FINDLING_CLIENTS: '/srv/c' },
      'the same folder as FINDLING_CLIENTS',
    ],
    [
      { FINDLING_BACKUP_FOLDER: '/srv/c/backups', FINDLING_CLIENTS: '/srv/c' },
      'inside of FINDLING_CLIENTS, "/srv/c"',
    ],
    [{ FINDLING_FILES_FOLDER: 'data/files' }, 'FINDLING_FILES_FOLDER is "data/files", which is inside of'],
    [{ FINDLING_FILES_FOLDER: '.' }, 'FINDLING_FILES_FOLDER is ".", which is around FINDLING_STORE'],
    [
      { FINDLING_FILES_FOLDER: '/srv/c/shop', FINDLING_CLIENTS: '/srv/c' },
      'FINDLING_FILES_FOLDER is "/srv/c/shop", which is inside of FINDLING_CLIENTS',
    ],
    [
      { FINDLING_FILES_FOLDER: '/srv/b/files', FINDLING_BACKUP_FOLDER: '/srv/b' },
      'inside of FINDLING_BACKUP_FOLDER',
    ],
    // Where they are if nothing is said of them.
    [{ FINDLING_BACKUP_FOLDER: './data-files' }, 'the same folder as FINDLING_BACKUP_FOLDER'],
    [{ FINDLING_BACKUP_FOLDER: '.' }, 'FINDLING_BACKUP_FOLDER is ".", which is around FINDLING_STORE'],
  ])('refuses folders that fall together: %j', (env, part) => {
    const mistakes = mistakesOf(() => readConfig(env))
    expect(mistakes).toEqual([expect.stringContaining(part)])
    expect(mistakes[0]).toContain('; expected two folders, neither of which is in the other')
  })

  test('sees through links that two folders are one, also where a folder is not there yet', async () => {
    const folder = join(await fileWith('{}'), '..')
    await mkdir(join(folder, 'store'))
    await symlink(join(folder, 'store'), join(folder, 'link'))
    const env = { FINDLING_STORE: join(folder, 'store'), FINDLING_CLIENTS: join(folder, 'link', 'clients') }
    expect(mistakesOf(() => readConfig(env))).toEqual([expect.stringContaining('inside of FINDLING_STORE')])
  })

  test('takes folders beside each other, also with names that begin alike', () => {
    const env = {
      FINDLING_STORE: '/srv/a',
      FINDLING_CLIENTS: '/srv/a-clients',
      FINDLING_BACKUP_FOLDER: '/srv/..a',
    }
    expect(readConfig(env)).toMatchObject({ store: '/srv/a', clientsFolder: '/srv/a-clients' })
    const files = { ...env, FINDLING_FILES_FOLDER: '/srv/a-clients' }
    expect(readConfig(files)).toMatchObject({ filesFolder: '/srv/a-clients' })
  })

  test.each(['1m', '15m', '24h', '7d', '365d'])('takes a backup every %s', backupEvery => {
    const env = { FINDLING_BACKUP_EVERY: backupEvery, FINDLING_BACKUP_FOLDER: '/srv/backups' }
    expect(readConfig(env)).toMatchObject({ backupEvery })
  })

  test.each(['0m', '30s', '1', '24', 'h', '1.5h', '1H', ' 1h', '-1h', '366d', '99999d', '1e3m', 'daily'])(
    'refuses a backup every %j',
    text => {
      const env = { FINDLING_BACKUP_EVERY: text, FINDLING_BACKUP_FOLDER: '/srv/backups' }
      expect(mistakesOf(() => readConfig(env))).toEqual([
        `FINDLING_BACKUP_EVERY is ${JSON.stringify(text)}; expected minutes, hours or days such as 15m, 24h or 7d, ` +
          'from 1m to 365d, together with FINDLING_BACKUP_FOLDER',
      ])
    },
  )

  test('refuses backups from time to time without a folder for them', () => {
    expect(mistakesOf(() => readConfig({ FINDLING_BACKUP_EVERY: '24h' }))).toEqual([
      'FINDLING_BACKUP_EVERY is "24h" without FINDLING_BACKUP_FOLDER; expected both or neither',
    ])
  })

  test('refuses clients with less memory than one of them needs', () => {
    const env = { FINDLING_CLIENTS: './clients', FINDLING_MEMORY_MB: '447' }
    expect(mistakesOf(() => readConfig(env))).toEqual([
      'FINDLING_MEMORY_MB is 447; with FINDLING_CLIENTS, expected at least 448, for the operator, reading files and one client',
    ])
    expect(readConfig({ ...env, FINDLING_MEMORY_MB: '448' })).toMatchObject({ memoryMb: 448 })
  })

  test.each(['0.0.0.0', '::', '192.0.2.1', '::ffff:192.0.2.1', 'localhost.example.com', 'shop'])(
    'refuses plain HTTP on %s, says why and what to do',
    HOST => {
      const [mistake = '', ...others] = mistakesOf(() => readConfig({ HOST }))
      expect(others).toEqual([])
      for (const part of [
        `HOST is "${HOST}"`,
        'there is no TLS',
        'FINDLING_TLS_CERT',
        '--trust-proxy',
        '--insecure',
      ])
        expect(mistake).toContain(part)
    },
  )

  test.each([
    [
      { FINDLING_TLS_CERT: 'a.crt' },
      'FINDLING_TLS_CERT is set without FINDLING_TLS_KEY; expected both or neither',
    ],
    [
      { FINDLING_TLS_KEY: 'a.key' },
      'FINDLING_TLS_KEY is set without FINDLING_TLS_CERT; expected both or neither',
    ],
  ])('refuses half of a certificate: %j', (env, mistake) => {
    expect(mistakesOf(() => readConfig(env))).toEqual([mistake])
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', ' '],
    ['HOST', 'a b'],
    ['FINDLING_BASE_URL_PREFIX', 'example.com'],
    ['FINDLING_BASE_URL_PREFIX', 'file:///etc'],
    ['FINDLING_MAX_REQUEST_MB', '0'],
    ['FINDLING_MAX_REQUEST_MEMORY_PERCENT', '101'],
    ['FINDLING_ANSWER_CACHE_KB', '1.5'],
    ['FINDLING_REFRESH_MS', 'Infinity'],
    ['FINDLING_PARALLEL_LIMIT', '1e9'],
    ['FINDLING_STATS', 'maybe'],
    ['FINDLING_UPDATE', 'not json'],
    ['FINDLING_UPDATE', '{}'],
  ])('refuses %s=%s', (variable, text) => {
    expect(mistakesOf(() => readConfig({ [variable]: text }))).toEqual([
      expect.stringMatching(new RegExp(`^${variable} is .*; expected `)),
    ])
  })

  test('names the place inside the components of updates', () => {
    const update = { components: [{ name: 'db', check: 'apt', update: [], shell: true }], restart: true }
    const text = JSON.stringify(update)
    expect(mistakesOf(() => readConfig({ FINDLING_UPDATE: text }))).toEqual([
      'FINDLING_UPDATE: components[0].check is "apt"; expected a list of the program and its arguments, as separate entries',
      'FINDLING_UPDATE: components[0].update is an empty list; expected a list of the program and its arguments, as separate entries',
      'FINDLING_UPDATE: components[0].shell is true; expected no such member; known members: name, check, update, timeoutSeconds',
      'FINDLING_UPDATE: restart is true; expected no such member; known members: package, components',
    ])
  })

  test.each(['five5', 'with blank', 'a-secret-of-more-than-32-characters', 'naïve-secret'])(
    'refuses the secret %j without repeating it',
    secret => {
      const [mistake = '', ...others] = mistakesOf(() => readConfig({ FINDLING_SECRET: secret }))
      expect(others).toEqual([])
      expect(mistake).toMatch(/^FINDLING_SECRET is not accepted .* expected text of 6 to 32 /)
      expect(mistake).not.toContain(secret)
    },
  )

  test.each([
    ['is not there', undefined, 'cannot be read as the configuration file'],
    ['is not JSON', '{"port":', 'is not JSON'],
    ['is no object', '[1]', 'does not hold a JSON object'],
  ])('says of a file that it %s', async (_, content, message) => {
    const file = content === undefined ? join(tmpdir(), 'no-such-settings.json') : await fileWith(content)
    expect(mistakesOf(() => readConfig({}, file))).toEqual([expect.stringContaining(`${file} ${message}`)])
  })
})

describe('readSettings', () => {
  test('reads files that begin with a byte order mark', async () => {
    const [file, secretFile] = [await fileWith('\uFEFF{"port":1}'), await fileWith('\uFEFFfrom-a-file\r\n')]
    expect(readSettings({ env: {}, file, secretFile }).config).toMatchObject({
      port: 1,
      secret: 'from-a-file',
    })
  })

  test('tells where each value comes from', async () => {
    const file = await fileWith('{"host":"::1","port":1}')
    const secretFile = await fileWith('from-a-file\n')
    const env = { PORT: '2', FINDLING_SECRET: 'from-the-environment' }
    const { config, origins } = readSettings({ env, file, secretFile })
    expect(config).toMatchObject({ port: 2, host: '::1', secret: 'from-a-file' })
    expect(Object.fromEntries(origins)).toMatchObject({
      port: 'PORT',
      host: `host in ${file}`,
      secret: `--secret-file ${secretFile}`,
      store: 'default',
    })
  })

  test('finds variables that look like settings and are none', () => {
    const env = { FINDLING_SECRT: 'x', FINDLING_STATS: 'on', FINDLING_CONFIG: '', PATH: '/bin' }
    expect(readSettings({ env }).unknown).toEqual(['FINDLING_SECRT'])
  })
})

describe('options that turn settings on', () => {
  test('win over variables and are told as the origin', () => {
    const { turnedOn } = readArguments(['--trust-proxy', '--insecure'])
    const env = { HOST: '0.0.0.0', FINDLING_TRUST_PROXY: 'off' }
    const { config, origins } = readSettings({ env, turnedOn })
    expect(config).toMatchObject({ trustProxy: true, insecure: true })
    expect([origins.get('trustProxy'), origins.get('insecure')]).toEqual(['--trust-proxy', '--insecure'])
  })
})

describe('listSettings', () => {
  test('has a line for every setting, with value and origin, and hides the secret', () => {
    const secret = 'never-printed'
    const lines = listSettings(readSettings({ env: { PORT: '81', FINDLING_SECRET: secret } })).split('\n')
    expect(lines.map(line => line.split(/ +/)[0])).toEqual(describeSettings().map(({ variable }) => variable))
    expect(lines.find(line => line.startsWith('PORT'))).toMatch(/^PORT +81 +PORT$/)
    expect(lines.find(line => line.startsWith('FINDLING_SECRET'))).toMatch(/ \(hidden\) +FINDLING_SECRET$/)
    expect(lines.find(line => line.startsWith('FINDLING_STATS'))).toMatch(/ on +default$/)
    expect(lines.join()).not.toContain(secret)
  })
})

describe('the documentation', () => {
  test('the README has the table of all settings with their defaults', async () => {
    const readme = await readFile(new URL('../../../adapters/http/README.md', import.meta.url), 'utf8')
    expect(readme).toContain(settingsTable())
  })

  test('--help names every variable, field and option', () => {
    const text = usage()
    for (const { variable, name } of describeSettings()) expect(text).toContain(`${variable} (${name})`)
    for (const option of [
      '--config',
      '--secret-file',
      '--empty',
      '--accept-loss',
      '--trust-proxy',
      '--insecure',
      '--check-config',
      '--sample',
      'clients list',
      'clients add <id>',
      'clients remove <id>',
      '  backup ',
      'restore [<id>...]',
      '--as <new id>',
      'cluster recover',
      '--yes',
      '--help',
    ]) {
      expect(text).toContain(option)
    }
  })
})

describe('readArguments', () => {
  test('reads the options', () => {
    expect(readArguments(['--config', 'a.json', '--empty', '--secret-file=b'])).toEqual({
      config: 'a.json',
      secretFile: 'b',
      checkConfig: false,
      empty: true,
      acceptLoss: false,
      turnedOn: [],
      help: false,
      command: undefined,
      sample: false,
      yes: false,
    })
  })

  test('reads commands on clients', () => {
    expect(readArguments(['clients', 'list']).command).toEqual({ verb: 'list' })
    expect(readArguments(['clients', 'remove', 'shop']).command).toEqual({ verb: 'remove', id: 'shop' })
    const added = readArguments(['clients', 'add', 'shop', '--sample', '--secret-file', 'a'])
    expect(added).toMatchObject({ command: { verb: 'add', id: 'shop' }, sample: true, secretFile: 'a' })
  })

  test('reads commands on backups', () => {
    expect(readArguments(['backup', '--config', 'a']).command).toEqual({ verb: 'backup' })
    expect(readArguments(['restore']).command).toEqual({ verb: 'restore', ids: [], as: undefined })
    expect(readArguments(['restore', 'a', '_operator']).command).toMatchObject({ ids: ['a', '_operator'] })
    expect(readArguments(['restore', '--as', 'b', 'a']).command).toMatchObject({ ids: ['a'], as: 'b' })
  })

  test.each([
    ['--prot', '--prot is not an option; did you mean the variable PORT?'],
    ['--port=3', '--port is not an option; set the variable PORT'],
    ['--max-rows=5', '--max-rows is not an option; set the variable FINDLING_MAX_ROWS'],
    ['--emtpy', '--emtpy is not an option; did you mean --empty?'],
    ['--secretfile', '--secretfile is not an option; did you mean --secret-file?'],
    ['--unheard-of', '--unheard-of is not an option'],
    [`--${'x'.repeat(1000)}`, `--${'x'.repeat(1000)} is not an option`],
    ['-x', '-x is not an option'],
  ])('says of %s what it may have been, in one line', (given, message) => {
    expect(() => readArguments([given, '3'])).toThrow(expect.objectContaining({ name: 'WrongUse', message }))
  })

  test.each([
    [['--emtpy']],
    [['backup', 'shop']],
    [['--as', 'other']],
    [['backup', '--as', 'other']],
    [['restore', '--as', 'other']],
    [['restore', 'a', 'b', '--as', 'other']],
    [['--config']],
    [['extra']],
    [['--empty=yes']],
    [['clients']],
    [['clients', 'add']],
    [['clients', 'remove', 'a', 'b']],
    [['clients', 'list', 'a']],
    [['clients', 'drop', 'a']],
    [['--sample']],
    [['clients', 'list', '--sample']],
    [['--yes']],
    [['cluster', 'status', '--yes']],
    [['cluster', 'recover', 'a']],
  ])('refuses %j', args => {
    expect(() => readArguments(args)).toThrow(expect.objectContaining({ name: 'WrongUse' }))
  })
})
