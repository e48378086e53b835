/** Compiles the rules of alerts: their destinations, their limits, and the calendars of routes that must not be silent. */

import { hash } from 'node:crypto'
import { type Config, defaultProfile } from '../../config/config.ts'
import { definition } from '../../config/schema-walk.ts'
import { dayMs, hourMs } from '../../core/clock.ts'
import { type Diagnostic, diagnostic, pointerOf, type Report } from '../../core/diagnostic.ts'
import { valueAt } from '../../core/json.ts'
import type { Destination } from '../../core/new-run.ts'
import { type Calendar, compileCalendar } from '../../expr/calendar.ts'
import { BadSchedule } from '../../expr/schedule.ts'
import type { AlertRule as AlertSpec, Silence } from '../../generated/config.ts'
import { defaults } from '../../generated/defaults.ts'
import { readDelivery } from '../../parts/destination.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import { checkDeliveryTarget } from '../../plan/route-rules.ts'

export type AlertKind = NonNullable<AlertSpec['on']>[number]

export const alertKinds = (valueAt(definition('AlertRule'), ['properties', 'on', 'items', 'enum']) ?? []) as readonly AlertKind[]

/** A route that must not be silent. `afterMs`: how long it may be silent. Only times within `calendar` count. */
export type WatchedRoute = { readonly route: string; readonly afterMs: number; readonly calendar: Calendar }

export type AlertRule = {
  /** Names the rule by its destination, so that after a reload or a restart the gateway knows which messages it has sent there. */
  readonly id: string
  /** The rule's place in the list, from 1. */
  readonly number: number
  readonly has: (kind: AlertKind) => boolean
  readonly destination: Destination
  /** The rule as it is written, with its secrets. */
  readonly spec: AlertSpec
  /** The most refused signatures of a route in a minute without an alert. */
  readonly refusedPerMinute: number
  /** The time from its acceptance within which a run must be done or dead. */
  readonly backlogMs: number
  /** How long before the end of a certificate its alert begins. */
  readonly endsWithinMs: number
  readonly silence: readonly WatchedRoute[]
  /** The most messages in an hour. */
  readonly maxPerHour: number
}

type AlertSettings = Pick<Config, 'alerts' | 'profiles'>

/** Returns the function that reports mistakes in the rule at `index`. */
const reportIn =
  ({ profiles }: AlertSettings, index: number, into: Diagnostic[]): Report =>
  (code, path, message, help) => {
    const full = ['alerts', index, ...path]
    const place = profiles.get(defaultProfile)?.place?.(full)
    into.push(diagnostic(code, `alerts[${index}]: ${message}`, { pointer: pointerOf(full), ...(place ? { place } : {}), help }))
  }

/** Compiles the rules. Where one of the Diagnostics stops the start, there are no rules at all. */
export const compileAlerts = (
  settings: AlertSettings,
  targets: ReadonlyMap<string, TargetPart>,
): { readonly rules: readonly AlertRule[]; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = []
  const ids = new Map<string, number>()
  const compiled = settings.alerts.map(({ index, spec }): AlertRule => {
    const report = reportIn(settings, index, diagnostics)
    checkDeliveryTarget(spec, targets, report)
    const kinds = spec.on && new Set<AlertKind>(spec.on)
    if (!spec.silence && kinds?.has('silence'))
      report('WH104', ['on'], '"on" has silence, but no route is named', 'add silence: [{ route: …, after_hours: … }]')
    const destination = readDelivery(spec, targets, report)
    const base = hash('sha256', JSON.stringify(destination), 'hex').slice(0, 12)
    const before = ids.get(base) ?? 0
    ids.set(base, before + 1)
    return {
      id: before === 0 ? base : `${base}-${before}`,
      number: index + 1,
      has: (kind) => kinds?.has(kind) ?? true,
      destination,
      spec,
      refusedPerMinute: spec.refused_per_minute ?? defaults.alert.refused_per_minute,
      backlogMs: (spec.backlog_seconds ?? defaults.alert.backlog_seconds) * 1000,
      endsWithinMs: (spec.ends_within_days ?? defaults.alert.ends_within_days) * dayMs,
      silence: (spec.silence ?? []).flatMap((written, i) =>
        compileSilence(written, (why) =>
          report('WH223', ['silence', i, 'timezone'], why, 'take a name of the IANA list, or leave timezone out'),
        ),
      ),
      maxPerHour: spec.max_per_hour ?? defaults.alert.max_per_hour,
    }
  })
  return { rules: diagnostics.some(({ stopsStart }) => stopsStart) ? [] : compiled, diagnostics }
}

const compileSilence = ({ route, after_hours, during, timezone }: Silence, refuse: (why: string) => void): WatchedRoute[] => {
  try {
    const calendar = compileCalendar([during ?? []].flat(), timezone ?? defaults.silence.timezone)
    return [{ route, afterMs: after_hours * hourMs, calendar }]
  } catch (error) {
    if (!(error instanceof BadSchedule)) throw error
    refuse(error.message)
    return []
  }
}

/** Finds mistakes in the rules. `hasRoute`: absent where not all routes are known. */
export const checkAlerts = (
  settings: AlertSettings,
  targets: ReadonlyMap<string, TargetPart>,
  hasRoute?: (name: string) => boolean,
): readonly Diagnostic[] => [...compileAlerts(settings, targets).diagnostics, ...(hasRoute ? checkWatchedRoutes(settings, hasRoute) : [])]

/** Warns of each route of `silence` that is not there. */
const checkWatchedRoutes = (settings: AlertSettings, hasRoute: (name: string) => boolean): readonly Diagnostic[] => {
  const found: Diagnostic[] = []
  for (const { index, spec } of settings.alerts) {
    const report = reportIn(settings, index, found)
    for (const [i, { route }] of (spec.silence ?? []).entries())
      if (!hasRoute(route))
        report(
          'WH238',
          ['silence', i, 'route'],
          `no route "${route}": its silence is not told`,
          'name a route of config.yaml, or a subscription',
        )
  }
  return found
}
