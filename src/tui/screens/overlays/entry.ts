/** One line of text to fill in. */

import type { EntryScreen } from '../../model/overlays.ts'
import { screenModel } from '../../model/screen.ts'
import { editField, typeInto } from '../../model/text-field.ts'
import { fieldView } from '../../view/field-view.ts'
import { line, span, wrap } from '../../view/line.ts'
import { screenView } from '../../view/screen-view.ts'

export const entryModel = screenModel<EntryScreen>({
  title: ({ title }) => title,
  enter: 'take',
  actions: () => ['open', 'back'],
  takes: () => 'text',
  type: (screen, text) => ({ screen: { ...screen, field: typeInto(screen.field, text) } }),
  press: (screen, key) => ({ screen: { ...screen, field: editField(screen.field, key) } }),
  act(screen, action) {
    const { id, field } = screen
    if (action !== 'open') return { go: { back: true } }
    return complaint(screen) === undefined ? { go: { back: true, returns: { id, value: field.text } } } : {}
  },
})

/** What is wrong with the text as it is. */
const complaint = ({ form, field: { text } }: EntryScreen): string | undefined =>
  form === 'number' && (text.trim() === '' || !Number.isFinite(Number(text))) ? 'a number is needed' : undefined

export const entryView = screenView<EntryScreen>((screen, _world, { width }) => {
  const wrong = complaint(screen)
  return [
    line(span('> ', 'accent'), ...fieldView(screen.field, width - 4, screen.isSecret)),
    [],
    ...(wrong === undefined ? [] : [line(span(`! ${wrong}`, 'warn'))]),
    ...wrap(screen.help ?? '', width).map((text) => line(span(text, 'dim'))),
  ]
})
