/**
 * Replaces the selected text by the text that the user types. The browser would give the typed text the style of the replaced text as an
 * inline style, which the content security policy stops.
 */

import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

export const typedOver: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main
    const text = event.data
    if (event.inputType !== 'insertText' || text === null || empty || view.composing || view.state.readOnly) return false
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true })
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))
    if (!isHandled) view.dispatch(insert())
    event.preventDefault()
    return true
  },
})
