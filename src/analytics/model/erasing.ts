import { type Asked, type CallEntry, type EventEntry, isEvent, type RecordedEntry } from './entries.ts'
import { foldedText } from './noted-call.ts'
import { type RollUp, SEPARATOR } from './roll-up.ts'
import {
  isNameOfDropped,
  labelOfAsked,
  nameOfAsked,
  nameOfDropped,
  nameOfText,
  textOfName,
} from './text-names.ts'

/** What is to be erased: a folded text, the hash of a user, everything before a moment. */
export interface Erased {
  readonly text?: string | undefined
  readonly user?: number | undefined
  readonly before?: number | undefined
}

/** A request to erase, stored until it is completed, so that it continues after a crash. */
export interface Erasure {
  readonly what: Erased
  /** Names of texts that too few others have typed. */
  forgotten: readonly string[]
}

/** Whether anything of a call or event was typed. */
export function hasTexts(entry: RecordedEntry): boolean {
  if (entry.text !== undefined || entry.previous !== undefined) return true
  const isCompletion = entry.kind.call === 'completion'
  if (isEvent(entry)) return isCompletion && entry.id !== ''
  const { dropped, asked, held, shown } = entry
  const isAsked = dropped !== undefined || asked !== undefined || held !== undefined
  return isAsked || (isCompletion && shown.some(id => id !== ''))
}

/** The same call or event, without anything that was typed. */
export function withoutTexts(entry: RecordedEntry): RecordedEntry {
  if (!hasTexts(entry)) return entry
  const { text: _, previous: __, ...more } = entry
  const isCompletion = entry.kind.call === 'completion'
  if (isEvent(entry)) return isCompletion ? { ...(more as EventEntry), id: '' } : (more as EventEntry)
  const { dropped, asked, held, ...bare } = more as CallEntry
  return isCompletion ? { ...bare, shown: entry.shown.map(() => '') } : bare
}

/** The same call or event without a text, wherever it stands. */
export function withoutText(entry: RecordedEntry, erased: string): RecordedEntry {
  if (!mentions(entry, erased)) return entry
  const { text, previous, ...more } = entry
  const kept = {
    ...(text !== undefined && text !== erased && { text }),
    ...(previous !== undefined && previous !== erased && { previous }),
  }
  if (isEvent(entry)) {
    const id = entry.kind.call === 'completion' && foldedText(entry.id) === erased ? '' : entry.id
    return { ...(more as EventEntry), ...kept, id }
  }
  const { dropped, asked, held, ...bare } = more as CallEntry
  const isCompletion = entry.kind.call === 'completion'
  return {
    ...bare,
    ...kept,
    ...(dropped && { dropped: dropped.filter(word => word !== erased) }),
    ...(asked && { asked: asked.filter(one => !asksFor(one, erased)) }),
    ...(held && text !== erased && { held }),
    shown: isCompletion ? entry.shown.map(id => (foldedText(id) === erased ? '' : id)) : entry.shown,
  }
}

/** Whether a condition contains a text: a comparison precedes its value, and a query string contains values. */
function asksFor([, field, value]: Asked, text: string): boolean {
  const folded = value === null ? '' : foldedText(value)
  return folded === text || folded.endsWith(` ${text}`) || (field === '' && folded.includes(text))
}

const askedIn = (label: string): Asked => {
  const [kind, field = '', value = null] = label.split(SEPARATOR)
  return [kind as Asked[0], field, value] // in the form in which it was counted
}

/** Whether a text is known by this name, alone or as a part of a call. */
export function isOfText(name: string, text: string): boolean {
  const label = labelOfAsked(name)
  return label === undefined ? foldedText(textOfName(name)) === text : asksFor(askedIn(label), text)
}

function mentions(entry: RecordedEntry, erased: string): boolean {
  if (entry.text === erased || entry.previous === erased) return true
  const isCompletion = entry.kind.call === 'completion'
  if (isEvent(entry)) return isCompletion && foldedText(entry.id) === erased
  const { dropped, asked, shown } = entry
  return Boolean(
    dropped?.includes(erased) ||
      asked?.some(one => asksFor(one, erased)) ||
      (isCompletion && shown.some(id => foldedText(id) === erased)),
  )
}

