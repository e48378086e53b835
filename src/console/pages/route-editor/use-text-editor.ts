/** Opens the text editor in a screen, and offers the editor's actions in the palette under the names of the terminal editor. */

import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type ActionName, actionMeaning } from '../../../edit/actions.ts'
import { type ScreenAction, screenActions } from '../palette.tsx'
import { openTextEditor, type TextEditor, type TextEditorOptions } from './text-editor.ts'

/** Returns the element in which the editor opens, and the editor, which is `undefined` until the element is drawn. */
export const useTextEditor = (
  options: TextEditorOptions,
): { readonly host: RefObject<HTMLDivElement | null>; readonly editor: { readonly current: TextEditor | undefined } } => {
  const editor = useRef<TextEditor | undefined>(undefined)
  const host = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is opened once, and has the text from then on
  useEffect(() => {
    if (!host.current) return
    const opened = openTextEditor(host.current, options)
    editor.current = opened
    return () => opened.close()
  }, [])
  return { host, editor }
}

/** Offers the actions in the palette while the screen is open. */
export const usePaletteActions = (actions: { readonly [name in ActionName]?: (() => void) | undefined }): void => {
  useEffect(() => {
    screenActions.value = Object.entries(actions).flatMap(([name, run]): ScreenAction[] =>
      run ? [{ name: actionMeaning(name as ActionName).title, run }] : [],
    )
    return () => {
      screenActions.value = []
    }
  })
}
