/** `webhook test <name>`: posts a really signed request to the running gateway and shows the answer. */

import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { routeUrl } from '../../app/route-address.ts'
import { findRoute, readRoutes } from '../../app/routes.ts'
import type { Config, RouteSource } from '../../config/config.ts'
import { exit, Fault, messageOf, usage } from '../../core/fault.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { readText } from '../shell/input.ts'
import { answer, type Cli, jsonText } from '../shell/output.ts'
import { curlLine } from './curl.ts'
import { schemeOf, signedAs } from './sign.ts'

export type TestOptions = {
  readonly payload?: string
  readonly event?: string
  readonly id?: string
  readonly scheme?: string
  readonly url?: string
  readonly printCurl?: boolean
}

const defaultPayload = '{"test":true,"message":"Hello from headgate webhook test"}'
const timeoutMs = 60_000
const maxAnswerBytes = 1_048_576

export const webhookTest = async (asked: string, options: TestOptions, cli: Cli): Promise<number> => {
  const known = readRoutes(cli.workspace)
  const { route } = findRoute(known, asked)
  const [secret] = route?.secrets ?? []
  if (!route || secret === undefined) {
    const why = route ? 'it has no secret' : 'its entry is not valid'
    throw new Fault('invalid_route', `"${asked}" is not served: ${why}`, { exitCode: exit.no, hint: `${cli.workspace.self} validate` })
  }
  const post = await preparePost(route, secret, known.loaded.config, options, cli)
  if (options.printCurl) {
    cli.io.stdout(`${curlLine(post.url, post.headers, post.body)}\n`)
    return exit.ok
  }
  return report(post, await send(post, cli), cli)
}

type Headers = { readonly [name: string]: string }

type Post = {
  readonly url: string
  readonly scheme: string
  readonly event: string | undefined
  readonly id: string
  readonly headers: Headers
  readonly body: string
}

const preparePost = async (route: RouteSource, secret: string, config: Config, options: TestOptions, cli: Cli): Promise<Post> => {
  if (options.url === undefined && config.port === 0) throw usage('the configured port is 0 (any free one): give --url')
  const url = options.url ?? routeUrl(config, route.name, route.profile)
  const scheme = schemeOf(options.scheme ?? 'auto', route.spec.verify, secret)
  const event = options.event ?? route.spec.events?.[0]
  const id = options.id ?? randomUUID()
  const unsigned = { secret, body: await readPayload(options, cli), id, at: Date.now() }
  const signed = signedAs(scheme, event === undefined ? unsigned : { ...unsigned, event })
  const headers: Headers = { 'Content-Type': 'application/json', ...signed.headers }
  refuseOddHeaders(headers)
  return { url, scheme, event, id, headers, body: signed.body }
}

/** Answered with 2xx, but nothing comes of it. */
const notTaken: ReadonlySet<string> = new Set(['ignored', 'duplicate'])

const report = ({ url, scheme, event, id, body }: Post, got: Got, cli: Cli): number => {
  const parsed = parsedBody(got.body)
  const outcome = memberOf(parsed, 'status')
  const reason = memberOf(parsed, 'reason')
  const { eventId } = got
  const bytes = Buffer.byteLength(body)
  const said = `${outcome ?? got.reason}${reason === undefined ? '' : ` (${reason})`}`
  const text = [
    `--> POST ${printable(url)}  ${scheme}${event === undefined ? '' : `  event ${printable(event)}`}  id ${printable(id)}  ${bytes} bytes`,
    `<-- ${got.status} ${printable(said)} ${got.ms} ms`,
    typeof parsed === 'string' ? printable(parsed) : jsonText(parsed),
    ...(eventId === undefined || cli.quiet
      ? []
      : [`event    ${printable(eventId)}`, `follow   ${cli.workspace.self} events show ${printable(eventId)}`]),
    '',
  ].join('\n')
  const data = {
    request: { url, scheme, event: event ?? null, delivery_id: id, bytes },
    response: { status: got.status, body: parsed, ms: got.ms },
    outcome: outcome ?? null,
    reason: reason ?? null,
    event_id: eventId ?? null,
    final: null,
  }
  const isTaken = got.status >= 200 && got.status < 300 && !notTaken.has(outcome ?? '')
  return answer(cli, { kind: 'webhook.test', data, text, exitCode: isTaken ? exit.ok : exit.no })
}

const memberOf = (body: Json, name: string): string | undefined => {
  const value = isObject(body) ? own(body, name) : undefined
  return typeof value === 'string' ? value : undefined
}

const refuseOddHeaders = (headers: Headers): void => {
  const odd = Object.entries(headers).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value))
  if (odd) throw usage(`the header ${odd[0]} cannot hold this value: it has control or non-latin characters`)
}

const readPayload = async ({ payload }: TestOptions, cli: Cli): Promise<string> => {
  if (payload === undefined) return defaultPayload
  const text = await readText('--payload', payload, cli.io)
  try {
    JSON.parse(text)
    return text
  } catch {
    throw usage('--payload is not valid JSON', `quote it for the shell: --payload '{"key":"value"}', or name a file: --payload @file.json`)
  }
}

const parsedBody = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

type Got = {
  readonly status: number
  readonly reason: string
  readonly body: string
  readonly ms: number
  /** What the gateway's record of it is called; it keeps none of what nobody vouched for. */
  readonly eventId: string | undefined
}

const send = ({ url, headers, body }: Post, cli: Cli): Promise<Got> =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const open = urlOf(url).protocol === 'https:' ? httpsRequest : httpRequest
    const fail = (error: unknown): void => reject(error instanceof Fault ? error : unreachable(url, error, cli))
    const request = open(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      agent: false,
      timeout: timeoutMs,
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
    request.on('error', fail)
    request.on('response', async (response) => {
      try {
        const chunks: Buffer[] = []
        let bytes = 0
        for await (const chunk of response) {
          bytes += (chunk as Buffer).length
          if (bytes > maxAnswerBytes) throw new Error('the answer is too large')
          chunks.push(chunk as Buffer)
        }
        const ms = Math.round(performance.now() - started)
        const { statusCode = 0, statusMessage = '', headers } = response
        const eventId = headers['x-headgate-event-id']?.toString()
        resolve({ status: statusCode, reason: statusMessage, body: Buffer.concat(chunks).toString('utf8'), ms, eventId })
      } catch (error) {
        fail(error)
      }
    })
    // As bytes: Node writes the headers in the encoding of a text that follows them.
    request.end(Buffer.from(body))
  })

const urlOf = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw usage(`--url ${text}: not an http address`)
}

const unreachable = (url: string, error: unknown, cli: Cli): Fault => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error)
  return new Fault('unreachable', `no gateway answers at ${new URL(url).origin} (${code})`, {
    exitCode: exit.unreachable,
    hint: `start it: ${cli.workspace.self} gateway run`,
  })
}
