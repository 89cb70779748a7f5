import {
  type Adoption,
  type AdoptThrough,
  ArtifactReader,
  artifactDamaged,
  artifactPieces,
  mismatch,
  undamaged,
} from '../artifacts/artifact.ts'
import type { DatasetState } from '../datasets/state.ts'
import { documentForm, refuseOtherForm } from '../derived/constants/document-form.ts'
import type { Progress } from '../jobs/job.ts'
import type { Finish } from '../jobs/stored-jobs.ts'
import { textOfContent } from '../store/content-sum.ts'
import type { LifecycleParts, Settings } from './lifecycle-context.ts'
import type { ModelInUse } from './model-in-use.ts'
import type { BuiltModel, OutgoingModel } from './model-store.ts'
import { overlay } from './overlay.ts'
import { ARTIFACT, readServiceArtifact, type ServiceArtifact } from './service-artifact.ts'
import type { Made, ServiceDataset, StoredParts } from './service-definition.ts'

/** What is known of a model besides its parts. */
type ModelSettings = Pick<ServiceArtifact, 'prepared' | 'recommended'>

/** Where the model of a service comes from and goes to: prepared here, handed over, exported, adopted. */
export class ModelMaking {
  readonly #parts: LifecycleParts
  readonly #inUse: ModelInUse

  constructor(parts: LifecycleParts, inUse: ModelInUse) {
    this.#parts = parts
    this.#inUse = inUse
  }

  async *preparing(
    dataset: ServiceDataset,
    claimed: Promise<void>,
    settings: Settings,
    { signal, finish }: { readonly signal: AbortSignal; readonly finish: Finish },
  ): AsyncGenerator<Progress, void> {
    const { definition } = this.#parts.context
    await claimed
    const self = this
    yield* this.#parts.model.replace(async function* ({ keep, reading }) {
      const made = yield* definition.prepare({ dataset, settings, signal, keep })
      const { contents, settings: prepared, recommended } = made
      const change = yield* self.#replacing({ prepared, recommended }, reading(contents), signal)
      return { contents, ...change, also: finish }
    })
    await this.#inUse.counted()
  }

  /** The same beside the model in use: the new one is handed over, and adopting it puts it in place. */
  async *preparingFor(
    adoptThrough: AdoptThrough,
    dataset: ServiceDataset,
    settings: Settings,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, void> {
    const { definition } = this.#parts.context
    const self = this
    let made: Made<unknown, object> | undefined
    yield* this.#parts.model.handOn(
      async function* ({ keep }) {
        made = yield* definition.prepare({ dataset, settings, signal, keep })
        self.#check({ prepared: made.settings, recommended: made.recommended }, () => dataset)
        return made.contents
      },
      async model => {
        signal.throwIfAborted()
        const { settings: prepared, recommended } = made!
        const artifact = self.exporting(model, dataset.state, { prepared, recommended })
        await adoptThrough(self.adoptionOf(dataset), artifact)
      },
    )
  }

  adoptionOf({ state }: ServiceDataset): Adoption {
    return { kind: 'service', id: this.#parts.id, dataset: state.name }
  }

  exporting(
    { model, blobs, read }: OutgoingModel,
    state: DatasetState,
    { prepared, recommended }: ModelSettings,
  ): AsyncGenerator<Uint8Array, void> {
    const contents: ServiceArtifact = {
      type: this.#parts.context.definition.type,
      form: documentForm(state.settings),
      prepared,
      recommended,
      documents: this.#documentsOf(state),
      model,
    }
    return artifactPieces({ ...ARTIFACT, contents, blobs }, read)
  }

  async adopt(
    source: unknown,
    dataset: ServiceDataset,
    signal: AbortSignal,
    finish: Finish = () => {},
  ): Promise<void> {
    const { context, stored } = this.#parts
    const { definition } = context
    await ArtifactReader.reading(source, ARTIFACT, async reader => {
      const artifact = readServiceArtifact(reader.head.contents)
      const { type, form, documents, model } = artifact
      if (type !== definition.type) throw mismatch('type', type, definition.type)
      refuseOtherForm(form, documentForm(dataset.state.settings))
      const { exportedSettings: schemas } = definition
      const prepared = schemas.prepared.safeParse(artifact.prepared).data
      const recommended = schemas.recommended.safeParse(artifact.recommended).data
      if (!prepared || !recommended) throw artifactDamaged('its settings cannot be read')
      const { state } = dataset
      const isSame = documents !== null && documents === this.#documentsOf(state)
      const contents = undamaged(
        () => definition.adopted?.(model.contents, isSame ? state.dataset : undefined) ?? model.contents,
      )
      if (!undamaged(() => definition.areOf?.(contents, prepared) ?? true))
        throw artifactDamaged('its settings are not those of its contents')
      const kept = new Set(model.sums.map(([name]) => name))
      const needed = undamaged(() => definition.neededParts?.(contents) ?? [])
      if (needed.some(name => !kept.has(name))) throw artifactDamaged('some of its parts are missing')
      await stored.claim(dataset)
      const self = this
      await this.#parts.model.adopt(reader, { ...model, contents }, async function* (incoming) {
        const change = yield* self.#replacing({ prepared, recommended }, incoming, signal)
        signal.throwIfAborted()
        return { ...change, also: finish }
      })
    })
    await this.#inUse.counted()
  }

  /** What changes with another model, which is loaded before it replaces the one that answers. */
  async *#replacing(
    { prepared, recommended }: ModelSettings,
    model: StoredParts,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, Omit<BuiltModel, 'contents'>> {
    const { isActive } = this.#parts.stored.entry
    const settings = this.#check({ prepared, recommended })
    const next = isActive ? { active: yield* this.#inUse.load(model, settings, signal) } : undefined
    return { change: { prepared, recommended }, inPlace: () => this.#inUse.replaced(next) }
  }

  /** The settings with which a model would answer, checked. INVALID_ARGUMENT */
  #check({ prepared, recommended }: ModelSettings, dataset = this.#parts.surroundings.dataset): Settings {
    const { context, stored, surroundings } = this.#parts
    const settings = overlay(recommended as Settings, stored.entry.given as Settings)
    context.definition.check({ ...surroundings, dataset, prepared, settings, given: {} })
    return settings
  }

  #documentsOf({ dataset }: DatasetState): string | null {
    const { content } = this.#parts.context.store.counts(dataset)
    return content ? textOfContent(content) : null
  }
}
