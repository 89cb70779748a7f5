import { compilingCondition, compilingVisible } from '../../src/query/condition-query.ts'
import { atOnce } from '../../src/scheduling/at-once.ts'

export const compileCondition = (...given: Parameters<typeof compilingCondition>) =>
  atOnce(compilingCondition(...given))

export const compileVisible = (...given: Parameters<typeof compilingVisible>) =>
  atOnce(compilingVisible(...given))
