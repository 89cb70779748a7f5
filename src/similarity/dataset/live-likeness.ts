import { LiveGathering, type LiveGatheringContext, readAlike } from '../../derived/gathered/live-gathering.ts'
import { DatasetLikeness } from '../dataset-likeness.ts'

/** How similar the documents of one dataset are to each other. */
export class LiveLikeness extends LiveGathering<DatasetLikeness> {
  constructor(context: LiveGatheringContext) {
    super(context, {
      kind: 'comparison of documents',
      make: state => new DatasetLikeness(state),
      fits: (gathered, { settings }) => readAlike(gathered, settings),
    })
  }
}
