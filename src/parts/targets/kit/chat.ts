/**
 * Makes a target for a chat platform from its description (`ChatSpec`). All chat targets read settings and addresses, split a text into
 * messages, send them in order, wait, and redact in the same way. The platform's own functions check ids, break what would act in a text,
 * and send one message (`post`).
 */

import { createHash } from 'node:crypto'
import type { Clock } from '../../../core/clock.ts'
import { type JsonObject, own } from '../../../core/json.ts'
import { createRedactor } from '../../../secrets/redact.ts'
import { type ApiAnswer, type ApiRequest, callApi } from '../delivery/api.ts'
import { obstacleOf, settingSecrets, settingsIn, textSetting } from '../delivery/settings.ts'
import {
  type Keep,
  type KeySchemas,
  type Outgoing,
  permanentFailure,
  type Sent,
  type SettingForm,
  type TargetKit,
  type TargetPart,
  type TargetSchema,
} from '../target.ts'
import { type Address, type AddressSpec, addressText, chatAddressIn, checkChatAddress, unaddressed } from './chat-address.ts'
import { apiBase } from './keys.ts'
import { postWithWaits } from './post-with-waits.ts'
import { type Limit, splitText } from './split.ts'

export type Posting = {
  readonly text: string
  readonly chat: string
  /** The text of `message_thread_id`, else of `thread_id`. */
  readonly thread: string | undefined
  readonly extra: (key: string) => string | undefined
  readonly setting: (key: string) => string | undefined
  /** Calls the platform, for at most `leftMs()`. */
  readonly call: (request: ApiRequest) => Promise<ApiAnswer>
  /** Returns how long one call may take now, in milliseconds. */
  readonly leftMs: () => number
  /** The number of this message among the messages of the text, from 1. */
  readonly part: number
  readonly parts: number
  /** 32 bytes that identify this message of this delivery: a repeat has the same key, and any other message has another key. */
  readonly key: Buffer
  readonly clock: Clock
  readonly keep: Keep
}

export type ChatSpec = AddressSpec & {
  readonly title: string
  /** What the platform is called in the description of its settings. When absent, the platform has the title of the target. */
  readonly platformTitle?: string
  readonly aliases?: readonly string[]
  /** The keys under `platforms.<name>`. Every chat target has `api_base` too. */
  readonly settings: KeySchemas
  /** Lists of settings: the target is connected when every setting of one list is there. */
  readonly needs: readonly (readonly string[])[]
  /** Forms of settings, by key (`TargetPart.forms`). */
  readonly forms?: { readonly [key: string]: SettingForm }
  /** The longest message. A function is for a limit that depends on the settings or on `deliver_extra`. */
  readonly limit: Limit | ((given: Pick<Posting, 'setting' | 'extra'>) => Limit)
  /** Whether posting the same `key` again cannot post twice. A function is for an answer that depends on the message or the settings. */
  readonly idempotent: boolean | ((posting: Posting) => boolean)
  /** Breaks mentions, images and the like in a text. The result may be longer, so `escape` is called before the text is split. */
  readonly escape?: (text: string, given: Pick<Posting, 'setting'>) => string
  /** How many seconds one call may take. Absent: 15. */
  readonly callSeconds?: number
  /**
   * Says why a message to this chat cannot be sent with these settings, beside the forms of ids, which `checkChat` and `checkThread` know.
   * The function is called before any request to the platform, and before the agent is asked whose reply would be the message.
   */
  readonly refuses?: (given: Pick<Posting, 'chat' | 'thread' | 'extra' | 'setting'>) => string | undefined
  /** Sends one message, and says what became of it. */
  readonly post: (posting: Posting) => Promise<Sent>
}

const defaultCallMs = 15_000