/** Names of texts that are to be forgotten. A name also says what kind of call its text belongs to. */
export class ForgottenNames {
  readonly #names: ReadonlySet<string>
  /** The texts among them that were typed as a whole. */
  readonly #typed: ReadonlySet<string>

  constructor(names: Iterable<string>) {
    this.#names = new Set(names)
    const typed = [...this.#names].filter(name => labelOfAsked(name) === undefined && !isNameOfDropped(name))
    this.#typed = new Set(typed.map(textOfName))
  }

  get size(): number {
    return this.#names.size
  }

  hasText(text: string, call: string): boolean {
    return this.#names.has(nameOfText(text, call))
  }

  hasAsked(asked: Asked): boolean {
    return this.#names.has(nameOfAsked(asked))
  }

  hasDropped(word: string): boolean {
    return this.#names.has(nameOfDropped(word))
  }

  /** Whether a shown completion is one of the texts: texts that were typed are offered as completions. */
  hasShown(id: string, call: string): boolean {
    return call === 'completion' && this.#typed.has(foldedText(id))
  }
}

/** The same call or event without the texts known by these names; the same text under another name stays. */
export function withoutNames(entry: RecordedEntry, names: ForgottenNames): RecordedEntry {
  const { call } = entry.kind
  const { text, previous, ...more } = entry
  const isText = text !== undefined && names.hasText(text, call)
  const isPrevious = previous !== undefined && names.hasText(previous, 'search')
  const kept = {
    ...(!isText && text !== undefined && { text }),
    ...(!isPrevious && previous !== undefined && { previous }),
  }
  const idWithout = (id: string) => (names.hasShown(id, call) ? '' : id)
  if (isEvent(entry)) {
    const id = idWithout(entry.id)
    return isText || isPrevious || id !== entry.id ? { ...(more as EventEntry), ...kept, id } : entry
  }
  const isShown = entry.shown.some(id => names.hasShown(id, call))
  const isAsked = entry.asked?.some(one => names.hasAsked(one))
  const isDropped = entry.dropped?.some(word => names.hasDropped(word))
  if (!isText && !isPrevious && !isShown && !isAsked && !isDropped) return entry
  const { dropped, asked, held, ...bare } = more as CallEntry
  return {
    ...bare,
    ...kept,
    ...(dropped && { dropped: dropped.filter(word => !names.hasDropped(word)) }),
    ...(asked && { asked: asked.filter(one => !names.hasAsked(one)) }),
    ...(held && !isText && { held }),
    shown: entry.shown.map(idWithout),
  }
}

/** Erases the counts of texts that were known by these names. */
export function eraseNames(rollUp: RollUp, names: ForgottenNames): void {
  if (names.size === 0) return
  rollUp.eraseRows('filters', label => names.hasAsked(askedIn(label)))
  rollUp.eraseRows('dropped', word => names.hasDropped(word))
  rollUp.eraseRows('texts', (text, { call }) => names.hasText(text, call))
  rollUp.eraseRows('next', (label, { call }) =>
    label.split(SEPARATOR).some(text => names.hasText(text, call)),
  )
  rollUp.eraseRows('choices', (label, { call }) =>
    names.hasText(label.slice(0, label.indexOf(SEPARATOR)), call),
  )
  rollUp.eraseRows('hits', (label, { call }) => names.hasShown(label, call))
}

export function eraseText(rollUp: RollUp, text: string): void {
  rollUp.eraseRows('texts', label => label === text)
  rollUp.eraseRows('next', label => label.split(SEPARATOR).includes(text))
  rollUp.eraseRows('choices', label => label.slice(0, label.indexOf(SEPARATOR)) === text)
  rollUp.eraseRows('dropped', label => label === text)
  rollUp.eraseRows('filters', label => asksFor(askedIn(label), text))
  rollUp.eraseRows('hits', (label, { call }) => call === 'completion' && foldedText(label) === text)
}
