/** Makes the text of comments on code hosts harmless, and marks each comment so that a later attempt can find it. */

import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import { isOn, textSetting } from '../../delivery/settings.ts'
import { markChars } from '../../own-comment.ts'
import type { Outgoing } from '../target.ts'
import { withoutImages } from './images.ts'

const gapBefore = '\n\n'
const cutMark = '\n\n[cut: the text was longer than a comment may be]'
/** A zero-width space: readers do not see it, no parser takes it for a blank, and no host removes it. */
const gap = '\u200b'

// A bot reads `/word` at the start of a line as a command. Only blanks, quote marks and invisible characters may stand before the slash.
const command = /^(?:(?![\n\r\u2028\u2029])[\s\p{C}>])*\/(?=\p{L})/gmu
// A host looks for mentions in the rendered text, where `&#64;` is an @ too. An @ after a letter or digit is part of an e-mail address.
const mention = /(?<![A-Za-z0-9])(?:@|&#0{0,9}64;|&#x0{0,9}40;|&commat;)(?=[\w.&\\])/gi

/** One part of a comment's address, untrimmed. A value that is neither text nor number gives an empty text. */
export const addressPartText = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** The text with every command to a bot and every mention broken (rules: Outgoing texts 4). */
const withoutOrders = (text: string): string => text.replace(command, `$&${gap}`).replace(mention, `$&${gap}`)

/** The text made harmless, except for what the platform's settings `mentions` and `images` allow. */
export const harmless = (text: string, settings: JsonObject): string => {
  const still = isOn(textSetting(settings, 'mentions')) ? text : withoutOrders(text)
  return isOn(textSetting(settings, 'images')) ? still : withoutImages(still)
}

/** The text cut to a comment of at most `maxChars` UTF-16 units, with its mark at its end. */
export const commentOf = (text: string, maxChars: number, markOf: (text: string) => string): string => {
  // Encoding and decoding replaces lone surrogates, which the APIs refuse.
  const whole = Buffer.from(text).toString()
  const room = maxChars - gapBefore.length - markChars
  const body = whole.length <= room ? whole : cut(whole, room - cutMark.length) + cutMark
  return body + gapBefore + markOf(body)
}

/** Stands for one delivery to one place in its mark: a digest, so that readers learn nothing about the delivery. */
export const deliveryDigest = ({ profile, route, job, deliveryId, position }: Outgoing, where: string): string => {
  const identity = JSON.stringify([profile, route, job ?? '', deliveryId, position, where])
  return createHash('sha256').update(identity).digest('hex').slice(0, 16)
}
