/** Switches a route on or off, and removes it: at once, with the file kept as it was. */

import { basename } from 'node:path'
import { replaceText } from '../../../config/locked/replace-text.ts'
import { editYaml } from '../../../config/yaml/edit/edit.ts'
import type { YamlEdit } from '../../../config/yaml/edit/yaml-edit.ts'
import { exit, Fault } from '../../../core/fault.ts'
import { quoted } from '../../../process/quoted.ts'
import { findSubscription, removeSubscription, switchSubscription } from '../../routes/change-subscription.ts'
import { subscriptionsFile } from '../../routes/routes.ts'
import type { GatewayFinder } from '../../running-gateway.ts'
import type { Workspace } from '../../workspace.ts'
import type { NamedRoute } from '../desk.ts'
import { openRoute } from '../draft/open-route.ts'
import type { OpenedRoute } from '../draft/route-draft.ts'
import { createConfigFindings } from './draft-findings.ts'
import { takenOver } from './take-over.ts'

/** Says what came of it, and how to undo it. Throws a Fault. */
export const removeRoute = async (workspace: Workspace, finder: GatewayFinder, route: NamedRoute): Promise<string> => {
  const opened = openRoute(workspace, route)
  const { name, source, base } = opened
  if (source === 'config') return rewrite(workspace, finder, opened, { kind: 'remove', path: base }, `removed "${name}"`)
  await removeSubscription(workspace, findSubscription(workspace, name))
  return said(`removed "${name}"`, subscriptionsFile(workspace))
}

/** Says what came of it. Throws a Fault. */
export const switchRoute = async (
  workspace: Workspace,
  finder: GatewayFinder,
  route: NamedRoute & { readonly enabled: boolean },
): Promise<string> => {
  const { enabled } = route
  const opened = openRoute(workspace, route)
  const { name, source, base, written } = opened
  const done = `"${name}" is ${enabled ? 'on' : 'off'}`
  if (source === 'subscription') {
    const { changed } = await switchSubscription(workspace, name, enabled)
    return changed ? said(done, subscriptionsFile(workspace)) : `${done} already`
  }
  if ((written.enabled !== false) === enabled) return `${done} already`
  return rewrite(workspace, finder, opened, { kind: 'set', path: [...base, 'enabled'], value: enabled }, done)
}

const rewrite = async (
  workspace: Workspace,
  finder: GatewayFinder,
  { file, text }: OpenedRoute,
  edit: YamlEdit,
  done: string,
): Promise<string> => {
  const edited = editYaml(text, edit)
  if (!edited.ok)
    throw new Fault('refused', `${file} was not touched: ${edited.why}`, { exitCode: exit.conflict, hint: 'write it in $EDITOR' })
  const stops = (await createConfigFindings(workspace)(text, edited.text)).find(({ stopsStart }) => stopsStart)
  if (stops) throw new Fault('refused', `${file} was not touched: ${stops.code} ${stops.message}`, { exitCode: exit.no })
  await replaceText(file, text, edited.text, true)
  return [said(done, file), ...(await takenOver(workspace, finder))].join('; ')
}

const said = (done: string, file: string): string => `${done} in ${basename(file)}; undo: cp ${quoted(`${file}.bak`)} ${quoted(file)}`
