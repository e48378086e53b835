/** The body of a request, read at most once. */

import type { Json } from '../../core/json.ts'
import type { BodyView, Content, Headers, RequestBody } from '../../core/request.ts'
import { pickPayload, readContent } from './payload.ts'
import type { Path } from './walk-json.ts'

/** Values made of a body, by their keys. */
class MadeOnce {
  #made: Map<object, unknown> | undefined

  once<T>(key: object, make: () => T): T {
    this.#made ??= new Map()
    if (!this.#made.has(key)) this.#made.set(key, make())
    return this.#made.get(key) as T
  }

  protected forget(): void {
    this.#made = undefined
  }
}

export class ReadOnce extends MadeOnce implements RequestBody {
  readonly bytes: Buffer
  readonly #headers: Headers
  #content: Content | undefined

  constructor(headers: Headers, bytes: Buffer) {
    super()
    this.#headers = headers
    this.bytes = bytes
  }

  content(): Content {
    this.#content ??= readContent(this.#headers, this.bytes)
    return this.#content
  }

  payload(): Json | undefined {
    const content = this.content()
    return content.kind === 'unread' ? undefined : content.payload
  }

  take(): Content {
    const content = this.content()
    this.#content = undefined
    this.forget()
    return content
  }
}

/** A body that nobody vouched for. Only the values at some paths of its payload are read. */
class Glimpse extends MadeOnce implements BodyView {
  readonly bytes: Buffer
  readonly payload: () => Json | undefined

  constructor(headers: Headers, bytes: Buffer, paths: readonly Path[]) {
    super()
    this.bytes = bytes
    const payload = pickPayload(headers, bytes, paths)
    this.payload = () => payload
  }
}

/**
 * Returns the values of a body at these paths. The caller must read the whole body afterwards: only that shows whether the body is valid.
 */
export const glimpseOf = (body: RequestBody, headers: Headers, paths: readonly Path[]): BodyView =>
  body.once(paths, () => new Glimpse(headers, body.bytes, paths))
