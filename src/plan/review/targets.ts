/**
 * Reviews the targets of a route, a job or a rule of alerts: targets that cannot send as they are set up, keys of `deliver_extra` that no
 * target reads, a missing address.
 */

import type { Profile } from '../../config/config.ts'
import { isUnknown } from '../../config/env.ts'
import type { Path, SourceRange } from '../../core/diagnostic.ts'
import { type JsonObject, own } from '../../core/json.ts'
import { nearest, printable } from '../../core/text.ts'
import { keysOfExtra, missetOf, missingOf, platformOf, settingsOf, waysOf } from '../../parts/targets/delivery/settings.ts'
import type { TargetPart } from '../../parts/targets/target.ts'
import { writtenTargets } from '../../parts/written-targets.ts'
import { searchPathOf } from '../../process/find-program.ts'
import type { ReviewContext } from './review-context.ts'
import { eitherOf, fixOf, type ReportFinding, type Subject } from './subject.ts'

/** A route, a job or a rule of alerts that names targets. */
type TargetOwner = Pick<ReviewContext, 'catalogue' | 'hasProgram' | 'doubtful'> & {
  readonly spec: Pick<Subject['spec'], 'deliver' | 'deliver_extra'>
  readonly profile: Profile
  readonly say: ReportFinding
  readonly placeOf: (path: Path, of?: 'key' | 'value') => SourceRange
}

/** A target of a `TargetOwner`: its part, its `deliver_extra`, and the paths of its name and of this `deliver_extra`. */
type NamedTarget = { readonly part: TargetPart; readonly extra: JsonObject; readonly path: Path; readonly extraPath: Path }

export const reviewTargets = (sender: TargetOwner): void => {
  const { catalogue, profile, spec } = sender
  const targets = writtenTargets(spec)
  // A target that does not exist is an error already, and could read any key.
  const namedTargets = targets.flatMap(({ target, path, ...settings }): NamedTarget[] => {
    const part = catalogue.targets.get(target)
    const item = Array.isArray(spec.deliver) ? spec.deliver[Number(path[1])] : undefined
    return part ? [{ part, path: typeof item === 'object' ? [...path, 'target'] : path, ...settings }] : []
  })
  const meant = namedTargets.length === targets.length ? reviewKeys(namedTargets, sender) : new Set()
  for (const to of namedTargets) {
    const settings = settingsOf(to.part, profile.platforms, profile.env)
    // A misspelled chat_id was reported by `reviewKeys`.
    if (!reviewConnection(to, settings, sender) && !meant.has('chat_id')) reviewAddress(to, settings, sender)
  }
}

/**
 * Reports a target that cannot send. Returns `true` for such a target, and where the settings of the target are wrong or not known, so that
 * its address need not be reviewed.
 */
const reviewConnection = (
  { part, path }: NamedTarget,
  settings: JsonObject,
  { say, profile, hasProgram, doubtful }: TargetOwner,
): boolean => {
  const platform = `platforms.${platformOf(part)}`
  const here = profile.name === 'default' ? '' : ` in profile "${profile.name}"`
  if (settings.enabled === false) {
    say('WH712', path, `the target "${part.name}" is switched off${here}: nothing is delivered`, { help: `set ${platform}.enabled: true` })
    return true
  }
  if (doubtful.has(platformOf(part))) return true
  const missing = missingOf(part, settings)
  // The environment is not read, and it may have all the values that are missing here.
  if (missing.length > 0 && isUnknown(profile.env)) return true
  const wrong = missetOf(part, settings)
  if (wrong) {
    const message = `the target "${part.name}" cannot be reached${here}: ${platform}.${wrong.key} is not ${wrong.is}`
    say('WH712', path, message, { help: `set ${platform}.${wrong.key} to ${wrong.is}, such as ${wrong.example}` })
    return true
  }
  if (missing.length > 0) {
    const ways = waysOf(part).join('; or ')
    const message = `the target "${part.name}" is not connected${here}: ${missing.join(', ')} missing`
    say('WH712', path, message, { help: `set under ${platform}, or in the environment: ${ways}` })
    return true
  }
  if (part.program === undefined || hasProgram(part.program, searchPathOf(profile.env))) return false
  const message = `the target "${part.name}" runs ${part.program}, which is not on the PATH`
  say('WH709', path, message, { help: `install ${part.program} where the gateway runs, or extend its PATH` })
  return true
}

const reviewAddress = ({ part, extra, path, extraPath }: NamedTarget, settings: JsonObject, { say, spec, profile }: TargetOwner): void => {
  const problem = part.unaddressed?.(extra, settings)
  if (problem === undefined || isUnknown(profile.env)) return
  const at = extraPath.length > 1 || spec.deliver_extra !== undefined ? extraPath : path
  const section = `platforms.${platformOf(part)}`
  // Nobody but a plugin knows which keys its target reads.
  const help = part.schema
    ? `set deliver_extra.chat_id, or ${section}.home_channel`
    : `set what the plugin asks for, in deliver_extra or ${section}`
  say('WH713', at, `the target "${part.name}" has no address: ${problem}`, { help, of: at === path ? 'value' : 'key' })
}

/** Reports keys of a `deliver_extra` that none of the targets that share it reads. Returns the known keys that were most likely meant. */
const reviewKeys = (targets: readonly NamedTarget[], sender: TargetOwner): ReadonlySet<string> => {
  const meant = new Set<string>()
  for (const at of new Set(targets.map(({ extraPath }) => extraPath.join('.')))) {
    const readers = targets.filter(({ extraPath }) => extraPath.join('.') === at)
    const lists = readers.map(({ part }) => keysOfExtra(part))
    // A plugin's target does not declare the keys that it reads.
    if (lists.some((list) => list === undefined)) continue
    const known = [...new Set(lists.flatMap((list) => list ?? []))]
    const { extra, extraPath } = readers[0] as NamedTarget
    for (const key of Object.keys(extra)) {
      if (known.includes(key) || key.startsWith('x-')) continue
      const near = nearest(key, known).filter((name) => own(extra, name) === undefined)
      reportKey(key, { near, known, readers, extraPath }, sender)
      if (near[0] !== undefined) meant.add(near[0])
    }
  }
  return meant
}

/**
 * A key that nothing reads: the known keys near to it, all known keys, the targets that share its `deliver_extra`, and the path of this
 * `deliver_extra`.
 */
type UnreadKey = {
  readonly near: readonly string[]
  readonly known: readonly string[]
  readonly readers: readonly NamedTarget[]
  readonly extraPath: Path
}

const reportKey = (key: string, { near, known, readers, extraPath }: UnreadKey, { say, placeOf }: TargetOwner): void => {
  const names = [...new Set(readers.map(({ part }) => part.name))]
  const path = [...extraPath, key]
  const [best] = near
  const message = `nothing reads deliver_extra.${printable(key, 60)}: not ${names.join(', nor ')}`
  const others = known.length === 0 ? 'it has no settings here' : `known here: ${known.join(', ')}`
  if (best === undefined) {
    say('WH706', path, message, { help: others, of: 'key' })
    return
  }
  const sure = near.length === 1 && looseKey(best) === looseKey(key)
  const fix = fixOf(`write ${best}`, sure, { place: placeOf(path, 'key'), text: best })
  say('WH706', path, message, { help: `did you mean ${eitherOf(near)}?`, suggest: near, of: 'key', fix })
}

const looseKey = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]/g, '')
