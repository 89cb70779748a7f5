import * as z from 'zod'
import { requiredText } from './rules.ts'

/** Contract, 2.3. */
export const ChangeSecret = z
  .object({ Secret: requiredText.describe('6 to 32 characters without spaces') })
  .meta({ id: 'ChangeSecret' })
