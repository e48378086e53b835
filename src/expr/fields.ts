/** The fields of a route's conditions. A field that several conditions name is read once for each event. */

import type { ExactJson } from '../core/json.ts'
import type { Event } from '../core/request.ts'
import { compileField } from './path.ts'

/** A field of events, by its dotted name. Where several conditions name the field, it keeps its value while an event is judged. */
export class EventField {
  readonly #read: (event: Event) => ExactJson | undefined
  /** Whether several conditions name the field, so that its value is kept. */
  isShared = false
  #event: Event | undefined
  #value: ExactJson | undefined

  constructor(name: string) {
    this.#read = compileField(name)
  }

  /** Returns the value of the field; `undefined` where the event does not have it. */
  valueIn(event: Event): ExactJson | undefined {
    if (!this.isShared) return this.#read(event)
    if (this.#event !== event) {
      this.#value = this.#read(event)
      this.#event = event
    }
    return this.#value
  }

  /** Drops the event and the value, so that the payload can be freed. */
  forget(): void {
    this.#event = undefined
    this.#value = undefined
  }
}

/** Compiles the fields of one route's conditions. */
export class EventFields {
  readonly #byName = new Map<string, EventField>()

  /** Returns the field of this name: the same object for each condition that names it. */
  compile(name: string): EventField {
    const known = this.#byName.get(name)
    const field = known ?? new EventField(name)
    field.isShared = known !== undefined
    this.#byName.set(name, field)
    return field
  }

  /** Returns the fields whose values must be dropped after each verdict. */
  shared(): readonly EventField[] {
    return [...this.#byName.values()].filter((field) => field.isShared)
  }
}
