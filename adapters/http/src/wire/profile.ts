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
      CrossTables:
        'Pairs of fields whose values are counted together, such as [["brand", "color"]]; at most 10',
      Judged: 'Number of documents whose tags are checked; 0: no search for doubtful tags',
    }),
  )
  .meta({ id: 'ProfileRequest' })

const count = z.int()
/** Counts by a name from the engine: a pattern, a language, a month. */
const counts = z.record(z.string(), count)
const exact = z
  .boolean()
  .describe('False if not everything was counted one by one: counts are then lower bounds')

const ValueCount = z
  .object({
    Value: z.union([z.string(), z.number(), z.boolean()]),
    Count: count,
  })
  .meta({ id: 'ValueCount' })

const NumberProfile = z
  .object({
    Count: count.describe('Numbers, including those in lists'),
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
      .describe('Of a sample of 4,096 if there are more'),
    Zeros: count,
    Negatives: count,
    Outliers: z
      .array(z.object({ Id: z.string(), Value: z.number() }))
      .describe(
        'At most 10 on each side: values further from the middle half of all values than three times its width',
      ),
  })
  .meta({ id: 'NumberProfile' })

const TextProfile = z
  .object({
    Count: count.describe('Texts, including those in lists'),
    Length: z
      .object({ Min: count, Max: count, Mean: z.number(), P50: z.number(), P95: z.number() })
      .describe('In UTF-16 units'),
    Patterns: counts.describe(
      'Number of texts by what they look like, such as Words, Price, Date, Code, Ean, Email or Url',
    ),
    WrongCheckDigits: z
      .object({ Count: count, Examples: z.array(z.string()) })
      .describe('Article numbers whose check digit is wrong'),
    Languages: counts.describe('Of a sample of 1,000 longer texts'),
    Months: counts.describe('Dates by month, such as 2024-05'),
    Variants: z
      .array(z.object({ Values: z.array(ValueCount) }))
      .describe('Values that differ only in case and spaces'),
  })
  .meta({ id: 'TextProfile' })

const FieldProfile = z
  .object({
    Field: z.string().describe('Dotted path'),
    Present: count.describe('Documents with a value other than null'),
    Missing: count,
    Lists: count.describe('Documents with a list at this path or on the way to it'),
    Types: counts.describe('Values by type: Text, Number, Boolean, Null, Vector'),
    Distinct: z
      .object({ Count: count, Exact: z.boolean() })
      .describe('Different values; an estimate unless Exact'),
    Top: z.object({ Values: z.array(ValueCount), Exact: exact }).describe('The most frequent values'),
    Numbers: NumberProfile.optional().describe('Present if there are numbers'),
    Texts: TextProfile.optional().describe('Present if there are texts'),
  })
  .meta({ id: 'FieldProfile' })

const TagProfile = z
  .object({
    Id: z.string(),
    Name: z.string(),
    ParentId: z.string().nullable(),
    Documents: count.describe('Documents with this tag'),
    DocumentsBelow: count.describe('Documents with this tag or a tag below it, each counted once'),
    Words: count.describe('Words in the searched fields of the documents with this tag'),
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
    Ids: z.array(z.string()).describe('Ids of the documents; at most 20 for duplicates'),
    TagIds: z
      .array(z.string())
      .describe('The tag that the document has, followed by the likelier one if the tag is doubtful'),
    Field: z.string().nullable(),
    Reason: z.string(),
    Evidence: z.record(z.string(), z.number()).describe('The numbers that support it, by name'),
  })
  .meta({ id: 'Mistake' })

const CurrentField = z
  .object({
    Field: z.string().describe('Dotted path'),
    Present: count.describe('Documents with a value other than null'),
    Missing: count,
    Distinct: count
      .optional()
      .describe('Number of different values; absent if some are longer than 128 UTF-16 units'),
    Top: z.array(ValueCount).describe('The 20 most frequent values'),
  })
  .meta({ id: 'CurrentField' })

const CurrentCounts = z
  .object({
    At: z.string().describe('When it was counted'),
    Seq: z.int().describe('Number of the last change included in the counts'),
    Documents: count,
    Fields: z
      .array(CurrentField)
      .describe('At most 500 fields, without the id, files and fields whose names contain a dot'),
    FieldsCut: z.boolean().describe('Whether there are more fields'),
    Exact: z
      .boolean()
      .describe('False if documents have more fields than the index keeps: counts are then lower bounds'),
  })
  .meta({ id: 'CurrentCounts' })

export const DataSetProfile = z
  .object({
    DataSet: z.string().describe('Name of the dataset when the profile was made'),
    At: z.string().describe('When the profile was started'),
    Seq: z.int().describe('Pass this as since to Documents/Changes to get what has changed afterwards'),
    Documents: count,
    Fields: z.array(FieldProfile),
    FieldsCut: z.boolean().describe('Whether there are more than 500 fields, which is how many are examined'),
    Tags: z.object({
      Tagged: count.describe('Documents with an existing tag'),
      Untagged: count,
      Several: count.describe('Documents with several tags'),
      Used: z.array(TagProfile).describe('Most documents first; at most 10,000'),
      Unused: z.array(z.string()).describe('At most 1,000'),
      Unknown: z.array(ValueCount).describe('Tag ids in documents for which there is no tag; at most 100'),
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
            .describe('The middle half of the numbers in documents with this tag'),
        }),
      )
      .describe('Numbers that are far from those in other documents with the same tag; at most 100'),
    Mistakes: z.array(Mistake).describe('What is probably wrong, by kind'),
    Judged: count.describe('Number of documents whose tag was checked'),
    TellingFields: z
      .array(z.string())
      .describe('Searched fields that were not read for this check because their values give the tag away'),
    Duplicates: z
      .object({ Groups: count, AcrossTags: count, Exact: z.boolean() })
      .describe('Groups of documents with the same words in their searched fields'),
    CrossTables: z.array(
      z.object({
        Fields: z.tuple([z.string(), z.string()]),
        Pairs: z
          .array(z.object({ Values: z.tuple([z.string(), z.string()]), Count: count }))
          .describe('The most frequent pairs'),
        Exact: exact,
      }),
    ),
    Current: CurrentCounts.optional().describe(
      'Counts as of now, updated with every write; everything else is as of when the profile was made',
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
