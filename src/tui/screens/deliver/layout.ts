/** The places of the panes of the deliver screen, and the remarks below the settings. */

import type { JsonObject } from '../../../core/json.ts'
import { targetsIn } from '../../../edit/draft/deliver-steps.ts'
import type { TargetRow } from '../../../edit/service.ts'
import type { ListArea } from '../../model/list.ts'
import { markedRemark, type Remark, remarksHeight } from '../../model/remark.ts'
import { barWidth, type Room } from '../../model/room.ts'
import { settingRows } from './settings.ts'

/** The least width at which the panes stand beside each other. */
const panesBesideWidth = 100

type DeliverState = {
  readonly pane: 'targets' | 'settings'
  readonly targets?: readonly TargetRow[]
  readonly cursor: number
  readonly place: number
}

export type DeliverLayout = {
  /** Only the pane of the cursor is shown. */
  readonly isNarrow: boolean
  readonly targets: ListArea
  readonly settings: ListArea
  readonly remarks: readonly Remark[]
}

/** Divides the room of the screen between its panes. `spec`: the settings of the route, as the draft has them. */
export const deliverLayout = (screen: DeliverState, spec: JsonObject, { width, height }: Room): DeliverLayout => {
  const { targets = [], cursor, place } = screen
  const isNarrow = width < panesBesideWidth
  const left = isNarrow ? width : Math.floor(width * 0.45)
  const before = isNarrow ? 0 : left + barWidth
  const remarks = deliverRemarks(screen, spec)
  const below = remarksHeight(remarks, width - before) + 2
  return {
    isNarrow,
    targets: { above: 0, width: left, height, cursor, length: targets.length },
    settings: {
      before,
      above: 0,
      width: width - before,
      height: Math.max(3, height - below),
      cursor: place,
      length: settingRows(spec, targets).length,
    },
    remarks,
  }
}

/** Says what the chosen targets and the target of the cursor lack, and what the setting of the cursor is for. */
const deliverRemarks = ({ targets = [], cursor, pane, place }: DeliverState, spec: JsonObject): readonly Remark[] => {
  const names = new Set(targetsIn(spec).map(({ target }) => target))
  const pointed = pane === 'targets' ? targets[cursor]?.name : undefined
  const known = new Set(targets.map(({ name }) => name))
  const row = pane === 'settings' ? settingRows(spec, targets)[place] : undefined
  return [
    ...targets
      .filter(({ name, missing }) => missing !== undefined && (names.has(name) || name === pointed))
      .map(({ name, missing }) => markedRemark(`${name} is ${missing}`, 'warn')),
    ...[...names].filter((name) => !known.has(name)).map((name) => markedRemark(`there is no target "${name}"`, 'warn')),
    ...(row?.kind === 'field' ? [{ text: row.field.description, tone: 'dim' } as const] : []),
  ]
}
