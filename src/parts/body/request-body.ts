/** The body of one request, read at most once. */

import type { Content, Headers, RequestBody } from '../../core/request.ts'
import { isHeavy } from './count-values.ts'
import { readContent } from './payload.ts'

const tooMany: Content = { kind: 'unread', why: 'too many' }

export class ReadOnce implements RequestBody {
  readonly bytes: Buffer
  readonly #headers: Headers
  #content: Content | undefined
  #isHeavy: boolean | undefined
  #made: Map<object, unknown> | undefined

  constructor(headers: Headers, bytes: Buffer) {
    this.#headers = headers
    this.bytes = bytes
  }

  content(): Content {
    this.#content ??= readContent(this.#headers, this.bytes)
    return this.#content
  }

  unverified(): Content {
    this.#isHeavy ??= isHeavy(this.bytes)
    return this.#isHeavy ? tooMany : this.content()
  }

  once<T>(key: object, make: () => T): T {
    this.#made ??= new Map()
    if (!this.#made.has(key)) this.#made.set(key, make())
    return this.#made.get(key) as T
  }

  take(): Content {
    const content = this.content()
    this.#content = undefined
    this.#made = undefined
    return content
  }
}
