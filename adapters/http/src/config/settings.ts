import * as z from 'zod'
import { secretProblems } from '../access/secret-rule.ts'
import { updateSchema } from '../update/components.ts'
import { millisecondsOf } from './duration.ts'

/** One setting: its name in the configuration file is its name in the table below. */
export interface Setting {
  readonly variable: string
  readonly purpose: string
  /** Follows "expected" in the error if the value is refused. */
  readonly accepts: string
  readonly schema: z.ZodType
  /** Converts the text of the variable for the schema; what it cannot convert is left for the schema to refuse. */
  readonly read: (text: string) => unknown
  /** Describes the default, if it depends on something else. */
  readonly fallback?: string
  /** Never printed. */
  readonly secret?: true
}

const asItIs = (text: string) => text
const toNumber = (text: string) => {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isNaN(number) ? text : number
}
const toWords = (text: string) => text.split(/[,\s]/).filter(word => word !== '')
const onOff = new Map([
  ['on', true],
  ['true', true],
  ['off', false],
  ['false', false],
])
const toSwitch = (text: string) => onOff.get(text.toLowerCase()) ?? text
const toJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Accepted in the Authorization header by every installation. */
const standardSchemes = ['Findling', 'Service', 'Bearer'] as const
/** RFC 9110, section 11.1: a scheme is a token. */
const scheme = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,50}$/)

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

