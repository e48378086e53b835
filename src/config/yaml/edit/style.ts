/** How a YAML text is written: what it does most often is what new values do. */

import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE } from 'js-yaml'
import type { Outline } from './outline.ts'

export type Style = {
  /** How far a map stands to the right of the key that holds it. */
  readonly step: number
  /** The same for a list: 0 where dashes stand below the key. */
  readonly listStep: number
  /** From a dash to what follows it. */
  readonly dashWidth: number
  readonly quote: 'single' | 'double'
  /** `{ a: 1 }` and not `{a: 1}`. */
  readonly padsMaps: boolean
  readonly padsLists: boolean
  /** The text is JSON, and stays it. */
  readonly json: boolean
  /** Texts of several lines are written as blocks. */
  readonly blocks: boolean
}

export const styleOf = (outline: Outline): Style => {
  const { text, events } = outline
  const json = isJson(text)
  const votes = votesIn(outline)
  return {
    step: votes.most('step') ?? 2,
    listStep: votes.most('listStep') ?? votes.most('step') ?? 2,
    dashWidth: votes.most('dashWidth') ?? 2,
    quote: json || count(events, SCALAR_STYLE.DOUBLE_QUOTED) > count(events, SCALAR_STYLE.SINGLE_QUOTED) ? 'double' : 'single',
    padsMaps: (votes.most('map') ?? 1) === 1,
    padsLists: votes.most('list') === 1,
    json,
    blocks: true,
  }
}

const count = (events: readonly Event[], style: number): number =>
  events.reduce((sum, event) => (event.type === EVENT_ID.SCALAR && event.style === style ? sum + 1 : sum), 0)

const isJson = (text: string): boolean => {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

type Subject = 'step' | 'listStep' | 'dashWidth' | 'map' | 'list'

class Votes {
  readonly #counts = new Map<Subject, Map<number, number>>()

  add(subject: Subject, value: number | undefined): void {
    if (value === undefined) return
    const counts = this.#counts.get(subject) ?? new Map<number, number>()
    this.#counts.set(subject, counts.set(value, (counts.get(value) ?? 0) + 1))
  }

  /** What got the most votes; of equals, the first. */
  most(subject: Subject): number | undefined {
    let best: number | undefined
    const counts = this.#counts.get(subject) ?? new Map<number, number>()
    for (const [value, votes] of counts) if (best === undefined || votes > (counts.get(best) ?? 0)) best = value
    return best
  }
}

/** Walks through the lists and maps: how far each that stands on lines is from the one around it, and what follows the brackets of the others. */
const votesIn = ({ text, events, columnAt }: Outline): Votes => {
  const votes = new Votes()
  const open: ParentStyle[] = []
  for (const event of events) {
    if (event.type === EVENT_ID.POP) open.pop()
    if (event.type === EVENT_ID.DOCUMENT) open.push({ column: 0, kind: 'other' })
    if (event.type !== EVENT_ID.MAPPING && event.type !== EVENT_ID.SEQUENCE) continue
    const kind = event.type === EVENT_ID.MAPPING ? 'map' : 'list'
    if (event.style === COLLECTION_STYLE.FLOW) {
      votes.add(kind, padOf(text, event.start))
      open.push({ column: 0, kind: 'other' })
    } else {
      const here = { column: columnAt(event.start), kind } as const
      voteOn(votes, here, open.at(-1))
      open.push(here)
    }
  }
  return votes
}

/** Whether a space follows a bracket; no vote where it is empty, or ends its line. */
const padOf = (text: string, bracket: number): number | undefined => {
  const next = text[bracket + 1] ?? ''
  return /[\]}\r\n]/.test(next) ? undefined : Number(next === ' ')
}

/** A list or map that is open. */
type ParentStyle = { readonly column: number; readonly kind: 'map' | 'list' | 'other' }

const voteOn = (votes: Votes, { column, kind }: ParentStyle, around: ParentStyle | undefined): void => {
  if (around?.kind === 'map') votes.add(kind === 'map' ? 'step' : 'listStep', column - around.column)
  if (around?.kind === 'list') votes.add('dashWidth', column - around.column)
}
