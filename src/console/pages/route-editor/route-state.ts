/** Asks for the preview of a route, and keeps its draft, while the user edits its text. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { ConsoleQuestions } from '../../../generated/console.ts'
import type { ConsoleAnswers } from '../../answers/answers.ts'
import { ask, may, type NoAnswer } from '../ask.ts'
import { asNoAnswer } from '../parts.tsx'

/** An edited route, as the questions about it name the route and its text. */
export type EditedRoute = ConsoleQuestions['keepDraft']
export type Opened = ConsoleAnswers['routeText']
export type PagePreview = ConsoleAnswers['routePreview']
export type PreviewPayload = NonNullable<ConsoleQuestions['routePreview']['payload']>

export const editedRoute = ({ name, source, is_new, from }: Opened, to: string): EditedRoute => ({ name, source, is_new, from, to })

/** The time without a further change after which the text is previewed, and after which it is kept as a draft, in milliseconds. */
const previewMs = 200
const keepMs = 600

/** Returns the latest preview. `isOld`: whether the text or the payload has changed since the preview. */
export const usePreview = (
  edited: EditedRoute | undefined,
  payload: PreviewPayload | undefined,
): { readonly preview?: PagePreview; readonly failure?: NoAnswer; readonly isOld: boolean } => {
  const key = JSON.stringify([edited, payload])
  const [known, setKnown] = useState<{ readonly key: string; readonly preview?: PagePreview; readonly failure?: NoAnswer }>({ key: '' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the text and the payload
  useEffect(() => {
    if (!edited) return
    const aborter = new AbortController()
    const timer = setTimeout(() => {
      ask('routePreview', { ...edited, ...(payload ? { payload } : {}) }, aborter.signal).then(
        (preview) => aborter.signal.aborted || setKnown({ key, preview }),
        (error) => aborter.signal.aborted || setKnown((before) => ({ ...before, key, failure: asNoAnswer(error) })),
      )
    }, previewMs)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [key])
  return { ...known, isOld: known.key !== key }
}

/**
 * Keeps the text as a draft soon after each change, so that a closed page loses only the latest change. Returns the failure where the draft
 * could not be kept.
 */
export const useKeptDraft = (edited: EditedRoute | undefined): NoAnswer | undefined => {
  const [failure, setFailure] = useState<NoAnswer>()
  const last = useRef<string | undefined>(undefined)
  const key = edited && JSON.stringify(edited)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the text
  useEffect(() => {
    if (!edited || !may('operate')) return
    // The first text needs no keeping: it comes from the file, from a kept draft, or from another route or a payload.
    if (last.current === undefined) last.current = key
    if (last.current === key) return
    const timer = setTimeout(() => {
      last.current = key
      ask('keepDraft', edited).then(
        () => setFailure(undefined),
        (error) => setFailure(asNoAnswer(error)),
      )
    }, keepMs)
    return () => clearTimeout(timer)
  }, [key])
  return failure
}
