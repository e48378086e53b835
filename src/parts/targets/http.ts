/**
 * The target `http`: posts the body in `deliver_extra` to the URL there; without one `{"route","delivery_id","text"}`, and of alerts their
 * fields, too. The header `webhook-id` is the same for a repeat of the delivery. With a secret, the post is signed (Standard Webhooks).
 */

import { createHash, createHmac } from 'node:crypto'
import { type Json, type JsonObject, own, parseObject, textOrEmpty } from '../../core/json.ts'
import { scalarText } from '../../expr/render.ts'
import { fillVariables, hasVariable } from '../../secrets/variables.ts'
import { bodyProblem, bodyType, contentTypePattern, filledBody, isBodyTooLong, replyPlaceholder, tooLong } from '../body-pieces.ts'
import { dotted, filledAddress, hasFixedHost, leavesFolder } from '../web/written-address.ts'
import { type HeaderLines, writtenHeaders } from '../web/written-headers.ts'
import { whsecKey } from '../whsec-key.ts'
import { type ApiAnswer, callApi } from './delivery/api.ts'
import { postWithWaits } from './kit/post-with-waits.ts'
import { type Outgoing, permanentFailure, type Sent, type TargetKit, type TargetPart, type TargetSchema } from './target.ts'

const maxCallMs = 10_000
type Method = (typeof methods)[number]
type Request = { readonly method: Method; readonly url: URL; readonly headers: HeaderLines; readonly body: string }
type RequestProblem = { readonly problem: string }

/** The methods of a request with a body. A GET has none, and the webhook-id of a repeat would not be looked for in a DELETE. */
const methods = ['POST', 'PUT', 'PATCH'] as const
const bodyValue = { $ref: '#/definitions/BodyValue' }

const schema: TargetSchema = {
  deliver_extra: {
    properties: {
      url: {
        title: 'URL',
        type: 'string',
        description: 'http: where to post; no placeholder in its host, percent-encoded values; or with ${NAME}, a secret.',
        markdownDescription:
          '`http`: where to post. `${NAME}`, the whole address or a part of it, is read when the text is sent, and is not stored; an address has a reference or placeholders, not both. A template, but without a placeholder in its host part. Values of the payload are percent-encoded, slashes too: each placeholder is (a part of) one segment, one parameter. Example: `https://ci.example.org/{repository.owner.login}/{repository.name}?ref={ref}`',
        examples: ['http://127.0.0.1:9000/alerts'],
        'x-address': true,
        'x-secret': 'late',
        'x-template': true,
      },
      secret: {
        title: 'Signing secret',
        type: 'string',
        'x-secret': true,
        description: 'Signs what the http target sends; ${NAME} is resolved.',
        markdownDescription: 'Signs what the `http` target sends (Standard Webhooks); `${NAME}` is resolved.',
        examples: ['${OUTGOING_SECRET}'],
      },
      headers: {
        title: 'Headers',
        type: 'object',
        description: 'http: further headers of the post; ${NAME} is resolved.',
        markdownDescription:
          '`http`: further headers of the post; `${NAME}` is resolved, and their values are templates, but not both in one. What has no placeholder is taken for a secret: it is not stored.',
        additionalProperties: {
          type: ['string', 'number', 'boolean'],
          'x-secret': true,
          'x-template': true,
        },
      },
      method: {
        title: 'Method',
        type: 'string',
        enum: methods,
        enumDescriptions: ['A new message.', 'A thing at its address.', 'A change of a thing.'],
        default: 'POST',
        description: 'http: the method of the request.',
        markdownDescription: '`http`: the method of the request: `POST`, `PUT` or `PATCH`. Default `POST`.',
      },
      body: {
        title: 'Body',
        type: ['object', 'array', 'string'],
        description: 'http: the body. A map or list is sent as JSON, its texts are templates; {reply} is the text; ${NAME} is a secret.',
        markdownDescription:
          '`http`: the body of the request. A map or a list is sent as JSON, and a map with `content_type: application/x-www-form-urlencoded` as a form; a text is sent as `content_type` says. Texts are templates, whose values are escaped for their place. `{reply}` is the text that is delivered. A text that is one placeholder keeps the kind of its value: `"{count}"` is a number where the payload has one. `${NAME}` is read when the body is sent, and is not stored. Absent: `{"route","delivery_id","text"}`. Example: `{ title: "{repository.full_name}", message: "{reply}" }`',
        'x-secret': 'late',
        'x-template': true,
        items: bodyValue,
        additionalProperties: bodyValue,
      },
      content_type: {
        title: 'Content type',
        type: 'string',
        pattern: contentTypePattern,
        patternErrorMessage: 'A media type as text/xml or application/json; charset=utf-8.',
        description: 'http: what the body is. Absent: JSON for a map or a list, plain text for a text.',
        markdownDescription:
          '`http`: what `body` is. Absent: `application/json` for a map or a list, `text/plain; charset=utf-8` for a text.',
        examples: ['application/json', 'application/x-www-form-urlencoded', 'text/plain; charset=utf-8'],
      },
    },
  },
}

