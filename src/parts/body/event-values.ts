/** The bounds of what a request says of its event: the form of an event type, and the length of a delivery id. */

import { hash } from 'node:crypto'
import type { Json } from '../../core/json.ts'

export const unknownType = 'unknown'

const maxTypeUnits = 128
const eventTypeForm = /^[^\p{Cc}]+$/u

/** Returns the value where it can be an event type: a text of at most 128 characters without control characters. */
export const usableType = (type: Json | undefined): string | undefined =>
  typeof type === 'string' && type.length <= maxTypeUnits && eventTypeForm.test(type) ? type : undefined

/** A longer delivery id is replaced by its hash. */
const maxIdUnits = 200

export const boundedId = (id: string): string => (id.length <= maxIdUnits ? id : `sha256:${hash('sha256', id)}`)
