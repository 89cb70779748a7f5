import * as z from 'zod'
import { artifactDamaged } from '../artifacts/artifact.ts'
import { documentFormSchema } from '../derived/constants/document-form.ts'
import { watching } from '../jobs/watching.ts'
import { storedModelSchema } from './model-store.ts'

/** The version is incremented when the format of exported models changes. */
export const ARTIFACT = { kind: 'service', version: 1 } as const

const artifactSchema = z.strictObject({
  type: z.string(),
  /** Form of the documents of the service's dataset. */
  form: documentFormSchema,
  /** Content sum of the documents of the dataset; null if unknown. */
  documents: z.string().nullable(),
  prepared: z.unknown(),
  recommended: z.unknown(),
  model: storedModelSchema,
})

/** What an artifact says of the model of a service. */
export type ServiceArtifact = z.output<typeof artifactSchema>

/** What adopting a model takes besides the model. */
export const adoptionSchema = z.strictObject({ dataset: z.string(), ...watching })

/** ARTIFACT_DAMAGED */
export function readServiceArtifact(contents: unknown): ServiceArtifact {
  const { data } = artifactSchema.safeParse(contents)
  if (!data) throw artifactDamaged('its contents cannot be read')
  return data
}
