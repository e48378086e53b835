/**
 * The body of a request. Its content is read once for all that need it: the check of the signature, the handshakes and the parser. A check
 * that needs only single values of the body gets a partial view, for which the content is not read.
 */

import { looseOf, type WithText } from '../../core/exact-json.ts'
import type { Json } from '../../core/json.ts'
import type { BodyContent, BodyView, Headers, RequestBody } from '../../core/request.ts'
import type { KeyPath } from '../../core/walk-json.ts'
import { bodyKind, pickPayload, readContent } from './payload.ts'
import { readXmlInTurns } from './xml/read-xml.ts'

/** The longest body that is always read in one turn of the event loop. Of a longer one, XML is read in several turns. */
const maxAtATime = 262_144

/** Keeps values that were made of a body, by their keys, so that each value is made once. */
class ValuesMadeOnce {
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

/** A body whose content is read at the first call of `content`, `payload` or `take`, and kept until `take`. */
export class ReadOnceBody extends ValuesMadeOnce implements RequestBody {
  readonly bytes: Buffer
  readonly #headers: Headers
  #content: BodyContent | undefined

  constructor(headers: Headers, bytes: Buffer) {
    super()
    this.#headers = headers
    this.bytes = bytes
  }

  content(): BodyContent {
    this.#content ??= readContent(this.#headers, this.bytes)
    return this.#content
  }

  readInTurns(): Promise<void> | undefined {
    if (this.bytes.length <= maxAtATime || this.#content || bodyKind(this.#headers, this.bytes) !== 'xml') return undefined
    return readXmlInTurns(this.bytes).then((content) => {
      this.#content ??= content
    })
  }

  payload(): Json | undefined {
    return this.source()?.payload
  }

  source(): WithText | undefined {
    const content = this.content()
    return content.kind === 'unread' ? undefined : content
  }

  take(): BodyContent {
    const content = this.content()
    this.#content = undefined
    this.forget()
    return content
  }
}

/** A body whose signature is not checked yet. Its payload has only the values at some paths. */
class PartialBody extends ValuesMadeOnce implements BodyView {
  readonly bytes: Buffer
  readonly payload: () => Json | undefined
  readonly source: () => WithText | undefined

  constructor(headers: Headers, bytes: Buffer, paths: readonly KeyPath[]) {
    super()
    this.bytes = bytes
    const payload = pickPayload(headers, bytes, paths)
    // The numbers of this payload are exact already, so no text is needed to read them from.
    const source = payload === undefined ? undefined : { payload: payload as Json, text: '' }
    this.payload = () => source && looseOf(source)
    this.source = () => source
  }
}

/**
 * Returns a view of a body whose payload has only the values at these paths, for the check of a signature. The view does not show whether
 * the body is valid, so the caller must read the whole body afterwards.
 */
export const partialBodyOf = (body: RequestBody, headers: Headers, paths: readonly KeyPath[]): BodyView =>
  body.once(paths, () => new PartialBody(headers, body.bytes, paths))
