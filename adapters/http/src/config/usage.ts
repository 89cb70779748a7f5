import { describeSettings } from './describe.ts'

/** What --help prints. */
export function usage(): string {
  const settings = describeSettings().flatMap(({ variable, name, default: usual, accepts, purpose }) => [
    `  ${variable} (${name})`,
    `      ${purpose}`,
    `      Accepted: ${accepts}. Default: ${usual === '' ? 'empty' : usual}.`,
  ])
  return [
    'Usage: findling-http [options]',
    '       findling-http clients list | add <id> | remove <id> [options]',
    '       findling-http backup | restore [<id>...] [options]',
    '       findling-http cluster status [options]',
    '',
    'Serves a Findling store through the REST API 1.5.0; with FINDLING_CLIENTS, several clients at addresses of their own.',
    '',
    'Commands; those on clients and restore also while a server is running:',
    '  clients list          prints the ids of all clients',
    '  clients add <id>      adds a client and prints its secret, unless --secret-file gives one',
    '  clients remove <id>   ends a client; its data are set aside, not removed',
    '  backup                backs up the store, or that of the operator and those of all clients, into FINDLING_BACKUP_FOLDER',
    '  restore [<id>...]     restores what the last backup has: the store, or that of the operator (_operator) and those of',
    '                        clients, all or the named ones; overwrites nothing',
    '  cluster status        prints how far the servers of FINDLING_CLUSTER are, and its snapshots',
    '',
    'Options:',
    '  --config <file>       reads settings from a file with a JSON object; by default the file named by FINDLING_CONFIG',
    '  --secret-file <file>  reads the first secret from a file',
    '  --licence <email>     accepts the Apache License 2.0 and creates the free licence, unless one is stored; for each client',
    '  --empty               does not load the sample catalogue at the first start (the package has none)',
    '  --as <new id>         of restore <id>: makes a new client of the backup, beside the one that it is of',
    '  --sample              of clients add: loads the sample catalogue, which comes with the repository, not with the package',
    '  --accept-loss         starts even if the store has lost datasets; without it, the start is refused',
    '  --trust-proxy         serves plain HTTP on any address, behind a proxy that speaks HTTPS; sets FINDLING_TRUST_PROXY',
    '  --insecure            serves plain HTTP on any address, where others can eavesdrop; sets FINDLING_INSECURE',
    '  --check-config        prints each setting, its value and where it comes from, then checks certificate, folders, disk,',
    '                        store and licence, a line for each; exits with 0 if all is well, 1 if something failed, 2 if a',
    '                        setting is wrong',
    '  -h, --help            prints this and exits',
    '',
    'Settings, as environment variables and (in brackets) as fields of the configuration file:',
    '',
    ...settings,
    '',
    'Exit codes: 0 done or stopped on request, 1 could not start or failed, 2 wrong options or settings.',
  ].join('\n')
}
