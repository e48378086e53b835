/** Imports the webhook adapter from a `config.yaml` of hermes-agent. Most of its settings and routes stay as they are. */

import { insecure } from '../../config/config.ts'
import type { Env } from '../../config/env.ts'
import type { Source } from '../../config/yaml/source.ts'
import { type Path, shownFile } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { targetName } from '../../parts/written-names.ts'
import { createEnvLines, type EnvLines, secretName } from './env-lines.ts'
import { hermesRoute } from './hermes-route.ts'
import type { Imported, ImportedRoute, LeftOut, ReportLeftOut } from './imported.ts'
import { createRouteNames } from './route-names.ts'

/** The settings of the adapter that both programs have. */
const settingNames: ReadonlySet<string> = new Set([
  'host',
  'port',
  'secret',
  'rate_limit',
  'max_body_bytes',
  'script_timeout_seconds',
  'routes',
  'enabled',
  'extra',
])

/**
 * Imports the adapter. `knownEnv`: the variables that are set already. `merging`: the routes go into a `config.yaml` that exists and keeps
 * its settings. Throws a Fault where the file has no webhook adapter.
 */
export const importHermes = (source: Source, knownEnv: Env, merging: boolean): Imported => {
  const data = isObject(source.data) ? source.data : {}
  const platforms = mapAt(data, 'platforms')
  const webhook = mapAt(platforms, 'webhook')
  const extra = mapAt(webhook, 'extra')
  const settings: JsonObject = { ...webhook, ...extra }
  if (!isObject(platforms.webhook)) throw noAdapter(source)
  const env = createEnvLines(knownEnv)
  const leftOut: LeftOut[] = []
  const reportBelow =
    (base: Path, route?: string): ReportLeftOut =>
    (path, reason, todo, acceptsMore = false) => {
      const place = source.place([...base, ...path], 'key')
      leftOut.push({ place, ...(route === undefined ? {} : { route }), what: path.join('.'), reason, todo, acceptsMore })
    }
  const baseOf = (key: string): Path => ['platforms', 'webhook', ...(Object.hasOwn(extra, key) ? ['extra'] : [])]
  for (const key of Object.keys(settings)) reportSetting(key, merging, reportBelow(baseOf(key)))
  const secret = importGlobalSecret(settings, env, merging, reportBelow(baseOf('secret')))
  const nameOf = createRouteNames()
  const routes = Object.entries(mapAt(settings, 'routes')).map(([written, entry]): ImportedRoute => {
    const base = [...baseOf('routes'), 'routes', written]
    const name = nameOf(written)
    const spec = hermesRoute(isObject(entry) ? entry : {}, reportBelow(base, name))
    return {
      name,
      spec: { ...spec, ...secretOf(spec, name, env, secret, reportBelow(base, name)) },
      at: (path) => source.place([...base, ...path], 'key'),
      notes: name === written ? [] : [`The name "${written}" cannot stand in an address: the route is called ${name}.`],
    }
  })
  const multiplex = mapAt(data, 'gateway').multiplex_profiles === true
  if (merging && multiplex)
    reportBelow(['gateway'])(['multiplex_profiles'], 'with --into only routes are taken', 'set it in config.yaml by hand')
  reportPlatforms(routes, platforms, reportBelow(['platforms']))
  return {
    settings: { ...keptSettings(settings), ...(secret.setting === undefined ? {} : { secret: secret.setting }) },
    notes: settings.host ? [] : ['There, all addresses are listened on; headgate listens on 127.0.0.1 unless "host" says otherwise.'],
    multiplex,
    routes,
    env: env.lines(),
    leftOut,
  }
}

const reportSetting = (key: string, merging: boolean, report: ReportLeftOut): void => {
  if (!settingNames.has(key)) report([key], 'headgate has no such setting', 'see docs/reference.md')
  else if (merging && !['routes', 'secret', 'enabled', 'extra'].includes(key))
    report([key], 'with --into only routes are taken', 'set it in config.yaml by hand where it shall count')
}

const mapAt = (map: JsonObject, key: string): JsonObject => {
  const value = own(map, key)
  return isObject(value) ? value : {}
}

const noAdapter = ({ file }: Source): Fault =>
  new Fault('bad_source', `${shownFile(file)} has no "platforms.webhook"`, {
    exitCode: exit.no,
    hint: 'give the config.yaml of hermes-agent',
  })

/** Returns the settings without routes and secret. An empty host is left out, because in hermes-agent it is the same as no host. */
const keptSettings = (settings: JsonObject): JsonObject => {
  const names = ['host', 'port', 'rate_limit', 'max_body_bytes', 'script_timeout_seconds']
  const { host, ...others } = Object.fromEntries(
    names.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name] as Json]])),
  )
  return { ...(host ? { host } : {}), ...others }
}

/**
 * The reference to the global secret. `setting`: the reference for the setting of the file. `perRoute`: the reference for each route
 * without a secret of its own. At most one of the two is there.
 */
type GlobalSecret = { readonly setting?: string; readonly perRoute?: string }

const importGlobalSecret = ({ secret }: JsonObject, env: EnvLines, merging: boolean, report: ReportLeftOut): GlobalSecret => {
  if (typeof secret !== 'string' || secret.trim() === '') {
    if (!merging) env.expect('WEBHOOK_SECRET')
    return {}
  }
  const name = 'WEBHOOK_SECRET'
  const shown = referenceTo(secret, merging ? `${name}_IMPORTED` : name, env, report)
  if (merging) return { perRoute: shown }
  if (shown === `\${${name}}` || !env.knows(name)) return { setting: shown }
  report(['secret'], 'WEBHOOK_SECRET is set in the environment of headgate, and would win', 'nothing: each route names the secret')
  return { perRoute: shown }
}

const secretOf = ({ secret }: JsonObject, name: string, env: EnvLines, { perRoute }: GlobalSecret, report: ReportLeftOut): JsonObject => {
  if (typeof secret === 'string') return { secret: referenceTo(secret, secretName(name), env, report) }
  return perRoute === undefined ? {} : { secret: perRoute }
}

const wholeReference = /^\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}$/

/**
 * Returns the reference to a secret, as the YAML gets it. A text or a default value beside a reference is left out and reported, because it
 * may be a secret. An empty text, `INSECURE_NO_AUTH` and `file:` stay as they are.
 */
const referenceTo = (text: string, name: string, env: EnvLines, report: ReportLeftOut): string => {
  if (text.trim() === '' || text === insecure || text.startsWith('file:')) return text
  if (!/\$\{[A-Za-z_]/.test(text)) return env.refer(name, text)
  const found = wholeReference.exec(text)
  const variable = found?.[1] ?? name
  env.expect(variable)
  if (!found || found[2]) report(['secret'], 'beside its reference a secret stands in the text', `set ${variable} in .env`)
  return `\${${variable}}`
}

const reportPlatforms = (routes: readonly ImportedRoute[], platforms: JsonObject, report: ReportLeftOut): void => {
  const used = new Set(routes.map(({ spec }) => String(spec.deliver)))
  for (const name of Object.keys(platforms)) {
    if (name === 'webhook' || !used.has(name)) continue
    report(
      [name],
      'only the webhook adapter is imported',
      `connect the target: docs/targets.md (${targetName(name)}), and headgate targets test ${targetName(name)}`,
    )
  }
}
