/** The fields that a route's conditions ask for: one that several conditions ask for is read once an event. */

import type { Json } from '../core/json.ts'
import type { Event } from '../core/request.ts'
import { compileField } from './path.ts'

/** One field, and while its conditions are asked, what it holds. */
export class Field {
  readonly #read: (event: Event) => Json | undefined
  /** Whether several conditions ask for it. A value that is asked for once is not worth keeping. */
  isShared = false
  /** The event that `#value` was read from. */
  #event: Event | undefined
  #value: Json | undefined

  constructor(name: string) {
    this.#read = compileField(name)
  }

  /** What the event holds there; `undefined` where it holds nothing. */
  valueIn(event: Event): Json | undefined {
    if (!this.isShared) return this.#read(event)
    if (this.#event !== event) {
      this.#value = this.#read(event)
      this.#event = event
    }
    return this.#value
  }

  /** Lets go of the payload. */
  forget(): void {
    this.#event = undefined
    this.#value = undefined
  }
}

/** Compiles the fields of one route's conditions. */
export class Fields {
  readonly #byName = new Map<string, Field>()

  /** The field of this name, the same one for each condition that asks for it. */
  compile(name: string): Field {
    const known = this.#byName.get(name)
    const field = known ?? new Field(name)
    field.isShared = known !== undefined
    this.#byName.set(name, field)
    return field
  }

  /** The fields that must forget what they hold when a verdict is there. */
  shared(): readonly Field[] {
    return [...this.#byName.values()].filter((field) => field.isShared)
  }
}
