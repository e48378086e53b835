/** Makes a chat target from a description: settings, address, splitting, order, waits and redaction are shared, `post` is its own. */

import { createHash } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { own } from '../../../core/json.ts'
import { createRedactor } from '../../../core/secrets/redact.ts'
import { type ApiAnswer, type ApiRequest, callApi } from '../../delivery/api.ts'
import { permanentFailure } from '../../delivery/permanent-failure.ts'
import { obstacleOf, platformOf, settingSecrets, settingsIn, textSetting, wrongAddress } from '../../delivery/settings.ts'
import type { Keep, KeySchemas, Outgoing, Sent, TargetKit, TargetPart, TargetSchema } from '../target.ts'
import { type Address, type AddressSpec, addressOf, addressText, checkAddress, unaddressed } from './chat-address.ts'
import { apiBase } from './keys.ts'
import { postWithWaits } from './post-with-waits.ts'
import { type Limit, splitText } from './split.ts'

/** One message on its way to one chat. */
export type Posting = {
  readonly text: string
  readonly chat: string
  /** `message_thread_id`, else `thread_id`. */
  readonly thread: string | undefined
  /** A key of `deliver_extra`, as text. */
  readonly extra: (key: string) => string | undefined
  readonly setting: (key: string) => string | undefined
  /** Calls the platform within the time that is left. */
  readonly call: (request: ApiRequest) => Promise<ApiAnswer>
  /** How long one call may take now, in milliseconds. */
  readonly leftMs: () => number
  /** The number of this message among the messages of the text, from 1. */
  readonly part: number
  readonly parts: number
  /** 32 bytes that identify this message of this delivery: a repeat has the same key, and no other message has. */
  readonly key: Buffer
  readonly clock: Clock
  readonly keep: Keep
}

export type ChatSpec = AddressSpec & {
  readonly title: string
  /** What the platform is called in the description of its settings. When absent, it is called as the target is. */
  readonly platformTitle?: string
  readonly aliases?: readonly string[]
  /** The keys under `platforms.<name>`. Every chat target has `api_base` too. */
  readonly settings: KeySchemas
  readonly needs: readonly (readonly string[])[]
  /** The longest message. A function is for a limit that depends on the settings. */
  readonly limit: Limit | ((given: Pick<Posting, 'setting' | 'extra'>) => Limit)
  /** Whether posting the same `key` again cannot post twice. A function is for an answer that depends on the settings. */
  readonly idempotent: boolean | ((posting: Posting) => boolean)
  /** Makes a stranger's text harmless. The result may be longer, so `escape` is called before the text is split. */
  readonly escape?: (text: string, given: Pick<Posting, 'setting'>) => string
  /** How many seconds one call may take. */
  readonly callSeconds?: number
  readonly post: (posting: Posting) => Promise<Sent>
}

const defaultCallMs = 15_000

export const defineChat = (spec: ChatSpec): TargetPart => {
  const { name, title, platformTitle = title, aliases, platform, needs, idempotent } = spec
  const schema: TargetSchema = {
    settings: { description: `Settings of ${platformTitle}.`, properties: { ...spec.settings, api_base: apiBase } },
    deliver_extra: { properties: spec.extra },
  }
  const settings = settingsIn(schema)
  const part: TargetPart = {
    name,
    title,
    ...(aliases === undefined ? {} : { aliases }),
    ...(platform === undefined ? {} : { platform }),
    schema,
    settings,
    needs,
    repeatable: idempotent === true,
    unaddressed: (extra, given) => unaddressed(spec, extra, given),
    chat(extra, given) {
      const address = addressOf(spec, extra, given)
      if ('problem' in address) return undefined
      return { chat: address.chat, ...(address.thread === undefined ? {} : { thread: address.thread }) }
    },
    check(extra, report) {
      checkAddress(spec, extra, (key, problem) => report('WH707', [key], problem))
    },
    async send(outgoing, kit) {
      const redact = createRedactor(settingSecrets(settings, kit.settings))
      const sent = await deliver(spec, part, outgoing, kit)
      return sent.ok ? sent : { ...sent, why: redact(sent.why) }
    },
  }
  return part
}

const deliver = async (spec: ChatSpec, part: TargetPart, outgoing: Outgoing, kit: TargetKit): Promise<Sent> => {
  const obstacle = obstacleOf(part, kit.settings)
  if (obstacle !== undefined) return permanentFailure(obstacle)
  const wrong = wrongAddress(kit.settings)
  if (wrong !== undefined) return permanentFailure(`platforms.${platformOf(part)}.${wrong} is not a web address`)
  const { extra } = outgoing.delivery
  const address = addressOf(spec, extra, kit.settings)
  if ('problem' in address) return permanentFailure(address.problem)
  const given = { setting: (key: string) => textSetting(kit.settings, key), extra: (key: string) => addressText(own(extra, key)) }
  const limit = typeof spec.limit === 'function' ? spec.limit(given) : spec.limit
  const texts = splitText(spec.escape?.(outgoing.text, given) ?? outgoing.text, limit)
  if (texts.length === 0) return permanentFailure('the text is empty')
  const deadline = kit.clock.monotonic() + outgoing.budgetMs
  for (const [i, text] of texts.entries()) {
    const posting = postingOf({ spec, outgoing, kit, given, deadline, address, text, part: i + 1, parts: texts.length })
    // We wait when the platform says "not now", also between messages, because the messages before this one are already posted.
    const sent = await postWithWaits(() => spec.post(posting), kit.clock, deadline)
    if (sent.ok) continue
    if (i === 0) return sent
    // A repeat would post the messages before this one again, so it is allowed only when they cannot be posted twice.
    return {
      ...sent,
      why: `${i} of ${texts.length} messages sent: ${sent.why}`,
      repeatable: sent.repeatable && isIdempotent(spec, posting),
    }
  }
  return { ok: true, detail: texts.length === 1 ? `to ${address.shown}` : `${texts.length} messages to ${address.shown}` }
}

const isIdempotent = ({ idempotent }: ChatSpec, posting: Posting): boolean =>
  typeof idempotent === 'function' ? idempotent(posting) : idempotent

type Message = {
  readonly spec: ChatSpec
  readonly outgoing: Outgoing
  readonly kit: TargetKit
  readonly given: Pick<Posting, 'setting' | 'extra'>
  readonly deadline: number
  readonly address: Address
  readonly text: string
  readonly part: number
  readonly parts: number
}

const postingOf = ({ spec, outgoing, kit, given, deadline, address, text, part, parts }: Message): Posting => {
  const { profile, route, job, deliveryId, position } = outgoing
  const identity = JSON.stringify([profile, route, job ?? '', deliveryId, position, spec.name, address.chat, address.thread ?? '', part])
  const maxCallMs = spec.callSeconds === undefined ? defaultCallMs : spec.callSeconds * 1000
  const leftMs = (): number => Math.min(maxCallMs, deadline - kit.clock.monotonic())
  return {
    ...given,
    text,
    chat: address.chat,
    thread: address.thread,
    call: (request) => callApi(request, leftMs(), kit.clock.now),
    leftMs,
    part,
    parts,
    key: createHash('sha256').update(identity).digest(),
    clock: kit.clock,
    keep: kit.keep,
  }
}

/** The address of an API, without a slash at its end: `api_base`, or else the official address. */
export const baseOf = (posting: Pick<Posting, 'setting'>, official: string): string =>
  (posting.setting('api_base') ?? official).replace(/\/+$/, '')

/** A UUID made from a key, for APIs that require a UUID. */
export const uuidOf = (key: Buffer): string => {
  const hex = key.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
