/**
 * Imports hook files of adnanh/webhook. Each hook becomes a route, and its trigger rule becomes the secret, scheme, networks and filters of
 * the route.
 */

import type { Env } from '../../config/env.ts'
import type { Source } from '../../config/yaml/source.ts'
import { type Path, shownPlace } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { equalJson, isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { methodsKey, reportHookKeys } from './adnanh-keys.ts'
import { allowFromKey, type Networks, networksOf } from './adnanh-networks.ts'
import { compileRule, inAnd, reportIdle, ruleKindOf } from './adnanh-rule.ts'
import { type RouteSignatureKeys, signatureKeysOf, signaturesOf } from './adnanh-signature.ts'
import { createEnvLines, type EnvLines, secretName } from './env-lines.ts'
import type { Imported, ImportedRoute, LeftOut, ReportLeftOut } from './imported.ts'
import { createRouteNames } from './route-names.ts'

/**
 * Imports the hooks of a file. `knownEnv`: the variables that are set already. Throws a Fault for a file that is no hook file, or that is a
 * Go template.
 */
export const importAdnanh = (source: Source, knownEnv: Env): Imported => {
  const { data } = source
  if (!Array.isArray(data))
    throw badSource(source, [], 'not a hook file: it is no list of hooks', 'give the file that webhook has as -hooks')
  for (const [i, hook] of data.entries()) if (isObject(hook)) refuseTemplates(hook, [i], source)
  const env = createEnvLines(knownEnv)
  const nameOf = createRouteNames()
  const leftOut: LeftOut[] = []
  const routes = data.flatMap((hook, i): ImportedRoute[] => {
    if (!isObject(hook) || typeof hook.id !== 'string' || hook.id === '')
      throw badSource(source, [i], 'a hook without an "id"', 'give it one')
    const name = nameOf(hook.id)
    const report: ReportLeftOut = (path, reason, todo, acceptsMore = false) => {
      leftOut.push({
        place: source.place([i, ...path], path.length === 1 ? 'key' : 'value'),
        route: name,
        what: path.join('.'),
        reason,
        todo,
        acceptsMore,
      })
    }
    return [routeOf(hook, name, { env, report, at: () => source.place([i]) })]
  })
  return {
    settings: {},
    notes: ['The address of a hook was /hooks/<id>; that of a route is /webhooks/<name>.'],
    multiplex: false,
    routes,
    env: env.lines(),
    leftOut,
  }
}

/** What the import of one hook uses. `at`: the hook's place in the file. */
type HookContext = { readonly env: EnvLines; readonly report: ReportLeftOut; readonly at: ImportedRoute['at'] }

const routeOf = (hook: JsonObject, name: string, { env, report, at }: HookContext): ImportedRoute => {
  const { signatures, filters, networks } = splitRule(hook, report)
  const [first = [], ...others] = signatures
  const softFailures = hook['trigger-signature-soft-failures'] === true
  const sender = signatureKeysOf(first, softFailures, report)
  for (const [other] of others) {
    if (other && !isWithin(sender, signatureKeysOf([other], softFailures, report)))
      report(
        other.path,
        'headgate checks one signature of a request, and the hook several',
        'leave the check to a proxy, or do without it',
        true,
      )
  }
  reportHookKeys(hook, report)
  const spec = {
    description: `Hook ${String(hook.id)} of adnanh/webhook`,
    ...methodsKey(hook, report),
    ...secretSettings(sender, name, env),
    ...allowFromKey(networks, report),
    ...(filters.length > 0 ? { filters: [...filters] } : {}),
  }
  if (first.length === 0)
    report(
      hook['trigger-rule'] ? ['trigger-rule'] : [],
      'the hook takes posts that nobody signed; headgate takes none, so the route has a new secret',
      `give the sender the secret ${secretName(name)}, to sign with it`,
    )
  return {
    name,
    spec,
    at,
    notes: [
      ...(networks.length === 0 ? [] : ['allow_from looks at the address of the client: behind a proxy, trust_proxy must name the proxy.']),
      ...(name === hook.id ? [] : [`The name "${String(hook.id)}" cannot stand in an address: the route is called ${name}.`]),
    ],
  }
}

const isWithin = (a: RouteSignatureKeys, b: RouteSignatureKeys): boolean =>
  b.verify.every((each) => a.verify.some((one) => equalJson(one as Json, each as Json))) &&
  b.secrets.every((each) => a.secrets.includes(each))

const secretSettings = ({ verify, secrets }: RouteSignatureKeys, name: string, env: EnvLines): JsonObject => {
  const references = secrets.map((secret) => {
    const variable = variableIn(secret)
    if (variable === undefined) return env.refer(secretName(name), secret)
    env.expect(variable)
    return `\${${variable}}`
  })
  const [one = env.generate(secretName(name)), ...more] = references
  return {
    ...(more.length > 0 ? { secrets: references } : { secret: one }),
    ...(verify.length > 0 ? { verify: (verify.length > 1 ? [...verify] : verify[0]) as Json } : {}),
  }
}

/**
 * Splits a trigger rule into signatures, networks and conditions, all of which must hold. Each entry of `signatures` is a list of
 * signatures, of which one must hold.
 */
const splitRule = (hook: JsonObject, report: ReportLeftOut) => {
  const rule = own(hook, 'trigger-rule') ?? null
  if (rule === null) return { signatures: [], filters: [], networks: [] }
  reportIdle(rule, ['trigger-rule'], report)
  const parts = andParts(rule, ['trigger-rule'])
  const isAnd = ruleKindOf(rule)?.kind === 'and'
  const signatures: NonNullable<ReturnType<typeof signaturesOf>>[] = []
  const filters: JsonObject[] = []
  const networks: Networks[] = []
  for (const { rule: part, path } of parts) {
    const checks = signaturesOf(part, path, report)
    const clients = networksOf(part, path)
    if (checks) signatures.push(checks)
    else if (clients) networks.push(clients)
    else {
      const verdict = compileRule(part, path, report)
      if (verdict) filters.push(...(isAnd ? inAnd(verdict) : [verdict.holds]))
    }
  }
  return { signatures, filters, networks }
}

/** Returns the rules that an `and` joins, also the rules of an `and` inside it; for any other rule, the rule itself. */
const andParts = (rule: Json, path: Path): { readonly rule: Json; readonly path: Path }[] => {
  const found = ruleKindOf(rule)
  if (found?.kind !== 'and' || !Array.isArray(found.inner)) return [{ rule, path }]
  return found.inner.flatMap((each, i) => andParts(each, [...path, 'and', i]))
}

/**
 * Matches the templates that a hook file may have: they read a variable of the environment. The quotes in a template are those of Go, or
 * those of the text around it.
 */
const variableTemplate = /\{\{-?\s*getenv\s+(["'`])([A-Za-z_]\w*)\1\s*(?:\|\s*js\s*)?-?\}\}/g
/** Matches a text that is nothing but a template, as `readableTemplates` writes templates. */
const wholeVariable = /^\{\{ getenv ([A-Za-z_]\w*) \}\}$/

/**
 * Rewrites the templates that read a variable so that they have no quotes inside: then the file can be parsed as YAML or JSON with its
 * templates in it.
 */
export const readableTemplates = (text: string): string =>
  text
    .replace(variableTemplate, '{{ getenv $2 }}')
    // A template that stands outside of quotes gets quotes, because YAML would take its braces for a map.
    .replace(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\{\{ getenv \w+ \}\}[^\s,\]}"']*/g, (found) => (found.startsWith('{{') ? `"${found}"` : found))

/** Returns the name of the variable that a text of the file stands for; `undefined` for any other text. */
const variableIn = (text: string): string | undefined => wholeVariable.exec(text)?.[1]

/**
 * Throws a Fault where a text of a hook has the braces of a Go template, because then the whole file is a template (`-template`). Allowed
 * are variables as secrets and in what is left out anyway. A parameter with `source: template` may have such braces in any file.
 */
const refuseTemplates = (data: Json, path: Path, source: Source): void => {
  if (typeof data === 'string') {
    const [, key] = path
    const rest =
      key === 'trigger-rule' || key === 'id'
        ? isSecretPlace(path)
          ? data.replace(wholeVariable, '')
          : data
        : data.replace(/\{\{ getenv \w+ \}\}/g, '')
    if (rest.includes('{{')) throw templateFault(source, path)
  }
  if (typeof data !== 'object' || data === null) return
  if (isObject(data) && data.source === 'template') return
  for (const [key, value] of Object.entries(data)) refuseTemplates(value, [...path, Array.isArray(data) ? Number(key) : key], source)
}

const isSecretPlace = (path: Path): boolean => ['secret', 'value'].includes(String(path.at(-1)))

const templateFault = (source: Source, path: Path): Fault =>
  badSource(
    source,
    path,
    'a Go template ({{ … }}) that is no {{ getenv "NAME" }} in place of a secret',
    'write the values in its place, a secret too: it goes to .env',
  )

const badSource = (source: Source, path: Path, what: string, hint: string): Fault =>
  new Fault('bad_source', `${shownPlace(source.place(path))}: ${what}`, { exitCode: exit.no, hint })
