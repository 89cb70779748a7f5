import fc from 'fast-check'
import { anyCharacter } from '../any-character.ts'

export const hostileText = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.constantFrom(
      ...[
        '__proto__',
        'constructor',
        'toString',
        '\ud800',
        'a\udc00b',
        '\0',
        'a\0b',
        '\u202e',
        '\ufeff',
        'İ',
      ],
      ...['', ' ', '/', '../..', '%', '%zz', '\r\n', '{}', '[]', 'null', 'true', '<script>', "' OR 1=1"],
      ...['NaN', '-1', '1e400', '-0', '9007199254740993', '0x10', '1,5'],
    ),
  },
  { weight: 20, arbitrary: fc.string({ unit: anyCharacter, maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('x'.repeat(100_000), 'wort '.repeat(20_000), '\u0301'.repeat(50_000)),
  },
)

export const hostileObject = fc
  .array(fc.tuple(hostileText, fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 })
  .map(entries => Object.fromEntries(entries))

/** Of no type in particular. */
export const anyValue = fc.oneof(
  hostileText,
  hostileObject,
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, 1e308, [], {}, [[]], [null], [{}]),
)

const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

export const brokenJson = fc.oneof(
  hostileText,
  fc.constantFrom(
    ...['{', '{"Id":', '[1,', '{"Id":1}x', "{'Id':1}", '{"Id":01}', '{"a":"\t"}', 'undefined', '"\\ud800"'],
    ...['{"Name":"a","name":"b","NAME":"c"}', '{"id":"1","id":"2"}', '{"id":12345678901234567890}'],
    ...['{"__proto__":{"Name":"a"},"constructor":{"prototype":{}}}', '{"id":"1","title":1e999}'],
    ...[deep(50_000), `{"id":"deep","title":${deep(20_000)}}`],
    ...[`{"Documents":[{"id":"deep","title":${deep(5_000)}}]}`],
    ...[`{"SampleDocument":${deep(3_000)}}`, `{"Schema":"${deep(3_000)}"}`],
  ),
)
