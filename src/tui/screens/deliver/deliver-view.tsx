/** Shows the deliver screen: the targets, and the settings of the chosen targets, filled in from the payload. */

import type { JsonObject } from '../../../core/json.ts'
import { targetsIn } from '../../../edit/draft/deliver-steps.ts'
import type { World } from '../../model/screen.ts'
import { List } from '../../view/list.tsx'
import { Beside } from '../../view/pane.tsx'
import { Remarks } from '../../view/remarks.tsx'
import { Gap, Rows } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import type { DeliverScreen } from './deliver.ts'
import { type DeliverLayout, deliverLayout } from './layout.ts'
import { SettingRowView } from './setting-row-view.tsx'
import { settingRows } from './settings.ts'
import { TargetRowView } from './target-row-view.tsx'

export const DeliverView = ({ screen, world: { draft, preview }, room }: ScreenProps<DeliverScreen>) => {
  if (!draft) return undefined
  if (!screen.targets) return <Rows of={['reading the targets …']} tone="dim" />
  const { spec } = draft
  const layout = deliverLayout(screen, spec, room)
  const targets = <Targets screen={screen} spec={spec} layout={layout} />
  const settings = <Settings screen={screen} spec={spec} layout={layout} preview={preview} />
  if (layout.isNarrow) return screen.pane === 'targets' ? targets : settings
  return (
    <Beside room={room} left={layout.targets.width}>
      {targets}
      {settings}
    </Beside>
  )
}

type Props = { readonly screen: DeliverScreen; readonly spec: JsonObject; readonly layout: DeliverLayout }

const Targets = ({ screen: { targets = [], pane }, spec, layout }: Props) => {
  const chosen = targetsIn(spec).map(({ target }) => target)
  return (
    <List rows={targets} area={layout.targets} isActive={pane === 'targets'}>
      {(row) => <TargetRowView row={row} chosen={chosen} isList={Array.isArray(spec.deliver)} />}
    </List>
  )
}

const Settings = ({ screen: { targets = [], pane }, spec, layout, preview }: Props & { readonly preview: World['preview'] }) => {
  const extra = preview?.extra
  // With several targets, the filled-in settings are a list in the order of the targets.
  const extras = Array.isArray(extra) ? extra : [extra]
  return (
    <>
      <List rows={settingRows(spec, targets)} area={layout.settings} isActive={pane === 'settings'}>
        {(row) => <SettingRowView row={row} isList={Array.isArray(spec.deliver)} extras={extras} />}
      </List>
      <Gap />
      <Remarks of={layout.remarks} />
    </>
  )
}
