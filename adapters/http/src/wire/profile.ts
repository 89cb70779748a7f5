import type {
  CurrentCounts as Counted,
  DatasetProfile,
  Mistake as FoundMistake,
  ProfileOptions,
} from 'findling'
import { profileOptions as engine } from 'findling/schemas'
import * as z from 'zod'
import { Stretch } from '../http/stretch.ts'
import { toWire } from './casing.ts'
import { derived } from './derived.ts'
import { timeText } from './rules.ts'

/** Contract, 20. */
export const ProfileRequest = z
  .strictObject(
    derived(engine, {
      CrossTables: 'Pairs of fields whose values are counted together, as [["brand", "color"]]; at most 10',
      Judged: 'How many documents have their tags judged; 0: none are looked for that are doubtful',
    }),
  )
  .meta({ id: 'ProfileRequest' })

const count = z.int()
/** Counts by a name from the engine: a pattern, a language, a month. */
const counts = z.record(z.string(), count)
const exact = z
  .boolean()
  .describe('False where not all was counted one by one: a count is the least that it may be')

const ValueCount = z
  .object({
    Value: z.union([z.string(), z.number(), z.boolean()]),
    Count: count,
  })
  .meta({ id: 'ValueCount' })

const NumberProfile = z
  .object({
    Count: count.describe('Numbers, those within lists among them'),
    Min: z.number(),
    Max: z.number(),
    Mean: z.number(),
    StandardDeviation: z.number(),
    Quantiles: z
      .object({
        P1: z.number(),
        P5: z.number(),
        P25: z.number(),
        P50: z.number(),
        P75: z.number(),
        P95: z.number(),
        P99: z.number(),
      })
      .describe('Of a sample of 4,096 where there are more'),
    Zeros: count,
    Negatives: count,
    Outliers: z
      .array(z.object({ Id: z.string(), Value: z.number() }))
      .describe(
        'At most 10 on each side, further from the middle half of the values than three times its width',
      ),
  })
  .meta({ id: 'NumberProfile' })

const TextProfile = z
  .object({
    Count: count.describe('Texts, those within lists among them'),
    Length: z
      .object({ Min: count, Max: count, Mean: z.number(), P50: z.number(), P95: z.number() })
      .describe('In UTF-16 units'),
    Patterns: counts.describe(
      'How many texts look like what, as Words, Price, Date, Code, Ean, Email or Url',
    ),
    WrongCheckDigits: z
      .object({ Count: count, Examples: z.array(z.string()) })
      .describe('Article numbers whose check digit is wrong'),
    Languages: counts.describe('Of a sample of 1,000 longer texts'),
    Months: counts.describe('Dates by month, as 2024-05'),
    Variants: z
      .array(z.object({ Values: z.array(ValueCount) }))
      .describe('Values that differ in case and spaces only'),
  })
  .meta({ id: 'TextProfile' })

const FieldProfile = z
  .object({
    Field: z.string().describe('Dotted path'),
    Present: count.describe('Documents with a value other than null'),
    Missing: count,
    Lists: count.describe('Documents with a list there, or with one on the way'),
    Types: counts.describe('Values by type: Text, Number, Boolean, Null'),
    Distinct: z
      .object({ Count: count, Exact: z.boolean() })
      .describe('Different values; an estimate unless Exact'),
    Top: z.object({ Values: z.array(ValueCount), Exact: exact }).describe('The most frequent values'),
    Numbers: NumberProfile.optional().describe('Where there are numbers'),
    Texts: TextProfile.optional().describe('Where there are texts'),
  })
  .meta({ id: 'FieldProfile' })

const TagProfile = z
  .object({
    Id: z.string(),
    Name: z.string(),
    ParentId: z.string().nullable(),
    Documents: count.describe('Documents that name it'),
    DocumentsBelow: count.describe('Documents that name it or a tag below it, each once'),
    Words: count.describe('Of the searched fields of the documents that name it'),
    WordsBelow: count,
  })
  .meta({ id: 'TagProfile' })

const kinds = {
  'doubtful-tag': 'DoubtfulTag',
  'duplicate-across-tags': 'DuplicateAcrossTags',
  duplicate: 'Duplicate',
  'unusual-number': 'UnusualNumber',
} as const satisfies Record<FoundMistake['kind'], string>

const Mistake = z
  .object({
    Kind: z.enum(Object.values(kinds)),
    Ids: z.array(z.string()).describe('The documents; of duplicates at most 20'),
    TagIds: z
      .array(z.string())
      .describe('The tag that the document has, and for a doubtful one the likelier one after it'),
    Field: z.string().nullable(),
    Reason: z.string(),
    Evidence: z.record(z.string(), z.number()).describe('The numbers behind it, by what they are'),
  })
  .meta({ id: 'Mistake' })

