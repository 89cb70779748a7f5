import { LiveGathering, type LiveGatheringContext } from '../../derived/gathered/live-gathering.ts'
import { DocumentVectors } from './document-vectors.ts'

/** The vectors that the documents of one dataset bring. */
export class LiveVectors extends LiveGathering<DocumentVectors> {
  constructor(context: LiveGatheringContext) {
    super(context, {
      kind: 'vectors of documents',
      make: ({ settings }) => new DocumentVectors(settings.vectors ?? {}),
      fits: (gathered, { settings }) => gathered.fits(settings.vectors ?? {}),
    })
  }
}