const names = z.array(z.string().min(1).max(200)).max(10_000).optional()
const ignored = z.strictObject({ keys: names, users: names, tags: names })

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export const settings = {
  port: {
    variable: 'PORT',
    purpose: 'Port to listen on; 0 takes any free one.',
    accepts: 'a whole number from 0 to 65535',
    schema: z.int().min(0).max(65_535).default(8080),
    read: toNumber,
  },
  host: {
    variable: 'HOST',
    purpose:
      'Address to listen on; 0.0.0.0 or :: listens on all addresses of the machine. Any address beyond the loopback interface requires TLS, --trust-proxy or --insecure.',
    accepts: 'a host name or an IP address',
    schema: z
      .string()
      .regex(/^[\w.:%-]{1,255}$/)
      .default('127.0.0.1'),
    read: asItIs,
  },
  tlsCert: {
    variable: 'FINDLING_TLS_CERT',
    purpose:
      'File with the certificate and its chain, in PEM: the server then speaks HTTPS. When certificate and key change, new connections use the new ones.',
    accepts: 'the path of a file, together with FINDLING_TLS_KEY',
    schema: z.string().min(1).optional(),
    read: asItIs,
    fallback: 'none: plain HTTP, on this machine only',
  },
  tlsKey: {
    variable: 'FINDLING_TLS_KEY',
    purpose: 'File with the private key of the certificate, in PEM, without a passphrase.',
    accepts: 'the path of a file, together with FINDLING_TLS_CERT',
    schema: z.string().min(1).optional(),
    read: asItIs,
    fallback: 'none',
  },
  trustProxy: {
    variable: 'FINDLING_TRUST_PROXY',
    purpose:
      'An HTTPS proxy is in front, and only the proxy can reach this server: it may serve plain HTTP on any address, and takes the client address from the last entry of X-Forwarded-For. Same as --trust-proxy.',
    accepts: 'on or off (true or false in the file)',
    schema: z.boolean().default(false),
    read: toSwitch,
  },
  insecure: {
    variable: 'FINDLING_INSECURE',
    purpose:
      'Serves plain HTTP on any address, although the secret and all data can then be intercepted. Same as --insecure.',
    accepts: 'on or off (true or false in the file)',
    schema: z.boolean().default(false),
    read: toSwitch,
  },
  store: {
    variable: 'FINDLING_STORE',
    purpose: 'Folder for all data; it is created if it does not exist.',
    accepts: 'the path of a folder',
    schema: z.string().min(1).default('./data'),
    read: asItIs,
  },
  clientsFolder: {
    variable: 'FINDLING_CLIENTS',
    purpose:
      "Folder with one folder per client; a client's address is that of the server followed by its id. The store is then the operator's, and the other folders contain one folder per client.",
    accepts: 'the path of a folder',
    schema: z.string().min(1).optional(),
    read: asItIs,
    fallback: 'none: one installation, at the root of the host',
  },
  cluster: {
    variable: 'FINDLING_CLUSTER',
    purpose:
      'Address of a PostgreSQL database, 15 or later, that orders the writes of several servers: servers with the same address have the same data, and the same clients.',
    accepts: 'an address such as postgres://user:password@host/database',
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\/[^\s]+$/)
      .optional(),
    read: asItIs,
    fallback: 'none: this server alone',
    secret: true,
  },
  node: {
    variable: 'FINDLING_NODE',
    purpose: 'Name of this server, unique in its cluster.',
    accepts: 'text of 1 to 100 letters, digits, dots, hyphens and underscores',
    schema: z
      .string()
      .regex(/^[\w.-]{1,100}$/)
      .optional(),
    read: asItIs,
    fallback: 'the name of the machine',
  },
  clusterReadyLag: {
    variable: 'FINDLING_CLUSTER_READY_LAG',
    purpose: 'Lag behind the other servers of the cluster, in milliseconds, above which /ready answers 503.',
    accepts: 'a whole number from 1 to 3600000',
    schema: z.int().min(1).max(3_600_000).default(1000),
    read: toNumber,
  },
  snapshots: {
    variable: 'FINDLING_SNAPSHOTS',
    purpose:
      'Folder that all servers of the cluster share: one of them puts a snapshot into it every hour, and new servers start from it.',
    accepts: 'the path of a folder, together with FINDLING_CLUSTER',
    schema: z.string().min(1).optional(),
    read: asItIs,
    fallback: 'none: new servers replay the whole log',
  },
  memoryMb: {
    variable: 'FINDLING_MEMORY_MB',
    purpose:
      'Megabytes that indexes, pending writes and database caches may use; clients share them, and a quarter of them is for reading their files.',
    accepts: 'a whole number from 32 to 1000000',
    schema: z.int().min(32).max(1_000_000).optional(),
    read: toNumber,
    fallback: 'no limit for indexes; with clients half the memory of the machine',
  },
  filesFolder: {
    variable: 'FINDLING_FILES_FOLDER',
    purpose: 'Folder for files made by exports and copies.',
    accepts: 'the path of a folder',
    schema: z.string().min(1).optional(),
    read: asItIs,
    fallback: 'the path of the store followed by `-files`; with clients, their own folders',
  },
  backupFolder: {
    variable: 'FINDLING_BACKUP_FOLDER',
    purpose:
      'Folder for the backups that POST /api/Maintenance/Backup, findling-http backup and the schedule make; with clients, one folder per client, and `_operator` for the operator.',
    accepts: 'the path of a folder',
    schema: z.string().min(1).optional(),
    read: asItIs,
    fallback: 'none: the call answers 404',
  },
  backupEvery: {
    variable: 'FINDLING_BACKUP_EVERY',
    purpose:
      'Maximum age of the newest backup; then the server makes the next one (with clients, one for the operator and one per client).',
    accepts:
      'minutes, hours or days such as 15m, 24h or 7d, from 1m to 365d, together with FINDLING_BACKUP_FOLDER',
    schema: z
      .string()
      .refine(text => (millisecondsOf(text) ?? Number.POSITIVE_INFINITY) <= 365 * 86_400_000)
      .optional(),
    read: asItIs,
    fallback: 'none: backups are made on request only',
  },
  secret: {
    variable: 'FINDLING_SECRET',
    purpose: 'The first secret; ignored once a secret is set. Change it later through the API.',
    accepts: 'text of 6 to 32 ASCII letters, digits and punctuation marks, without spaces',
    schema: z
      .string()
      .refine(text => secretProblems(text).length === 0)
      .optional(),
    read: asItIs,
    fallback: 'none: the first start creates a provisional one',
    secret: true,
  },
  authSchemes: {
    variable: 'FINDLING_AUTH_SCHEME',
    purpose:
      'Further authentication schemes (the word before the secret), besides Findling, Service and Bearer.',
    accepts: 'words of letters, digits and hyphens, separated by commas (in the file: a list)',
    schema: z
      .array(scheme)
      .default([])
      .transform(more => [...new Set<string>([...standardSchemes, ...more])]),
    read: toWords,
  },
  versionCheck: {
    variable: 'FINDLING_VERSION_CHECK',
    purpose:
      'Refuses clients whose X-Sdk-Version differs from the version of this API; only the first two numbers are compared.',
    accepts: 'on or off (true or false in the file)',
    schema: z.boolean().default(true),
    read: toSwitch,
  },
  baseUrlPrefix: {
    variable: 'FINDLING_BASE_URL_PREFIX',
    purpose:
      "Public base address of links in answers. With FINDLING_CLIENTS, the address of this server; otherwise that of a proxy that serves several clients: the client's name, the first label of the host, is appended.",
    accepts: 'an address beginning with http:// or https://, or nothing',
    schema: z
      .union([z.literal(''), z.url({ protocol: /^https?$/ })])
      .default('')
      .transform(address => address.replace(/\/$/, '')),
    read: asItIs,
  },
  parallelLimit: {
    variable: 'FINDLING_PARALLEL_LIMIT',
    purpose: 'Maximum number of processor cores for one process; 0 means all.',
    accepts: 'a whole number from 0 to 1024',
    schema: z.int().min(0).max(1024).default(0),
    read: toNumber,
  },
  maxRequestMb: {
    variable: 'FINDLING_MAX_REQUEST_MB',
    purpose: 'Maximum size of a request body in megabytes.',
    accepts: 'a whole number from 1 to 100000',
    schema: z.int().min(1).max(100_000).default(200),
    read: toNumber,
  },
  maxQueryMb: {
    variable: 'FINDLING_MAX_QUERY_MB',
    purpose:
      'Maximum size in megabytes of the body of calls that store no data, such as searches; sixteen times as much for calls with settings or lists of ids.',
    accepts: 'a whole number from 1 to 1000',
    schema: z.int().min(1).max(1000).default(1),
    read: toNumber,
  },
  maxRows: {
    variable: 'FINDLING_MAX_ROWS',
    purpose:
      'Maximum number of documents or tags in one call of Bulk, and of ids in one call of Copy or Move; an import has no limit.',
    accepts: 'a whole number from 1 to 10000000',
    schema: z.int().min(1).max(10_000_000).default(100_000),
    read: toNumber,
  },
  maxValues: {
    variable: 'FINDLING_MAX_VALUES',
    purpose:
      'Maximum number of values (objects, lists, texts, numbers and so on) in one JSON body; each takes memory until the call is answered.',
    accepts: 'a whole number from 1000 to 100000000',
    schema: z.int().min(1000).max(100_000_000).default(5_000_000),
    read: toNumber,
  },
  maxDocumentMb: {
    variable: 'FINDLING_MAX_DOCUMENT_MB',
    purpose:
      'Maximum text of one document, base64 files included, in units of 1,048,576 characters; a large document delays other calls a little.',
    accepts: 'a whole number from 1 to 1000',
    schema: z.int().min(1).max(1000).default(16),
    read: toNumber,
  },
  maxDocumentValues: {
    variable: 'FINDLING_MAX_DOCUMENT_VALUES',
    purpose:
      'Maximum number of object members and list entries in one document, at every depth, tags included.',
    accepts: 'a whole number from 100 to 100000000',
    schema: z.int().min(100).max(100_000_000).default(100_000),
    read: toNumber,
  },
  fileTimeoutMs: {
    variable: 'FINDLING_FILE_TIMEOUT_MS',
    purpose: 'CPU milliseconds for reading one file; in elapsed time, four times as much.',
    accepts: 'a whole number from 1 to 86400000',
    schema: z.int().min(1).max(86_400_000).default(30_000),
    read: toNumber,
  },
  fileMemoryMb: {
    variable: 'FINDLING_FILE_MEMORY_MB',
    purpose:
      'Heap megabytes of a process that reads files; its total limit is twice as much plus 64. With clients, less if it does not fit into a quarter of FINDLING_MEMORY_MB.',
    accepts: 'a whole number from 32 to 100000',
    schema: z.int().min(32).max(100_000).default(256),
    read: toNumber,
  },
  fileUnpackedMb: {
    variable: 'FINDLING_FILE_UNPACKED_MB',
    purpose: 'Maximum size of a file in megabytes, unpacked.',
    accepts: 'a whole number from 1 to 100000',
    schema: z.int().min(1).max(100_000).default(256),
    read: toNumber,
  },
  fileCharacters: {
    variable: 'FINDLING_FILE_CHARACTERS',
    purpose: 'Maximum number of characters in the text of one file.',
    accepts: 'a whole number from 1 to 100000000',
    schema: z.int().min(1).max(100_000_000).default(10_000_000),
    read: toNumber,
  },
  maxRequestMemoryPercent: {
    variable: 'FINDLING_MAX_REQUEST_MEMORY_PERCENT',
    purpose:
      'Maximum size of a request body in percent of the free memory; the smaller of the two limits applies.',
    accepts: 'a number above 0 up to 100',
    schema: z.number().gt(0).max(100).default(30),
    read: toNumber,
  },
  requestsPerMinute: {
    variable: 'FINDLING_REQUESTS_PER_MINUTE',
    purpose:
      'Calls that a named key may make in a minute, unless it has a limit of its own; 0 means no limit. The secret is never limited.',
    accepts: 'a whole number from 0 to 1000000',
    schema: z.int().min(0).max(1_000_000).default(0),
    read: toNumber,
  },
  maxConcurrent: {
    variable: 'FINDLING_MAX_CONCURRENT',
    purpose:
      'Maximum number of concurrent calls below /api; further ones are answered with 503 and Retry-After. 0 means no limit.',
    accepts: 'a whole number from 0 to 100000',
    schema: z.int().min(0).max(100_000).default(1000),
    read: toNumber,
  },
  searchTimeoutMs: {
    variable: 'FINDLING_SEARCH_TIMEOUT_MS',
    purpose:
      'Timeout in milliseconds for a search, list, recommendation or keyword list, which is then answered with 503 and Retry-After; 0 means no limit.',
    accepts: 'a whole number from 0 to 86400000',
    schema: z.int().min(0).max(86_400_000).default(5_000),
    read: toNumber,
  },
  answerCacheKb: {
    variable: 'FINDLING_ANSWER_CACHE_KB',
    purpose:
      'Kilobytes per dataset for the rankings of searches that depend on their text alone, which are reused until the next write; 0 keeps none.',
    accepts: 'a whole number from 0 to 1000000',
    schema: z.int().min(0).max(1_000_000).optional(),
    read: toNumber,
    fallback: '4096, or a 64th of the memory if that is less',
  },
  refreshMs: {
    variable: 'FINDLING_REFRESH_MS',
    purpose: 'Interval in milliseconds at which memory, disk and processor use are measured.',
    accepts: 'a whole number from 100 to 3600000',
    schema: z.int().min(100).max(3_600_000).default(5000),
    read: toNumber,
  },
  diskMinimumMb: {
    variable: 'FINDLING_DISK_MINIMUM_MB',
    purpose: 'Megabytes that must be free on the disk; with less, writes are refused.',
    accepts: 'a whole number from 0',
    schema: z.int().min(0).default(1000),
    read: toNumber,
  },
  stats: {
    variable: 'FINDLING_STATS',
    purpose: 'Counts requests per action and month; the counts stay on this machine.',
    accepts: 'on or off (true or false in the file)',
    schema: z.boolean().default(true),
    read: toSwitch,
  },
  analytics: {
    variable: 'FINDLING_ANALYTICS',
    purpose:
      'What is kept of what people ask: counts keeps no text that fewer than 5 users have typed, full keeps every text, off keeps nothing. It stays in the store.',
    accepts: 'off, counts or full',
    schema: z.enum(['off', 'counts', 'full']).default('counts'),
    read: text => text.toLowerCase(),
  },
  analyticsTimeZone: {
    variable: 'FINDLING_ANALYTICS_TIMEZONE',
    purpose: 'Time zone in which days of the analytics begin.',
    accepts: 'the IANA name of a time zone, such as Europe/Berlin',
    schema: z.string().max(100).refine(isTimeZone).default('UTC'),
    read: asItIs,
  },
  analyticsDays: {
    variable: 'FINDLING_ANALYTICS_DAYS',
    purpose: 'Days after which data of the analytics are removed.',
    accepts: 'a whole number from 1 to 36500',
    schema: z.int().min(1).max(36_500).default(400),
    read: toNumber,
  },
  analyticsTextDays: {
    variable: 'FINDLING_ANALYTICS_TEXT_DAYS',
    purpose: 'Days after which texts are removed from data kept with full.',
    accepts: 'a whole number from 1 to 36500',
    schema: z.int().min(1).max(36_500).optional(),
    read: toNumber,
    fallback: 'as long as all other data',
  },
  analyticsBytes: {
    variable: 'FINDLING_ANALYTICS_BYTES',
    purpose: 'Bytes that the analytics may take in the store; beyond this, the oldest data are removed.',
    accepts: 'a whole number of at least 1048576',
    schema: z.int().min(1_048_576).optional(),
    read: toNumber,
    fallback: '1 GB',
  },
  analyticsIgnore: {
    variable: 'FINDLING_ANALYTICS_IGNORE',
    purpose: 'Calls that the analytics do not count, such as those by tests and bots: by key, user or tag.',
    accepts: 'a JSON object with lists of names as `keys`, `users` and `tags`',
    schema: ignored.optional(),
    read: toJson,
    fallback: 'none: every call counts',
  },
  logLevel: {
    variable: 'FINDLING_LOG_LEVEL',
    purpose: 'Minimum level of logged messages; silent logs nothing.',
    accepts: logLevels.join(', '),
    schema: z.enum(logLevels).default('info'),
    read: text => text.toLowerCase(),
  },
  logFolder: {
    variable: 'FINDLING_LOG_FOLDER',
    purpose:
      'Folder of the log file, `findling-http.log`, to which lines are appended. It stays open while the server runs: rotate it by copying and truncating it (`copytruncate` of logrotate).',
    accepts: 'the path of a folder',
    schema: z.string().min(1).optional(),
    read: asItIs,
    fallback: 'none: the log goes to standard error',
  },
  update: {
    variable: 'FINDLING_UPDATE',
    purpose: 'What POST /update updates; the README has an example.',
    accepts: 'a JSON object with `package`, `components` or both',
    schema: updateSchema.optional(),
    read: toJson,
    fallback: 'none: /update answers 404',
  },
} satisfies Record<string, Setting>

export type SettingName = keyof typeof settings

type Shape = { [Name in SettingName]: (typeof settings)[Name]['schema'] }

export const settingNames = Object.keys(settings) as SettingName[] // the table has no other names

export const settingsSchema = z.strictObject(
  // The names of the table, each with its own schema.
  Object.fromEntries(settingNames.map(name => [name, settings[name].schema])) as Shape,
)