export const http: TargetPart = {
  name: 'http',
  title: 'A POST to an address of yours, signed where it has a secret',
  repeatable: true,
  schema,
  addresses: ['url'],
  withheld: ['secret', 'headers'],
  hasBody: true,
  requires: ['url'],
  check(extra, report) {
    const [url, secret] = [own(extra, 'url'), own(extra, 'secret')]
    const hidden = typeof url === 'string' && hasVariable(url)
    if (url !== undefined && !hidden && (typeof url !== 'string' || !hasFixedHost(url)))
      report('WH707', ['url'], 'url is not an http or https address with a fixed host', 'placeholders may stand after the host only')
    else if (typeof url === 'string' && leavesFolder(url)) report('WH707', ['url'], dotted, 'write the path without it')
    else if (url !== undefined && secret === undefined && own(extra, 'body') === undefined) report('WH708', ['url'], unsigned, signHelp)
    if (secret !== undefined && signingKey(secret) === undefined)
      report('WH707', ['secret'], badSecret, 'make one with: openssl rand -base64 32')
    if (methodOf(extra) === undefined) report('WH707', ['method'], badMethod, 'leave it out for POST')
    const wrong = bodyProblem(extra)
    if (wrong) report('WH707', ...wrong)
    const headers = writtenHeaders(own(extra, 'headers'))
    if ('problem' in headers) report('WH707', ['headers'], headers.problem, 'write a map of names to texts: { X-Team: web }')
  },
  undeliverable(extra) {
    const url = own(extra, 'url')
    // What a reference stands for is known when the text is sent.
    const address = typeof url === 'string' && hasVariable(url) ? undefined : postAddress(extra)
    return address && 'problem' in address ? address.problem : isBodyTooLong(extra) ? tooLong : undefined
  },
  async send(outgoing, kit) {
    const deadline = kit.clock.monotonic() + outgoing.budgetMs
    return postWithWaits((leftMs) => post(outgoing, kit, Math.min(maxCallMs, leftMs)), kit.clock, deadline, outgoing.postponed)
  },
}

/** Posts once. Each post is signed anew, because after a wait the receiver would refuse the old timestamp. */
const post = async (outgoing: Outgoing, kit: TargetKit, timeoutMs: number): Promise<Sent> => {
  const request = prepare(outgoing, kit)
  if ('problem' in request) return permanentFailure(request.problem)
  const { method, url, headers, body } = request
  return resultOfPost(await callApi({ method, url: url.href, headers, text: body }, timeoutMs, kit.clock.now), url.host)
}

/** Returns the address of the post and the operator's headers, or says what is wrong with them or with the signing secret. */
const postAddress = (extra: JsonObject): { readonly url: URL; readonly headers: HeaderLines } | RequestProblem => {
  const url = own(extra, 'url')
  const filled = filledAddress(typeof url === 'string' ? url : '')
  if ('problem' in filled) return filled
  const secret = own(extra, 'secret')
  if (secret !== undefined && signingKey(secret) === undefined) return { problem: badSecret }
  const custom = writtenHeaders(own(extra, 'headers'))
  return 'problem' in custom ? custom : { url: filled, headers: custom.headers }
}

