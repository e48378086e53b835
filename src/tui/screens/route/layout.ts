/**
 * The places of the panes on the route screen: the form, the trace, and the YAML. A narrow terminal shows one pane at a time, and only a
 * very wide terminal shows the YAML.
 */

import type { ListArea } from '../../model/list.ts'
import { findingRemark, type Remark, refusalRemarks, remarksHeight } from '../../model/remark.ts'
import { barWidth, type Room } from '../../model/room.ts'
import type { World } from '../../model/screen.ts'
import { formRows, noteOf } from './form-rows.ts'

/** The least width at which the form and the trace stand beside each other, and the least width at which the YAML stands there too. */
const wideFrom = 100
const veryWideFrom = 150

/** The widths of the panes, in cells; 0 for a pane that is not shown. `isNarrow`: one pane is shown at a time. */
export type PaneWidths = { readonly form: number; readonly trace: number; readonly yaml: number; readonly isNarrow: boolean }

/** Returns the widths for a screen that is `width` cells wide. */
export const paneWidths = (width: number): PaneWidths => {
  if (width < wideFrom) return { form: width, trace: width, yaml: 0, isNarrow: true }
  if (width < veryWideFrom) {
    const form = Math.floor(width * 0.45)
    return { form, trace: width - form - barWidth, yaml: 0, isNarrow: false }
  }
  const third = Math.floor((width - 2 * barWidth) / 3)
  return { form: third, trace: third, yaml: width - 2 * third - 2 * barWidth, isNarrow: false }
}

type Form = { readonly cursor: number; readonly unfolded: readonly string[] }

/** Returns the remarks below the form: the whole note of the row under the cursor, whose row may cut it, and what is wrong with the draft. */
export const formRemarks = ({ cursor, unfolded }: Form, { draft, preview }: World): readonly Remark[] => {
  const row = draft && formRows(draft.spec, unfolded)[cursor]
  const note = row?.kind === 'field' ? noteOf(row.field, preview) : undefined
  return [
    ...(row?.kind === 'field' && note !== undefined ? [{ text: `${row.field.title}: ${note}`, tone: 'dim' } as const] : []),
    ...refusalRemarks(preview?.refused),
    ...(preview?.findings ?? []).map(findingRemark),
  ]
}

/** Returns the place of the form's list. The remarks below the list take at most a third of the pane, or three rows. */
export const formArea = (screen: Form, world: World, room: Room): ListArea => {
  const { cursor, unfolded } = screen
  const width = paneWidths(room.width).form
  const below = Math.min(remarksHeight(formRemarks(screen, world), width), Math.max(3, Math.floor(room.height / 3)))
  const height = room.height - below - (below > 0 ? 1 : 0)
  const length = world.draft ? formRows(world.draft.spec, unfolded).length : 0
  return { above: 0, width, height, cursor, length }
}
