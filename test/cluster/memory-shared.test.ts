import { MemoryShared } from '../../adapters/cluster/src/index.ts'
import { describeShared } from './shared-suite.ts'

describeShared(async () => {
  const shared = new MemoryShared({ clock: () => performance.now() })
  return {
    open: async () => new MemoryShared(shared),
    async disturb() {},
    async damage(sha256, how) {
      shared.damage(sha256, chunks =>
        how === 'cut' ? chunks.slice(0, -1) : [Buffer.from(chunks[0]!).fill(0), ...chunks.slice(1)],
      )
    },
  }
})
