/** The behaviour of a line of text to fill in. Enter gives the text to the screen below, unless something is wrong with it. */

import { routeNamePattern } from '../../../core/names.ts'
import type { EntryScreen } from '../../model/overlays.ts'
import { screenModel, warned } from '../../model/screen.ts'
import { editField, typeInto } from '../../model/text-field.ts'

export const entryModel = screenModel<EntryScreen>({
  title: ({ title }) => title,
  enter: () => 'take',
  actions: () => ['open', 'back'],
  takes: () => 'text',
  type: (screen, text) => ({ screen: { ...screen, field: typeInto(screen.field, text) } }),
  press: (screen, key) => ({ screen: { ...screen, field: editField(screen.field, key) } }),
  onAction(screen, action) {
    const { id, field } = screen
    if (action !== 'open') return { go: { back: true } }
    const wrong = complaint(screen)
    return wrong === undefined ? { go: { back: true, returns: { id, value: field.text } } } : warned(wrong)
  },
})

/** Says what is wrong with the text as it is now; `undefined` if nothing is wrong. */
export const complaint = ({ form, taken = [], field: { text } }: EntryScreen): string | undefined => {
  const written = text.trim()
  if (form === 'number') return written === '' || !Number.isFinite(Number(written)) ? 'a number is needed' : undefined
  if (form === 'text') return undefined
  if (written === '') return 'a name is needed'
  if (!routeNamePattern.test(written))
    return `"${written}" cannot be a name: letters, digits, dot, underscore and hyphen, the first a letter or digit; at most 64`
  return taken.includes(written) ? `there is a route "${written}" already` : undefined
}
