import type { Attack } from './attack.ts'
import { analyticsAttacks } from './attacks/analytics.ts'
import { bodyAttacks } from './attacks/bodies.ts'
import { fileAttacks } from './attacks/files.ts'
import { hiddenDocumentAttacks } from './attacks/hidden-documents.ts'
import { importAttacks } from './attacks/imports.ts'
import { queryAttacks } from './attacks/queries.ts'

export const attacks: readonly Attack[] = [
  ...queryAttacks,
  ...bodyAttacks,
  ...importAttacks,
  ...fileAttacks,
  ...hiddenDocumentAttacks,
  ...analyticsAttacks,
]
