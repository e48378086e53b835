/** Puts a message, such as an answer of the editor service, into the state that all screens share. */

import type { Message, World } from './screen.ts'

/** The most UTF-16 units of a text that are put on the clipboard: terminals refuse longer texts. */
export const maxCopiedUnits = 75_000

/** Returns the parts of the state that a message changes. A payload for another route, or an outdated preview, changes nothing. */
export const worldAfter = (message: Message, { draft, revision }: World): Partial<World> => {
  switch (message.type) {
    case 'home':
      return { home: message.answer }
    case 'copied':
      return {
        notice: message.isCut
          ? { tone: 'warn', text: `only its first ${maxCopiedUnits} characters are copied: terminals take no more` }
          : { tone: 'ok', text: 'copied' },
      }
    case 'payload':
      return message.of.route === draft?.opened.name ? { payload: message.answer } : {}
    case 'preview':
      return message.answer.revision === revision ? { preview: message.answer } : {}
    case 'failed':
      return { notice: { tone: 'bad', text: [message.message, message.hint].filter(Boolean).join(': ') } }
    default:
      return {}
  }
}
