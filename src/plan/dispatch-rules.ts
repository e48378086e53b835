/** Checks `dispatch` of a route, the routes that it names, and the keys of a route without an address. */

import type { RouteSource } from '../config/config.ts'
import { isSwitchedOn } from '../config/needs.ts'
import type { Code, Diagnostic, Path } from '../core/diagnostic.ts'
import { type JsonObject, own } from '../core/json.ts'
import { nearest } from '../core/text.ts'
import { routeBatch } from '../parts/route-batch.ts'
import type { Scheme } from '../parts/schemes/scheme.ts'
import { dispatchTargets, rowTargets } from '../parts/split/dispatch.ts'
import { verifyNames } from '../parts/written-names.ts'
import { problemAt } from './problem-at.ts'
import { schemesFor } from './route-schemes.ts'

type Routes = ReadonlyMap<string, RouteSource>
type SchemeSet = Parameters<typeof schemesFor>[1]
type Report = (code: Code, path: Path, message: string, help: string) => void

/** The keys that protect the address of a route. */
const protecting = ['allow_from', 'client_certificate'] as const
/** The other keys that only a request to the route's own address needs. */
const ofAddress = [
  'secret',
  'secrets',
  'public_key',
  'public_url',
  'verify_token',
  'confirm_subscriptions',
  'keep_refused',
  'respond',
] as const

/** Returns a Diagnostic for each mistake. `routes`: the routes of the configuration. */
export const checkDispatch = (route: RouteSource, routes: Routes = new Map(), schemes: SchemeSet): Diagnostic[] => {
  const diagnostics: Diagnostic[] = []
  const report: Report = (...found) => diagnostics.push(problemAt(route, ...found))
  if (route.spec.address === false) checkWithoutAddress(route, report)
  if (route.spec.dispatch) checkRows(route, routes, schemes, report)
  return diagnostics
}

/** Returns a Diagnostic for each route that has no address, and to which no other route dispatches. */
export const checkReached = (routes: readonly RouteSource[]): Diagnostic[] => {
  const reached = new Set(routes.flatMap(({ spec }) => dispatchTargets(spec)))
  return routes
    .filter(({ name, spec }) => spec.address === false && !spec.poll && !spec.dispatch && !reached.has(name))
    .map((route) =>
      problemAt(
        route,
        'WH248',
        ['address'],
        `no event reaches the route "${route.name}": it has no address, and no route dispatches to it`,
        'name it in dispatch of the route that receives its events, or remove address: false',
      ),
    )
}

const checkWithoutAddress = ({ spec, origin }: RouteSource, report: Report): void => {
  const isUsed = (key: string): boolean => isSwitchedOn(own(spec as JsonObject, key))
  for (const key of protecting.filter(isUsed))
    report('WH246', [key], `"${key}" protects nothing: the route has no address`, 'set it on the route that dispatches, or remove it')
  for (const key of ofAddress.filter(isUsed)) report('WH210', [key], `"${key}" has no effect: the route has no address`, 'remove it')
  const isNeverReached = spec.dispatch !== undefined || origin === 'subscription'
  if (isNeverReached && !spec.poll)
    report('WH247', ['address'], 'no event comes to it: no route can dispatch to it, and it has no address', 'remove address: false')
}

const checkRows = (route: RouteSource, routes: Routes, schemes: SchemeSet, report: Report): void => {
  const { dispatch = [] } = route.spec
  const partly = partlySigned(route, schemes)
  // The id of an event is claimed for each route that takes it, so another body under the same signature could reach a route without a claim.
  if (partly)
    report(
      'WH247',
      ['dispatch'],
      `${partly.name} does not sign the whole body, so a captured request could be sent to another row`,
      'give each route an address of its own',
    )
  if (route.spec.duplicates?.key !== undefined)
    report(
      'WH208',
      ['duplicates', 'key'],
      '"duplicates.key" and "dispatch" cannot be used together',
      'write it on the routes that take the events',
    )
  for (const [i, row] of dispatch.entries()) {
    if (dispatch.slice(0, i).some(({ when }) => when === undefined))
      report(
        'WH210',
        ['dispatch', i],
        'this row has no effect: an earlier row without "when" holds for each event',
        'move that row to the end',
      )
    for (const [j, name] of rowTargets(row).entries()) {
      const path = ['dispatch', i, 'to', ...(Array.isArray(row.to) ? [j] : [])]
      const problem = targetProblem(route, name, routes, schemes)
      if (problem) report('WH247', path, ...problem)
    }
  }
}

const partlySigned = (route: RouteSource, schemes: SchemeSet): Scheme | undefined => {
  const named = verifyNames(route.spec)
  return schemesFor(route, schemes).find(({ name, signsParts }) => signsParts && named.includes(name))
}

/** Returns why a route cannot be dispatched to, and a way out; `undefined` where it can. */
const targetProblem = (
  route: RouteSource,
  name: string,
  routes: Routes,
  schemes: SchemeSet,
): readonly [message: string, help: string] | undefined => {
  if (route.origin === 'subscription') return ['a subscription dispatches to no route', 'write the route in config.yaml']
  if (name === route.name) return [`"${name}" is this route itself`, 'name another route']
  const target = routes.get(name)
  if (!target) {
    const [close] = nearest(name, routes.keys())
    return [
      `there is no route "${name}"`,
      close ? `did you mean "${close}"?` : 'name a route of config.yaml; a subscription cannot be named',
    ]
  }
  const { spec, profile } = target
  if (profile !== route.profile) return [`the route "${name}" is of another profile`, `give both the same profile, "${route.profile}" say`]
  if (spec.dispatch) return [`the route "${name}" dispatches too, and an event is dispatched once`, 'name its routes here']
  if (routeBatch(spec, schemesFor(target, schemes)) !== undefined)
    return [`the route "${name}" splits its requests`, 'write split on this route, and split: false on the other']
  if (spec.redact)
    return [`the route "${name}" redacts, but this route keeps the request`, 'write redact on this route, and remove it from the other']
  if (spec.cron_job !== undefined) return [`the route "${name}" starts a job`, 'give it an address of its own']
  if (spec.deliver_only && !spec.retry)
    return [`the route "${name}" delivers before the answer, and one answer is for all routes`, 'add retry: {} to it']
  return undefined
}
