/** The places of the parts of the prompt screen: the template, the paths that are offered, and the expansion (the filled-in template). */

import type { PayloadValue } from '../../../edit/service.ts'
import type { ListArea } from '../../model/list.ts'
import { barWidth, type Room } from '../../model/room.ts'
import type { TextField } from '../../model/text-field.ts'

/** The least width at which the expansion stands beside the template. */
const wideFrom = 90
const maxOfferedPaths = 8

export type PromptLayout = {
  readonly isWide: boolean
  readonly text: Room
  /** The list of paths, right below the last line of the template that is shown. */
  readonly paths: ListArea
  readonly expansion: Room
}

type PromptState = {
  readonly field: TextField
  readonly cursor: number
  readonly completion?: { readonly rows: readonly PayloadValue[] } | undefined
}

export const promptLayout = ({ field, completion, cursor }: PromptState, { width, height }: Room): PromptLayout => {
  const isWide = width >= wideFrom
  const left = isWide ? Math.floor(width / 2) - 2 : width
  const editor = isWide ? height : Math.ceil(height / 2)
  const length = completion?.rows.length ?? 0
  const shown = Math.min(length, maxOfferedPaths, Math.max(0, editor - 4))
  const text = { width: left, height: editor - shown }
  return {
    isWide,
    text,
    paths: { above: Math.min(field.text.split('\n').length, text.height), width: left, height: shown, cursor, length },
    expansion: isWide ? { width: width - left - barWidth, height } : { width, height: height - editor - 1 },
  }
}
