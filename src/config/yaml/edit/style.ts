/** The style of a YAML text. New values are written in the style that the text has most often. */

import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE } from 'js-yaml'
import { isJson } from '../../../core/json.ts'
import type { Outline } from './outline.ts'

export type Style = {
  /** The columns from a key to the map below it. */
  readonly step: number
  /** The columns from a key to the dashes of the list below it: 0 where they stand in the column of the key. */
  readonly listStep: number
  readonly dashWidth: number
  readonly quote: 'single' | 'double'
  /** Whether braces have spaces inside: `{ a: 1 }`, not `{a: 1}`. */
  readonly padsMaps: boolean
  readonly padsLists: boolean
  /** Whether the text is JSON, and so must stay JSON. */
  readonly json: boolean
  /** Whether texts of several lines are written as blocks. `false` only in the second try, where a block does not read back right. */
  readonly blocks: boolean
}

/** Returns the style of a text. Where the text has no example, it is the usual style of YAML. */
export const styleOf = (outline: Outline): Style => {
  const { text, events } = outline
  const json = isJsonMapOrList(text)
  const votes = votesIn(outline)
  return {
    step: votes.most('step') ?? 2,
    listStep: votes.most('listStep') ?? votes.most('step') ?? 2,
    dashWidth: votes.most('dashWidth') ?? 2,
    quote:
      json || countScalars(events, SCALAR_STYLE.DOUBLE_QUOTED) > countScalars(events, SCALAR_STYLE.SINGLE_QUOTED) ? 'double' : 'single',
    padsMaps: (votes.most('map') ?? 1) === 1,
    padsLists: votes.most('list') === 1,
    json,
    blocks: true,
  }
}

const countScalars = (events: readonly Event[], style: number): number =>
  events.reduce((sum, event) => (event.type === EVENT_ID.SCALAR && event.style === style ? sum + 1 : sum), 0)

const isJsonMapOrList = (text: string): boolean => /^\s*[[{]/.test(text) && isJson(text)

/** What is voted on: three distances in columns, and for `map` and `list` whether a space follows the bracket (1 or 0). */
type StyleChoice = 'step' | 'listStep' | 'dashWidth' | 'map' | 'list'

class StyleVotes {
  readonly #counts = new Map<StyleChoice, Map<number, number>>()

  add(subject: StyleChoice, value: number | undefined): void {
    if (value === undefined) return
    const counts = this.#counts.get(subject) ?? new Map<number, number>()
    this.#counts.set(subject, counts.set(value, (counts.get(value) ?? 0) + 1))
  }

  /** The value with the most votes; where several values have the most, the first of them. `undefined` without votes. */
  most(subject: StyleChoice): number | undefined {
    let best: number | undefined
    const counts = this.#counts.get(subject) ?? new Map<number, number>()
    for (const [value, votes] of counts) if (best === undefined || votes > (counts.get(best) ?? 0)) best = value
    return best
  }
}

/**
 * Takes a vote from each list and map. In block style it votes for its distance to the list or map around it, in flow style (between
 * brackets) for the space behind its bracket.
 */
const votesIn = ({ text, events, columnAt }: Outline): StyleVotes => {
  const votes = new StyleVotes()
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

/** Returns 1 where a space follows a bracket, else 0; `undefined` (no vote) for empty brackets and for a bracket that ends its line. */
const padOf = (text: string, bracket: number): number | undefined => {
  const next = text[bracket + 1] ?? ''
  return /[\]}\r\n]/.test(next) ? undefined : Number(next === ' ')
}

/** A list or map around others. `other`: its members have no vote on distances, because it is a document or is between brackets. */
type ParentStyle = { readonly column: number; readonly kind: 'map' | 'list' | 'other' }

const voteOn = (votes: StyleVotes, { column, kind }: ParentStyle, around: ParentStyle | undefined): void => {
  if (around?.kind === 'map') votes.add(kind === 'map' ? 'step' : 'listStep', column - around.column)
  if (around?.kind === 'list') votes.add('dashWidth', column - around.column)
}
