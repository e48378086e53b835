/**
 * Reviews routes, jobs and alerts: finds settings that compile but are likely wrong. Commands and the editor ask for a review, a start or a
 * reload never does. A review changes nothing.
 */

import { defaultProfile, type JobSource, type RouteSource } from '../../config/config.ts'
import { idleKeys } from '../../config/needs.ts'
import { withoutConsequences } from '../../config/partial-route.ts'
import { definition } from '../../config/schema-walk.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Checked } from '../check.ts'
import { reviewAttachments } from './attachments.ts'
import { reviewComments } from './comments.ts'
import { reviewEvents } from './events.ts'
import { reviewFilters } from './filters/filters.ts'
import { reviewOperands } from './filters/operands.ts'
import { reviewExpressions } from './filters/plain-words.ts'
import { reviewIdleKeys, reviewPrompt } from './idle-keys.ts'
import { reviewKeys } from './keys.ts'
import { reviewLongNumbers } from './long-numbers.ts'
import { reviewLookups } from './lookups.ts'
import { reviewPaths } from './paths.ts'
import { reviewScript } from './programs.ts'
import { reviewRelay } from './relay.ts'
import { reviewRequests } from './requests.ts'
import { type ReviewContext, sectionsAround } from './review-context.ts'
import { reviewSamples } from './samples/samples.ts'
import { reviewSchemes } from './schemes.ts'
import { reviewSecrets } from './secrets/secrets.ts'
import { reviewSenders } from './senders.ts'
import { type ReportFinding, type Subject, subjectOf } from './subject.ts'
import { reviewTargets } from './targets.ts'
import { reviewTemplates } from './templates.ts'
import { reviewToolsets } from './toolsets.ts'
import { reviewYamlTraps } from './yaml-traps.ts'

/** Reviews all routes and jobs of a check, and the alerts. A finding that follows from an error of its route is left out. */
export const reviewAll = ({ sources, jobs, texts }: Checked, around: ReviewContext): Diagnostic[] => [
  ...sources.flatMap(({ route, diagnostics, salvaged }) => {
    const found = reviewRoute(route, around, diagnostics)
    return salvaged ? withoutConsequences(salvaged, found) : found
  }),
  ...jobs.flatMap((job) => reviewJob(job, around)),
  ...reviewAlerts(texts, around),
]

const reviews: readonly ((subject: Subject) => void)[] = [
  reviewSecrets,
  reviewSchemes,
  reviewRequests,
  reviewSenders,
  reviewEvents,
  reviewFilters,
  reviewOperands,
  reviewExpressions,
  reviewLongNumbers,
  reviewYamlTraps,
  reviewComments,
  reviewScript,
  reviewLookups,
  reviewPaths,
  reviewTemplates,
  reviewKeys,
  reviewIdleKeys,
  reviewAttachments,
  reviewPrompt,
  reviewToolsets,
  reviewRelay,
  reviewSamples,
]

/** Reviews a route. A finding that follows from one of its `errors` is left out. */
export const reviewRoute = (route: RouteSource, around: ReviewContext, errors: readonly Diagnostic[]): Diagnostic[] => {
  const profile = around.config.profiles.get(route.profile)
  const found: Diagnostic[] = []
  const subject = subjectOf(route, profile ?? unservedProfile(route.profile), around, found)
  for (const review of reviews) review(subject)
  // The settings of a profile that is not served are not known, and a route that starts a job delivers nothing itself.
  if (profile && route.spec.cron_job === undefined) reviewTargets(subject)
  return found.filter((each) => !followsFromError(each, errors))
}

const unservedProfile = (name: string) => ({ name, dir: '', env: {}, platforms: {}, jobs: new Map() })

/** Whether an error is about the value that a finding is about, or about a value around it. */
const followsFromError = ({ pointer }: Diagnostic, errors: readonly Diagnostic[]): boolean =>
  errors.some((error) => error.severity === 'error' && (pointer === error.pointer || pointer.startsWith(`${error.pointer}/`)))

/** Reviews the targets of alerts, where the file that has the alerts is among the checked files. */
const reviewAlerts = (texts: Checked['texts'], around: ReviewContext): Diagnostic[] => {
  const { alerts, profiles } = around.config
  const profile = profiles.get(defaultProfile)
  const found: Diagnostic[] = []
  for (const { index, spec } of alerts) {
    const place = profile?.place
    if (!place || !texts.has(place(['alerts']).file)) continue
    const placeOf: Subject['placeOf'] = (path, of = 'value') => place(['alerts', index, ...path], of)
    const say: ReportFinding = (code, path, message, { of, place = placeOf(path, of), ...more }) => {
      found.push(diagnostic(code, `alerts[${index}]: ${message}`, { ...more, place, pointer: pointerOf(['alerts', index, ...path]) }))
    }
    reviewTargets({ ...around, spec, profile, say, placeOf })
  }
  return found
}

/** Reviews the targets and the texts of a job. */
const reviewJob = (job: JobSource, around: ReviewContext): Diagnostic[] => {
  const profile = around.config.profiles.get(job.profile) ?? around.config.profiles.get(defaultProfile)
  if (!profile) return []
  const found: Diagnostic[] = []
  const placeOf: Subject['placeOf'] = (path, of = 'value') => job.place([...job.base, ...path], of)
  const say: ReportFinding = (code, path, message, { of, place = placeOf(path, of), ...more }) => {
    found.push(diagnostic(code, `job "${job.id}": ${message}`, { ...more, place, pointer: pointerOf([...job.base, ...path]) }))
  }
  // The needs of configured jobs are checked with their file.
  const idle = job.origin === 'stored' ? idleKeys(definition('StoredJob'), job.spec as unknown as JsonObject, sectionsAround(around)) : []
  for (const { code, path, message, help } of idle) say(code, path, message, { help, of: 'key' })
  if (job.spec.timezone !== undefined && /^\s*every\b/i.test(job.spec.schedule))
    say('WH210', ['timezone'], '"timezone" has no effect with an interval, which counts from 1970 in UTC', {
      help: 'remove it, or write a time of the day',
      of: 'key',
    })
  reviewTargets({ ...around, spec: job.spec, profile, say, placeOf })
  reviewComments({ ...around, spec: job.spec, say, placeOf })
  return found
}
