import * as z from 'zod'
import { analyzerIdentity } from '../../analysis/analyzer.ts'
import { mismatch } from '../../artifacts/artifact.ts'
import type { DatasetSettings } from '../../datasets/schema/dataset-settings.ts'

export const documentFormSchema = z.strictObject({
  analyzer: z.strictObject({ name: z.string(), version: z.number() }),
  interpretedFields: z.array(z.string()),
  tagField: z.string(),
  markup: z.unknown(),
})

/** How the documents of a dataset are read; models made from them depend on it. */
export type DocumentForm = z.output<typeof documentFormSchema>

export function documentForm(settings: DatasetSettings): DocumentForm {
  const { interpretedFields, tagField, markup, language, analyzer } = settings
  const { name, version } = analyzerIdentity(language, analyzer)
  return { analyzer: { name, version }, interpretedFields, tagField, markup }
}

/** ARTIFACT_MISMATCH, which names the first member that differs. */
export function refuseOtherForm(made: DocumentForm, form: DocumentForm): void {
  for (const field of ['analyzer', 'interpretedFields', 'tagField', 'markup'] as const) {
    if (JSON.stringify(made[field]) !== JSON.stringify(form[field]))
      throw mismatch(field, made[field], form[field])
  }
}
