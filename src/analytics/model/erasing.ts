import {
  type Asked,
  type CallEntry,
  type CallKind,
  type EventEntry,
  isEvent,
  type RecordedEntry,
} from './entries.ts'
import { foldedText } from './noted-call.ts'
import { type RollUp, SEPARATOR } from './roll-up.ts'
import { isNameOfDropped, labelOfAsked, nameOfAsked, nameOfText, textOfName } from './text-names.ts'

/** What is to be erased: a folded text, the hash of a user, everything before a moment. */
export interface Erased {
  readonly text?: string | undefined
  readonly user?: number | undefined
  readonly before?: number | undefined
}

/** What is being erased: it is stored until all of it is, so that what a crash has interrupted is continued. */
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

/** A comparison stands before its value, and a query string has values in it. */
function asksFor([, field, value]: Asked, text: string): boolean {
  const folded = value === null ? '' : foldedText(value)
  return folded === text || folded.endsWith(` ${text}`) || (field === '' && folded.includes(text))
}

const askedIn = (label: string): Asked => {
  const [kind, field = '', value = null] = label.split(SEPARATOR)
  return [kind as Asked[0], field, value] // as it was counted
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

/** The same call or event without what is known by this name; what is written alike, but known by another, stays. */
export function withoutName(entry: RecordedEntry, name: string): RecordedEntry {
  if (labelOfAsked(name) !== undefined) {
    if (isEvent(entry) || !entry.asked?.some(one => nameOfAsked(one) === name)) return entry
    return { ...entry, asked: entry.asked.filter(one => nameOfAsked(one) !== name) }
  }
  const text = textOfName(name)
  if (isNameOfDropped(name)) {
    if (isEvent(entry) || !entry.dropped?.includes(text)) return entry
    return { ...entry, dropped: entry.dropped.filter(word => word !== text) }
  }
  const { call } = entry.kind
  const isOfName = (one: string | undefined, call: string) =>
    one !== undefined && nameOfText(one, call) === name
  const isText = isOfName(entry.text, call)
  const isPrevious = isOfName(entry.previous, 'search')
  const isShown = call === 'completion' && idsOf(entry).some(id => foldedText(id) === text)
  if (!isText && !isPrevious && !isShown) return entry
  // Texts complete others: what was shown was typed as well.
  const idWithout = (id: string) => (call === 'completion' && foldedText(id) === text ? '' : id)
  const { text: _, previous: __, ...more } = entry
  const kept = {
    ...(!isText && entry.text !== undefined && { text: entry.text }),
    ...(!isPrevious && entry.previous !== undefined && { previous: entry.previous }),
  }
  if (isEvent(entry)) return { ...(more as EventEntry), ...kept, id: idWithout(entry.id) }
  const { held, ...bare } = more as CallEntry
  return { ...bare, ...kept, ...(held && !isText && { held }), shown: entry.shown.map(idWithout) }
}

const idsOf = (entry: RecordedEntry): readonly string[] => (isEvent(entry) ? [entry.id] : entry.shown)

/** What is counted of a text that was known by this name. */
export function eraseName(rollUp: RollUp, name: string): void {
  const text = textOfName(name)
  const isOfName = (one: string, { call }: CallKind) => nameOfText(one, call) === name
  if (labelOfAsked(name) !== undefined)
    rollUp.eraseRows('filters', label => nameOfAsked(askedIn(label)) === name)
  else if (isNameOfDropped(name)) rollUp.eraseRows('dropped', word => word === text)
  else {
    rollUp.eraseRows('texts', isOfName)
    rollUp.eraseRows('next', (label, kind) => label.split(SEPARATOR).some(one => isOfName(one, kind)))
    rollUp.eraseRows('choices', (label, kind) => isOfName(label.slice(0, label.indexOf(SEPARATOR)), kind))
    rollUp.eraseRows('hits', (label, { call }) => call === 'completion' && foldedText(label) === text)
  }
}

export function eraseText(rollUp: RollUp, text: string): void {
  rollUp.eraseRows('texts', label => label === text)
  rollUp.eraseRows('next', label => label.split(SEPARATOR).includes(text))
  rollUp.eraseRows('choices', label => label.slice(0, label.indexOf(SEPARATOR)) === text)
  rollUp.eraseRows('dropped', label => label === text)
  rollUp.eraseRows('filters', label => asksFor(askedIn(label), text))
  rollUp.eraseRows('hits', (label, { call }) => call === 'completion' && foldedText(label) === text)
}