const prepare = (outgoing: Outgoing, kit: TargetKit): Request | RequestProblem => {
  const { extra } = outgoing.delivery
  const url = own(extra, 'url')
  const filled = typeof url === 'string' ? fillVariables(url, kit.env) : undefined
  if (filled && 'missing' in filled) return { problem: `the variable ${filled.missing} of the url is not set` }
  const address = postAddress(filled ? { ...extra, url: filled.value } : extra)
  if ('problem' in address) return address
  const method = methodOf(extra)
  if (!method) return { problem: badMethod }
  if (outgoing.text.trim() === '') return { problem: 'the text is empty' }
  const body = bodyFor(outgoing, kit)
  if (typeof body === 'object') return body
  const signed = sign(outgoing, own(extra, 'secret'), body, Math.floor(kit.clock.now() / 1000))
  const trace = outgoing.traceparent === undefined ? {} : { traceparent: outgoing.traceparent }
  const headers = { 'user-agent': 'headgate', ...trace, ...address.headers, 'content-type': bodyType(extra), ...signed }
  return { method, url: address.url, headers, body }
}

const methodOf = (extra: JsonObject): Method | undefined => {
  const { method = 'POST' } = extra
  return methods.find((each) => each === method)
}

const badMethod = `method is none of ${methods.join(', ')}`

/**
 * Returns the body as the settings have it, else the body that every receiver of this target knows. An event has filled in its placeholders
 * already, so what is left are the text, the secrets, and where there was no event, the fields of the usual body.
 */
const bodyFor = (outgoing: Outgoing, { env }: TargetKit): string | RequestProblem => {
  const { callback, text, delivery } = outgoing
  const usual: JsonObject = callback ? (parseObject(text) ?? {}) : bodyOf(outgoing)
  let unset: string | undefined
  const body = filledBody(delivery.extra, (written) => {
    if (hasVariable(written)) {
      const filled = fillVariables(written, env)
      if ('value' in filled) return filled.value
      unset ??= filled.missing
    }
    if (written === replyPlaceholder) return callback ? textOrEmpty(usual.reply) : text
    return scalarText(own(usual, written.slice(1, -1)))
  })
  if (unset !== undefined) return { problem: `the variable ${unset} of the body is not set` }
  if (body === undefined) return callback ? text : JSON.stringify(usual)
  return 'text' in body ? body.text : body
}

/** A message of a single alert has its fields beside the text, too, for receivers that read no list. */
const bodyOf = ({ route, deliveryId, text, alerts }: Outgoing): JsonObject => {
  const sole = alerts?.length === 1 ? alerts[0] : {}
  return { route, delivery_id: deliveryId, text, ...sole, ...(alerts ? { alerts: [...alerts] } : {}) }
}

const unsigned = 'posts of http are not signed: the receiver cannot tell that they come from here'
const signHelp = 'set deliver_extra.secret, and verify webhook-signature there (Standard Webhooks)'
const badSecret = 'secret is empty, or no base64 follows its whsec_'

/** Makes the headers of Standard Webhooks: id, timestamp and signature. Without a secret, only the id. */
const sign = (outgoing: Outgoing, secret: Json | undefined, body: string, seconds: number): HeaderLines => {
  // The id is a digest, because a sender chose the delivery id, which may have characters that no header can have.
  const { profile, route, job, deliveryId, itemBy, position } = outgoing
  const identity = JSON.stringify([profile, route, job ?? '', deliveryId, position, ...(itemBy === undefined ? [] : [itemBy])])
  const id = `msg_${createHash('sha256').update(identity).digest('base64url').slice(0, 32)}`
  const key = secret === undefined ? undefined : signingKey(secret)
  if (key === undefined) return { 'webhook-id': id }
  const digest = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${digest}` }
}

const signingKey = (secret: Json): Buffer | undefined => (typeof secret === 'string' && secret.trim() !== '' ? whsecKey(secret) : undefined)

const resultOfPost = (answer: ApiAnswer, host: string): Sent => {
  // A repeat is allowed: it has the same webhook-id, by which a receiver that got the first request recognises the repeat.
  if (answer.failure) return { ok: false, why: `${host}: ${answer.failure.message}`, repeatable: true }
  const { status, retryAfterMs } = answer
  if (status >= 200 && status < 300) return { ok: true, detail: `HTTP ${status}` }
  const redirect = status >= 300 && status < 400 ? ', a redirect, which is not followed' : ''
  const why = `${host} answered HTTP ${status}${redirect}`
  if (status < 500 && ![408, 425, 429].includes(status)) return { ok: false, why, repeatable: false, receiver: 'up' }
  return { ok: false, why, repeatable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
