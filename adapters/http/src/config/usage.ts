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
    '',
    'Serves the REST API 1.5.0 over a store of findling.',
    '',
    'Options:',
    '  --config <file>       settings as a JSON object; otherwise the file of FINDLING_CONFIG, if any',
    '  --secret-file <file>  takes the first secret from a file',
    '  --licence <email>     accepts the Apache License 2.0 and makes the free licence, where none is stored',
    '  --empty               does not load the sample catalogue at the first start',
    '  --accept-loss         starts although the store has lost datasets, which it refuses otherwise',
    '  --check-config        prints every setting, its value and its origin, and exits: 0 sound, 2 not',
    '  -h, --help            prints this and exits',
    '',
    'Settings, as variables and (in brackets) as fields of the configuration file:',
    '',
    ...settings,
    '',
    'Exit codes: 0 stopped as asked, 1 could not start or failed, 2 options or settings are wrong.',
  ].join('\n')
}
