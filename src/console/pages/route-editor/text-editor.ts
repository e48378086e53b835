/**
 * The text editor: CodeMirror in a shadow root. There CodeMirror sets its styles as style sheet objects. Outside of a shadow root it would
 * add style elements, which the content security policy stops.
 */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab, redo, undo } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import type { ConsoleAnswers } from '../../answers/answers.ts'
import { shown } from '../words.ts'
import { completeRoute, type EditorContext } from './complete.ts'
import { explainRoute } from './explain.ts'
import { theme } from './theme.ts'
import { typedOver } from './typed-over.ts'

export type Finding = ConsoleAnswers['routePreview']['findings'][number]

export type TextEditor = {
  text(): string
  /** Replaces the whole text by one change, which the user can undo. */
  replace(text: string): void
  show(findings: readonly Finding[]): void
  goTo(place: NonNullable<Finding['place']>): void
  undo(): void
  redo(): void
  close(): void
}

export type TextEditorOptions = {
  readonly label: string
  readonly text: string
  readonly isReadOnly: boolean
  readonly known: () => EditorContext
  readonly onChange: (text: string) => void
  readonly onSave: () => void
}

/** Opens an editor in the shadow root of an element, and makes the shadow root where there is none. */
export const openTextEditor = (
  parent: HTMLElement,
  { label, text, isReadOnly, known, onChange, onSave }: TextEditorOptions,
): TextEditor => {
  const save = (): true => {
    onSave()
    return true
  }
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightSpecialChars(),
        highlightActiveLine(),
        indentOnInput(),
        indentUnit.of('  '),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [completeRoute(known)], icons: false }),
        explainRoute(known),
        lintGutter(),
        search({ top: true }),
        highlightSelectionMatches(),
        yaml(),
        typedOver,
        theme,
        EditorView.lineWrapping,
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        keymap.of([
          { key: 'Mod-s', preventDefault: true, run: save },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString())
        }),
      ],
    }),
  })
  return {
    text: () => view.state.doc.toString(),
    replace: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next }, userEvent: 'input' }),
    show: (findings) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          findings.flatMap((finding) => diagnosticOf(view.state, finding)),
        ),
      ),
    goTo({ line, column }) {
      const at = offsetOf(view.state, line, column)
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
      view.focus()
    },
    undo: () => void undo(view),
    redo: () => void redo(view),
    close: () => view.destroy(),
  }
}

/**
 * Returns the offset of a line and column, from 1. Where the text has changed since they were found, returns the nearest offset that the
 * text has.
 */
const offsetOf = ({ doc }: EditorState, line: number, column: number): number => {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines))
  return Math.min(from + column - 1, to)
}

const diagnosticOf = (state: EditorState, { code, severity, message, help, place }: Finding): readonly Diagnostic[] => {
  if (!place || place.line > state.doc.lines) return []
  const from = offsetOf(state, place.line, place.column)
  const end = place.endLine === place.line ? offsetOf(state, place.endLine, place.endColumn) : state.doc.lineAt(from).to
  const text = [`${code} ${shown(message, 2_000)}`, help === null ? '' : shown(help, 2_000)].filter(Boolean).join('\n')
  return [{ from, to: Math.max(end, from), severity, message: text }]
}
