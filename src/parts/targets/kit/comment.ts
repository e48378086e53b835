/** What comments on code hosts share: their text, which neither commands a bot nor calls people nor loads images, and a hidden mark to know one again. */

import { createHash } from 'node:crypto'
import type { Json, JsonObject } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import type { Outgoing } from '../target.ts'
import { withoutImages } from './images.ts'
import { isOn, textSetting } from './settings.ts'

const cutMark = '\n\n[cut: the text was longer than a comment may be]'
/** A character that cannot be seen, that no parser takes for a blank, and that no host removes. */
const gap = '\u200b'

// A slash with a word after it, first on its line but for blanks, quote marks and what cannot be seen.
const command = /^(?:(?![\n\r\u2028\u2029])[\s\p{C}>])*\/(?=\p{L})/gmu
// Hosts look for mentions in the rendered text: a written-out `&#64;` is an @ to them too. After a letter or digit it is an address.
const mention = /(?<![A-Za-z0-9])(?:@|&#0{0,9}64;|&#x0{0,9}40;|&commat;)(?=[\w.&\\])/gi

/** A part of the place that a comment goes to, untrimmed; empty when it is no text. */
export const textOf = (value: Json | undefined): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

/** No line is a command to a bot, and nobody is mentioned (rules: Outgoing texts 4). */
const withoutOrders = (text: string): string => text.replace(command, `$&${gap}`).replace(mention, `$&${gap}`)

/** A text as harmless as the platform's settings `mentions` and `images` want it. */
export const harmless = (text: string, settings: JsonObject): string => {
  const still = isOn(textSetting(settings, 'mentions')) ? text : withoutOrders(text)
  return isOn(textSetting(settings, 'images')) ? still : withoutImages(still)
}

/** A text as a comment of at most so many UTF-16 units, with `mark` at its end. */
export const commentOf = (text: string, maxChars: number, mark = ''): string => {
  // Encoding and back replaces lone surrogates, which the APIs refuse.
  const body = Buffer.from(text).toString()
  const room = maxChars - mark.length
  return (body.length <= room ? body : cut(body, room - cutMark.length) + cutMark) + mark
}

/** An HTML comment that only the same delivery to the same place has: a digest, which tells nothing of what it is made of. */
export const markOf = ({ profile, route, job, deliveryId, place }: Outgoing, where: string): string => {
  const identity = JSON.stringify([profile, route, job ?? '', deliveryId, place, where])
  return `<!-- headgate:${createHash('sha256').update(identity).digest('hex').slice(0, 40)} -->`
}
