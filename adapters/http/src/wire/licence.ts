import * as z from 'zod'
import { requiredText } from './rules.ts'

/** Contract, 2.5. */
export const License = z
  .object({ IsValid: z.boolean(), Message: z.string(), Type: z.string(), Base64: z.string() })
  .meta({ id: 'License' })

export const LicenseInput = z
  .object({ License: requiredText.describe('XML, as it is or in base64') })
  .meta({ id: 'LicenseInput' })
