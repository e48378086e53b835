/** `webhook test <name>`: posts a signed request to the running gateway and prints the answer. */

import { randomUUID } from 'node:crypto'
import { curlLine } from '../../app/routes/curl.ts'
import { routeUrl } from '../../app/routes/route-address.ts'
import { findRoute, readRoutes } from '../../app/routes/routes.ts'
import { sendTest, type TestAnswer } from '../../app/routes/send-test.ts'
import { schemeOf, signedAs } from '../../app/routes/sign-test.ts'
import type { Config, RouteSource } from '../../config/config.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { jsonText } from '../../core/json-text.ts'
import { printable } from '../../core/text.ts'
import { answer, type Cli } from '../shell/output.ts'
import { readPayload } from './payload.ts'

export type TestOptions = {
  readonly payload?: string
  readonly event?: string
  readonly id?: string
  readonly scheme?: string
  readonly url?: string
  readonly printCurl?: boolean
}

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
  return report(post, await sendTest(post, cli.workspace.self), cli)
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
  const unsigned = { secret, body: await readPayload(options.payload, cli.io), id, at: Date.now() }
  const signed = signedAs(scheme, event === undefined ? unsigned : { ...unsigned, event })
  const headers: Headers = { 'Content-Type': 'application/json', ...signed.headers }
  refuseOddHeaders(headers)
  return { url, scheme, event, id, headers, body: signed.body }
}

const report = ({ url, scheme, event, id, body }: Post, got: TestAnswer, cli: Cli): number => {
  const { outcome, reason, eventId } = got
  const bytes = Buffer.byteLength(body)
  const text = [
    `--> POST ${printable(url)}  ${scheme}${event === undefined ? '' : `  event ${printable(event)}`}  id ${printable(id)}  ${bytes} bytes`,
    `<-- ${got.status} ${printable(got.said)} ${got.ms} ms`,
    typeof got.body === 'string' ? printable(got.body) : jsonText(got.body),
    ...(eventId === undefined || cli.quiet
      ? []
      : [`event    ${printable(eventId)}`, `follow   ${cli.workspace.self} events show ${printable(eventId)}`]),
    '',
  ].join('\n')
  const data = {
    request: { url, scheme, event: event ?? null, delivery_id: id, bytes },
    response: { status: got.status, body: got.body, ms: got.ms },
    outcome: outcome ?? null,
    reason: reason ?? null,
    event_id: eventId ?? null,
    final: null,
  }
  return answer(cli, { kind: 'webhook.test', data, text, exitCode: got.isTaken ? exit.ok : exit.no })
}

const refuseOddHeaders = (headers: Headers): void => {
  const odd = Object.entries(headers).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value))
  if (odd) throw usage(`the header ${odd[0]} cannot hold this value: it has control or non-latin characters`)
}