export const defineChat = (spec: ChatSpec): TargetPart => {
  const { name, title, platformTitle = title, aliases, platform, needs, forms, idempotent } = spec
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
    ...(forms === undefined ? {} : { forms }),
    repeatable: idempotent === true,
    unaddressed: (extra, given) => unaddressed(spec, extra, given),
    undeliverable(extra, given) {
      const goal = goalOf(spec, part, extra, given)
      return 'problem' in goal ? goal.problem : undefined
    },
    chat(extra, given) {
      const address = chatAddressIn(spec, extra, given)
      if ('problem' in address) return undefined
      return { chat: address.chat, ...(address.thread === undefined ? {} : { thread: address.thread }) }
    },
    check(extra, report) {
      checkChatAddress(spec, extra, (key, problem) =>
        report(
          'WH707',
          [key],
          problem,
          'write the address as docs/targets.md has it for this target, or leave it out for the home channel',
        ),
      )
    },
    async send(outgoing, kit) {
      const redact = createRedactor(settingSecrets(settings, kit.settings))
      const sent = await deliver(spec, part, outgoing, kit)
      return sent.ok ? sent : { ...sent, why: redact(sent.why) }
    },
  }
  return part
}

type FilledSettings = Pick<Posting, 'extra' | 'setting'>
type Goal = { readonly address: Address; readonly given: FilledSettings }

/** Returns where a text with these filled-in settings goes, or why it goes nowhere. */
const goalOf = (spec: ChatSpec, part: TargetPart, extra: JsonObject, settings: JsonObject): Goal | { readonly problem: string } => {
  const obstacle = obstacleOf(part, settings)
  if (obstacle !== undefined) return { problem: obstacle }
  const address = chatAddressIn(spec, extra, settings)
  if ('problem' in address) return address
  const given: FilledSettings = { setting: (key) => textSetting(settings, key), extra: (key) => addressText(own(extra, key)) }
  const problem = spec.refuses?.({ ...given, ...address })
  return problem === undefined ? { address, given } : { problem }
}

/** Sends one text as one or several messages, in order. The first message that fails ends the delivery. */
const deliver = async (spec: ChatSpec, part: TargetPart, outgoing: Outgoing, kit: TargetKit): Promise<Sent> => {
  const goal = goalOf(spec, part, outgoing.delivery.extra, kit.settings)
  if ('problem' in goal) return permanentFailure(goal.problem)
  const { address, given } = goal
  const limit = typeof spec.limit === 'function' ? spec.limit(given) : spec.limit
  const texts = splitText(spec.escape?.(outgoing.text, given) ?? outgoing.text, limit)
  if (texts.length === 0) return permanentFailure('the text is empty')
  const deadline = kit.clock.monotonic() + outgoing.budgetMs
  for (const [i, text] of texts.entries()) {
    const posting = postingOf({ spec, outgoing, kit, given, deadline, address, text, part: i + 1, parts: texts.length })
    // A wait that the platform asks for is waited out here: a later attempt would post the earlier messages of this text again.
    const sent = await postWithWaits(() => spec.post(posting), kit.clock, deadline, outgoing.postponed)
    if (sent.ok) continue
    if (i === 0) return sent
    // Another attempt begins at the first message again. So it is allowed only where the platform recognises a message that it has.
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

/** What the posting of one message is made from. `deadline`: the monotonic time at which the delivery must have ended. */
type PostingSource = {
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

/** Makes the posting of one message, with its key and the time that it may take. */
const postingOf = ({ spec, outgoing, kit, given, deadline, address, text, part, parts }: PostingSource): Posting => {
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

/** Returns the web address of an API, without a slash at its end: the setting `api_base`, or else the official address. */
export const apiBaseOf = (posting: Pick<Posting, 'setting'>, official: string): string =>
  (posting.setting('api_base') ?? official).replace(/\/+$/, '')

/** Makes a UUID from the key of a posting, for APIs that require a UUID. The same key gives the same UUID. */
export const uuidOf = (key: Buffer): string => {
  const hex = key.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
