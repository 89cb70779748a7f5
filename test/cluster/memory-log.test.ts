import { MemoryLog } from '../../adapters/cluster/src/index.ts'
import { describeLog } from './log-suite.ts'

describeLog(async () => {
  const log = new MemoryLog()
  return {
    open: async () => new MemoryLog(log),
    async disturb() {},
    lose: async after => log.lose(after),
  }
})