const CurrentField = z
  .object({
    Field: z.string().describe('Dotted path'),
    Present: count.describe('Documents with a value other than null'),
    Missing: count,
    Distinct: count
      .optional()
      .describe('Different values; absent where some are longer than 128 UTF-16 units'),
    Top: z.array(ValueCount).describe('The 20 most frequent values'),
  })
  .meta({ id: 'CurrentField' })

const CurrentCounts = z
  .object({
    At: z.string().describe('When it was counted'),
    Seq: z.int().describe('Number of the last change that is counted in'),
    Documents: count,
    Fields: z.array(CurrentField).describe('At most 500, without the id, files and names with a dot in them'),
    FieldsCut: z.boolean().describe('Whether there are more'),
    Exact: z
      .boolean()
      .describe(
        'False where documents have more fields than the index keeps: counts are the least that they may be',
      ),
  })
  .meta({ id: 'CurrentCounts' })

export const DataSetProfile = z
  .object({
    DataSet: z.string().describe('Its name when the profile was made'),
    At: z.string().describe('When it was begun'),
    Seq: z.int().describe('Documents/Changes since this number tells what has changed afterwards'),
    Documents: count,
    Fields: z.array(FieldProfile),
    FieldsCut: z.boolean().describe('Whether there are more than the 500 fields that are looked at'),
    Tags: z.object({
      Tagged: count.describe('Documents that name a tag that there is'),
      Untagged: count,
      Several: count.describe('Documents with several tags'),
      Used: z.array(TagProfile).describe('Most documents first; at most 10,000'),
      Unused: z.array(z.string()).describe('At most 1,000'),
      Unknown: z.array(ValueCount).describe('Ids that documents name and that no tag has; at most 100'),
    }),
    Unusual: z
      .array(
        z.object({
          Id: z.string(),
          TagId: z.string(),
          Field: z.string(),
          Value: z.number(),
          Usual: z
            .tuple([z.number(), z.number()])
            .describe('The middle half of the numbers of documents with this tag'),
        }),
      )
      .describe('Numbers that are far from those of other documents with the same tag; at most 100'),
    Mistakes: z.array(Mistake).describe('What is probably wrong, by kind'),
    Judged: count.describe('Documents whose tag was judged'),
    TellingFields: z
      .array(z.string())
      .describe('Searched fields that were not read for that, since their values tell the tag'),
    Duplicates: z
      .object({ Groups: count, AcrossTags: count, Exact: z.boolean() })
      .describe('Groups of documents with the same words in their searched fields'),
    CrossTables: z.array(
      z.object({
        Fields: z.tuple([z.string(), z.string()]),
        Pairs: z
          .array(z.object({ Values: z.tuple([z.string(), z.string()]), Count: count }))
          .describe('The most frequent ones'),
        Exact: exact,
      }),
    ),
    Current: CurrentCounts.optional().describe(
      'What follows every write, as it is now; all else is what was there when the profile was made',
    ),
  })
  .meta({ id: 'DataSetProfile' })

type Model = z.output<typeof DataSetProfile>

export const profileSettings = (request: z.output<typeof ProfileRequest> | undefined): ProfileOptions => ({
  ...(request && { crossTables: request.CrossTables, judged: request.Judged }),
})

/** None of its member names is given by a user. Some lists are long, so they are converted in stretches. */
export async function profileModel(profile: DatasetProfile): Promise<Model> {
  const { dataset, at, tags, fields, mistakes, current, ...others } = profile
  const stretch = new Stretch()
  const inPieces = async (list: readonly object[]) => {
    const models: unknown[] = []
    for (const one of list) {
      if (stretch.isOver) await stretch.pause()
      models.push(toWire(one))
    }
    return models
  }
  const { used, ...ofTags } = tags
  const model: object = {
    DataSet: dataset,
    At: timeText(at),
    Fields: await inPieces(fields),
    Tags: { ...toWire(ofTags), Used: await inPieces(used) },
    Mistakes: await inPieces(mistakes.map(one => ({ ...one, kind: kinds[one.kind] }))),
    ...toWire(others),
    ...(current && { Current: await currentModel(current, inPieces) }),
  }
  return model as Model // the engine's types with wire names
}

async function currentModel(
  { at, fields, ...others }: Counted,
  inPieces: (list: readonly object[]) => Promise<unknown[]>,
): Promise<object> {
  return { At: timeText(at), ...toWire(others), Fields: await inPieces(fields) }
}
