/**
 * `webhook test <name>`: posts a signed request to the running gateway, and prints the answer. Where the command waits for the run, it also
 * prints how the event ended.
 */

import { readFileSync } from 'node:fs'
import { exit, messageOf, usage } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { curlLine } from '../../dryrun/requests/curl.ts'
import { type PreparedTest, prepareTest, type TestInput } from '../../dryrun/requests/prepare-test.ts'
import type { Encoding } from '../../dryrun/requests/request-form.ts'
import { gatewayAt } from '../../http/control/client.ts'
import { describeEvent, type EventStatus, outcomeOf } from '../../operate/events/event-status.ts'
import { checkExpectedWord, type TestedRoute, testRoute } from '../../operate/routes/test-route.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { readPayloadOption } from './payload.ts'
import { type EditByHand, withPayloadByHand } from './payload-by-hand.ts'
import { quotedLines } from './trace-tree.ts'

export type WebhookTestOptions = {
  readonly payload?: string
  readonly sample?: string
  readonly set?: readonly string[]
  readonly unset?: readonly string[]
  readonly edit?: boolean
  readonly event?: string
  readonly id?: string
  readonly query?: string
  readonly method?: string
  readonly encoding?: Encoding
  readonly scheme?: string
  /** The file of the private key. */
  readonly privateKey?: string
  readonly url?: string
  readonly printCurl?: boolean
  readonly wait?: boolean
  /** The time to wait for the end of the run, in seconds. */
  readonly timeout?: number
  readonly expect?: string
}

const defaultTimeoutSeconds = 60

export const webhookTest = async (asked: string, options: WebhookTestOptions, cli: Cli): Promise<number> => {
  checkExpectedWord(options.expect)
  if (options.sample !== undefined && options.payload !== undefined) throw usage('give --sample or --payload, not both')
  const of =
    options.sample === undefined ? { payload: (await readPayloadOption(options.payload, cli.io)).text } : { sample: options.sample }
  if (!options.edit) return sendAndAnswer(asked, of, options, cli)
  const instead = '--set path=value, or --payload @file'
  return withPayloadByHand({ name: asked, instead }, cli, async (byHand) => ({
    result: await sendAndAnswer(asked, of, { ...options, byHand }, cli),
    done: true,
  }))
}

/** Sends the test, or prints it as a curl line. `of`: the payload or the sample. `byHand`: lets the user edit the payload first. */
const sendAndAnswer = async (
  asked: string,
  of: TestInput['of'],
  options: WebhookTestOptions & { readonly byHand?: EditByHand },
  cli: Cli,
): Promise<number> => {
  const { set = [], unset = [], wait = false, timeout = defaultTimeoutSeconds, expect } = options
  if (options.url?.includes('?') && options.query !== undefined) throw usage('--query: the address of --url has a query already')
  const privateKey = options.privateKey === undefined ? undefined : readKeyFile(options.privateKey)
  const finder = gatewayAt(cli.workspace)
  const test = await prepareTest(cli.workspace, finder, asked, { ...options, of, set, unset, privateKey })
  if (options.printCurl) {
    const curl = curlLine(test)
    return answer(cli, { kind: 'webhook.test', data: { request: requestData(test), curl }, text: `${curl}\n` })
  }
  const tested = await testRoute(cli.workspace, finder, test, { wait, timeoutMs: timeout * 1_000, expect })
  return answerTested(test, tested, { expect, timeout }, cli)
}

const readKeyFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usage(`--private-key: cannot read ${file}: ${messageOf(error)}`)
  }
}

type Expectation = { readonly expect: string | undefined; readonly timeout: number }

const answerTested = (test: PreparedTest, tested: TestedRoute, { expect, timeout }: Expectation, cli: Cli): number => {
  const { answer: got, known, isFollowed, isEnded, ok } = tested
  const isUnknown = tested.isLookedUp && got.outcome === undefined
  if (isUnknown || (isFollowed && !known)) note(cli, 'there is no record of it here: is the gateway one of another data directory?')
  else if (isFollowed && !isEnded) note(cli, `it has not ended within ${timeout} s`)
  if (expect !== undefined && !ok) note(cli, `expected ${printable(expect)}, got ${printable(endWord(tested))}`)
  const data = {
    request: requestData(test),
    response: { status: got.status, body: got.body, ms: got.ms },
    outcome: got.outcome ?? null,
    reason: got.reason ?? null,
    why: known?.event.reason ?? null,
    event_id: got.eventId ?? null,
    location: got.location ?? null,
    expected: expect ?? null,
    ended: isEnded,
    text: tested.text ?? null,
    final: isFollowed && known ? describeEvent(known) : null,
  }
  return answer(cli, { kind: 'webhook.test', data, text: testText(test, tested, cli), exitCode: ok ? exit.ok : exit.no })
}

const requestData = ({ url, scheme, event, id, body }: PreparedTest): JsonObject => ({
  url,
  scheme,
  event: event ?? null,
  delivery_id: id,
  bytes: Buffer.byteLength(body),
})

const testText = (
  { method, url, scheme, event, id, body }: PreparedTest,
  { answer: got, known, isFollowed, text }: TestedRoute,
  cli: Cli,
): string => {
  const type = event === undefined ? '' : `  event ${printable(event)}`
  const why = known?.event.reason
  const eventId = cli.quiet || got.eventId === undefined ? undefined : printable(got.eventId)
  const lines = [
    `--> ${method} ${printable(url)}  ${scheme}${type}  id ${printable(id)}  ${Buffer.byteLength(body)} bytes`,
    `<-- ${got.status} ${printable(got.summary)} ${got.ms} ms`,
    typeof got.body === 'string' ? printable(got.body) : jsonText(got.body),
    ...(got.location === undefined ? [] : [`location ${printable(got.location)}`]),
    ...(why === undefined ? [] : [`why      ${printable(why)}`]),
    ...(eventId === undefined ? [] : [`event    ${eventId}`]),
    ...(isFollowed && known ? [`end      ${endText(known)}`] : []),
    ...(text === undefined ? [] : [`text     ${text.length} characters`, ...quotedLines(text)]),
    ...(eventId === undefined ? [] : [`follow   ${cli.workspace.self} events show ${eventId}`]),
  ]
  return `${lines.join('\n')}\n`
}

/** Returns how the test ended, in the words of `--expect`: the state of its run, the outcome, or the status of the answer. */
const endWord = ({ answer: { outcome, status }, known, isFollowed }: TestedRoute): string => {
  if (isFollowed && known && known.state !== 'final') return known.state
  return known ? outcomeOf(known.event) : (outcome ?? String(status))
}

const endText = ({ event, state, attempt, error }: EventStatus): string => {
  const target = event.target === undefined ? '' : ` -> ${printable(event.target, 64)}`
  const attempts = attempt > 0 ? ` (${attempt} ${attempt === 1 ? 'attempt' : 'attempts'})` : ''
  const more = error !== undefined ? `: ${printable(error, 512)}` : event.silent ? ': the agent asked for nothing to be sent' : ''
  return `${state === 'final' ? event.outcome : state}${target}${attempts}${more}`
}
