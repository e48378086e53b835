/** Writes a new route into `config.yaml` for a command, through the editor service but without an editor. */

import { type Config, defaultProfile } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Hunk } from '../../datadir/line-diff.ts'
import { routeUrl, senderUrl } from '../../datadir/route-address.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { SubscriptionInput } from '../../datadir/subscription-record.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Route } from '../../generated/config.ts'
import { type KeyWanted, keyWanted, withKey } from '../../operate/routes/wanted-key.ts'
import { createEditorService } from '../create-service.ts'
import { draftOf } from '../draft/route-draft.ts'

/**
 * The route to write. `from`: settings to begin with. `fields`: settings that override them. `isDry`: the route is checked, and nothing is
 * written.
 */
export type NewRouteInput = Pick<SubscriptionInput, 'from' | 'fields'> & { readonly name: string; readonly isDry: boolean }

export type WrittenRoute = {
  readonly name: string
  readonly file: string
  readonly url: string
  readonly diff: readonly Hunk[]
  /** The findings about the route, and those about anything else that it adds. */
  readonly findings: readonly Diagnostic[]
  /** What prevented the writing, a finding or anything else, or with `isDry` would have prevented it; absent where nothing did. */
  readonly refused?: string
  /** Sentences about what was written, and whether a running gateway took it over; none where nothing was written. */
  readonly notices: readonly string[]
}

/** Writes the route. Throws a Fault: the name is not valid or is taken, or the file cannot be read or written. */
export const writeNewRoute = async (workspace: Workspace, finder: GatewayFinder, input: NewRouteInput): Promise<WrittenRoute> => {
  const service = createEditorService(workspace, finder)
  const opened = await service.create({ name: input.name })
  const settings = routeSettings(input)
  const { config } = loadConfig(workspace)
  const key = keyWanted(opened.name, settings, config)
  const draft = draftOf({ ...opened, written: { ...opened.written, ...withKey(settings, key) } })
  const { file, diff, findings, refused, stops } = await service.plan({ draft })
  const { name } = opened
  const about = { name, file, url: urlOf(config, name, draft.spec), diff, findings }
  const { env = {} } = config.profiles.get(String(settings.profile ?? defaultProfile)) ?? {}
  if (key && !Object.hasOwn(env, key.variable)) return { ...about, refused: keyMissing(key, about.url), notices: [] }
  if (refused !== undefined) return { ...about, refused, notices: [] }
  if (input.isDry && stops) return { ...about, refused: 'a gateway would not serve this', notices: [] }
  const error = findings.find(({ severity }) => severity === 'error')
  if (input.isDry && error) return { ...about, refused: `${error.code} ${error.message}`, notices: [] }
  if (input.isDry) return { ...about, notices: [] }
  const saved = await service.save({ draft, despiteErrors: false })
  return saved.ok ? { ...about, notices: saved.notices } : { ...about, refused: saved.message, notices: [] }
}

/** Returns the keys of the route: those of `from`, overridden by `fields`. In `deliver_extra`, each setting is overridden by itself. */
const routeSettings = ({ from = {}, fields }: NewRouteInput): JsonObject => {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject
  const extra = { ...(from.deliver_extra as JsonObject | undefined), ...(given.deliver_extra as JsonObject | undefined) }
  return { ...from, ...given, ...(Object.keys(extra).length === 0 ? {} : { deliver_extra: extra }) }
}

const keyMissing = ({ scheme, variable }: KeyWanted, url: string): string => {
  const what =
    scheme.senderKey === undefined ? `a secret that you enter at ${scheme.title} too` : `the key of ${scheme.title} (${scheme.senderKey})`
  return `put ${what} into .env as ${variable}, then repeat this. The address for ${scheme.title} is ${url}`
}

/** Returns the URL to which the sender of the route posts. */
const urlOf = (config: Config, name: string, spec: Route): string => {
  const profile = spec.profile ?? defaultProfile
  return senderUrl({ name, profile, spec }, routeUrl(config, name, profile), config.adapter.public_url)
}
