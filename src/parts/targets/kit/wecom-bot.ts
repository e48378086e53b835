/**
 * Sends messages as a WeCom AI bot through a WebSocket. Messages of the same bot are sent one after another, because a bot may have only
 * one connection.
 */

import { randomUUID } from 'node:crypto'
import WebSocket from 'ws'
import { systemClock } from '../../../core/clock.ts'
import { isObject, type Json, type JsonObject, own, parseObject } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { within } from '../../../core/turns/within.ts'
import { allAnswerTexts } from '../delivery/api.ts'
import type { Keep, Sent } from '../target.ts'

/** A message, and the bot that sends it. */
export type BotMessage = {
  readonly url: string
  readonly botId: string
  readonly secret: string
  /** The id of a person or of a group. */
  readonly chat: string
  readonly markdown: string
  readonly timeoutMs: number
  readonly keep: Keep
  /** Makes the result of an answer with a code other than 0. */
  readonly refused: (code: Json | undefined, why: string) => Sent
}

const maxFrameBytes = 64 * 1024
const closeMs = 1_000

/** Sends one message within `timeoutMs`, the wait for other messages of the bot included. Never rejects. */
export const pushByBot = async (message: BotMessage): Promise<Sent> => {
  const { timeoutMs, url, botId, keep } = message
  const deadline = performance.now() + timeoutMs
  const endTurn = await takeTurn(keep.of(createTurns), JSON.stringify([url, botId]), timeoutMs)
  if (endTurn === undefined)
    return { ok: false, why: 'no time left: other messages of this bot are on their way', repeatable: true, receiver: 'unknown' }
  try {
    return await subscribeAndSend(message, Math.max(1, deadline - performance.now()))
  } catch {
    return { ok: false, why: 'its address is not one of a WebSocket', repeatable: false }
  } finally {
    endTurn()
  }
}

/** For each bot, a promise that resolves at the end of the last turn. A turn is the time in which one message has the bot's connection. */
type Turns = Map<string, Promise<void>>
const createTurns = (): Turns => new Map()

/** Waits for a turn, and returns the function that ends it; `undefined` when the turn did not come in time. */
const takeTurn = async (turns: Turns, bot: string, timeoutMs: number): Promise<(() => void) | undefined> => {
  const before = turns.get(bot)
  let endTurn = (): void => {}
  const ended = new Promise<void>((resolve) => {
    endTurn = resolve
  })
  const allEnded = Promise.resolve(before).then(() => ended)
  turns.set(bot, allEnded)
  void allEnded.then(() => turns.get(bot) === allEnded && turns.delete(bot))
  if (before === undefined) return endTurn
  const isFree = before.then(() => true)
  if (await within(isFree, timeoutMs, systemClock, () => false)) return endTurn
  // The wait for the turn was too long, so this message will not be sent. Its turn ends at once, so that later messages need not wait for
  // it.
  endTurn()
  return undefined
}

/** Connects, subscribes as the bot, then sends the message. The server's answers have the id of the request that they answer. */
const subscribeAndSend = ({ url, botId, secret, chat, markdown, refused }: BotMessage, timeoutMs: number): Promise<Sent> =>
  new Promise((resolve) => {
    const options = { maxPayload: maxFrameBytes, perMessageDeflate: false, handshakeTimeout: timeoutMs, closeTimeout: closeMs }
    const socket = new WebSocket(url, options)
    const [subscribing, sending] = [randomUUID(), randomUUID()]
    let begun = false
    const end = (sent: Sent): void => {
      cancel()
      resolve(sent)
      socket.close()
    }
    // `begun`: the message was on its way, so it may have arrived.
    const fail = (why: string): void => end({ ok: false, why, repeatable: !begun, receiver: 'down' })
    const cancel = systemClock.after(timeoutMs, () => fail('no answer in time'))
    const say = (cmd: string, id: string, body: JsonObject): void => socket.send(JSON.stringify({ cmd, headers: { req_id: id }, body }))

    let wasOpen = false
    socket.on('open', () => {
      wasOpen = true
      say('aibot_subscribe', subscribing, { bot_id: botId, secret })
    })
    socket.on('message', (data) => {
      const frame = parseObject(String(data)) ?? {}
      const id = isObject(frame.headers) ? own(frame.headers, 'req_id') : undefined
      if (id !== subscribing && id !== sending) return
      const code = own(frame, 'errcode')
      if (code !== 0) return end(refused(code, allAnswerTexts(frame, 'errcode', 'errmsg') ?? 'an answer without a code'))
      if (id === sending) return end({ ok: true })
      begun = true
      say('aibot_send_msg', sending, { chatid: chat, msgtype: 'markdown', markdown: { content: markdown } })
    })
    // This listener stays on, because an error event without a listener would end the process.
    socket.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : printable(error.message, 100)
      fail(`${wasOpen ? 'the connection broke off' : 'no connection'} (${code})`)
    })
    socket.on('close', () => fail('the connection was closed'))
  })
