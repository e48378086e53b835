/**
 * Prepares the text of comments on code hosts: commands, mentions and images are broken, unless the settings allow them, and each comment
 * ends with a mark. By the mark, a later attempt can find the comment, and the gateway ignores the event about the comment.
 */

import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import { markChars } from '../../own-comment.ts'
import { isOn, textSetting } from '../delivery/settings.ts'
import type { Outgoing } from '../target.ts'
import { withoutImages } from './images.ts'

const gapBeforeMark = '\n\n'
const cutMark = '\n\n[cut: the text was longer than a comment may be]'
/** A zero-width space: readers do not see it, no parser takes it for a blank, and no host removes it. */
const breaker = '\u200b'

// A bot reads `/word` at the start of a line as a command. Only blanks, quote marks and invisible characters may stand before the slash.
const command = /^(?:(?![\n\r\u2028\u2029])[\s\p{C}>])*\/(?=\p{L})/gmu
// A host searches for mentions in the rendered text, where `&#64;` is an @ too. An @ after a letter or digit is part of an e-mail address.
const mention = /(?<![A-Za-z0-9])(?:@|&#0{0,9}64;|&#x0{0,9}40;|&commat;)(?=[\w.&\\])/gi

/** Returns a value of `deliver_extra` that is a part of a comment's address, as text: empty for all but texts and numbers. Blanks stay. */
export const addressPartText = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Breaks every command to a bot and every mention in a text by an invisible character (rules: Outgoing texts 4). */
const withoutOrders = (text: string): string => text.replace(command, `$&${breaker}`).replace(mention, `$&${breaker}`)

/** Breaks commands, mentions and images in a text, unless the platform's settings `mentions` and `images` allow them. */
export const withoutOrdersAndImages = (text: string, settings: JsonObject): string => {
  const still = isOn(textSetting(settings, 'mentions')) ? text : withoutOrders(text)
  return isOn(textSetting(settings, 'images')) ? still : withoutImages(still)
}

/** Makes the body of a comment, at most `maxChars` UTF-16 units: the text, cut where necessary, and at its end the mark from `markOf`. */
export const commentOf = (text: string, maxChars: number, markOf: (text: string) => string): string => {
  // Writing the text as UTF-8 and reading it again replaces lone surrogates, which the APIs refuse.
  const whole = Buffer.from(text).toString()
  const available = maxChars - gapBeforeMark.length - markChars
  const body = whole.length <= available ? whole : cut(whole, available - cutMark.length) + cutMark
  return body + gapBeforeMark + markOf(body)
}

/**
 * Makes the 16 hexadecimal digits that stand for one delivery in the mark of its comment. `where`: the issue or request that the comment
 * goes to. The digits are a digest, so that readers of a comment learn nothing about the delivery.
 */
export const deliveryDigest = ({ profile, route, job, deliveryId, position }: Outgoing, where: string): string => {
  const identity = JSON.stringify([profile, route, job ?? '', deliveryId, position, where])
  return createHash('sha256').update(identity).digest('hex').slice(0, 16)
}
