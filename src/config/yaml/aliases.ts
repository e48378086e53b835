/**
 * Refuses YAML aliases that would make the data endless or huge (an alias inside the value that it names, or aliases for too many values),
 * and an alias whose anchor does not stand before it.
 */

import { EVENT_ID, type Event, YAMLException } from 'js-yaml'

type Alias = Extract<Event, { type: typeof EVENT_ID.ALIAS }>
type NodeEvent = Exclude<Event, { type: typeof EVENT_ID.ALIAS | typeof EVENT_ID.POP }>

/** The most values that all aliases together may stand for, against a "billion laughs" file. */
const maxAliased = 100_000

/** Throws a YAMLException at the first alias that is refused. `events`: the parser's events of `text`. */
export const checkAliases = (text: string, events: readonly Event[]): void => {
  if (!events.some(({ type }) => type === EVENT_ID.ALIAS)) return
  const count = new AliasCount(text)
  for (const event of events) count.add(event)
}

/** Counts the values of a text, event by event, with aliases followed. */
class AliasCount {
  readonly #text: string
  /** The number of values that each anchor names, with aliases followed. `undefined` while the list or map of the anchor is open. */
  readonly #sizes = new Map<string, number | undefined>()
  /** The open lists and maps: the anchor of each, and the number of values before it. */
  readonly #open: { readonly anchor: string; readonly before: number }[] = []
  #values = 0
  #aliased = 0

  constructor(text: string) {
    this.#text = text
  }

  add(event: Event): void {
    if (event.type === EVENT_ID.POP) this.#close()
    else if (event.type === EVENT_ID.ALIAS) this.#follow(event)
    else this.#enter(event)
  }

  #enter(event: NodeEvent): void {
    const anchor = event.type === EVENT_ID.DOCUMENT ? '' : this.#text.slice(event.anchorStart, event.anchorEnd)
    const isScalar = event.type === EVENT_ID.SCALAR
    if (anchor !== '') this.#sizes.set(anchor, isScalar ? 1 : undefined)
    if (!isScalar) this.#open.push({ anchor, before: this.#values })
    this.#values++
  }

  #close(): void {
    const { anchor, before } = this.#open.pop() ?? { anchor: '', before: 0 }
    if (anchor !== '') this.#sizes.set(anchor, this.#values - before)
  }

  #follow({ anchorStart, anchorEnd }: Alias): void {
    const name = this.#text.slice(anchorStart, anchorEnd)
    const why = this.#sizes.has(name)
      ? 'this alias stands inside what it names'
      : 'Unresolved alias (the anchor must be set before the alias)'
    const size = this.#sizes.get(name) ?? this.#refuse(anchorStart, why)
    this.#values += size
    this.#aliased += size
    if (this.#aliased > maxAliased) this.#refuse(anchorStart, `the aliases stand for more than ${maxAliased} values`)
  }

  #refuse(anchorStart: number, why: string): never {
    // The star of an alias stands before its name.
    return YAMLException.throwAt(this.#text, anchorStart - 1, why)
  }
}
