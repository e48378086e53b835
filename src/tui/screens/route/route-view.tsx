/**
 * Shows the route screen: the route as a form, beside the trace of the payload through the route and, in a very wide terminal, its YAML.
 */

import { linesFrom } from '../../model/list.ts'
import type { Room } from '../../model/room.ts'
import type { World } from '../../model/screen.ts'
import { List } from '../../view/list.tsx'
import { Beside, Pane } from '../../view/pane.tsx'
import { Remarks } from '../../view/remarks.tsx'
import { Gap, Rows } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { TraceList } from '../trace/trace-list.tsx'
import { traceRows } from '../trace/trace-rows.ts'
import { FormRowView } from './form-row-view.tsx'
import { formRows } from './form-rows.ts'
import { formArea, formRemarks, paneWidths } from './layout.ts'
import type { RouteScreen } from './route.ts'

export const RouteView = ({ screen, world, room }: ScreenProps<RouteScreen>) => {
  const { width, height } = room
  if (!world.draft) return undefined
  const { form, trace, yaml, isNarrow } = paneWidths(width)
  const shownForm = <FormPane screen={screen} world={world} room={room} />
  const shownTrace = <TracePane screen={screen} world={world} room={{ width: trace, height }} />
  if (isNarrow) return screen.pane === 'form' ? shownForm : shownTrace
  const right = { width: width - form - 3, height }
  return (
    <Beside room={room} left={form}>
      {shownForm}
      {yaml === 0 ? (
        shownTrace
      ) : (
        <Beside room={right} left={trace}>
          {shownTrace}
          <Rows of={(world.preview?.yaml ?? '').split('\n').slice(0, height)} />
        </Beside>
      )}
    </Beside>
  )
}

type PaneProps = { readonly screen: RouteScreen; readonly world: World; readonly room: Room }

const FormPane = ({ screen, world, room }: PaneProps) => {
  const { draft, preview } = world
  const area = formArea(screen, world, room)
  return (
    <>
      <List rows={formRows(draft?.spec ?? {}, screen.unfolded)} area={area} isActive={screen.pane === 'form'}>
        {(row) => <FormRowView row={row} preview={preview} width={area.width} />}
      </List>
      <Gap />
      <Pane width={area.width} height={Math.max(0, room.height - area.height - 1)}>
        <Remarks of={formRemarks(screen, world)} />
      </Pane>
    </>
  )
}

const TracePane = ({ screen, world, room: { width, height } }: PaneProps) => (
  <TraceList rows={linesFrom(traceRows(world, width), screen.pane === 'trace' ? screen.scroll : 0, height)} />
)
