/** Sends a real test message with the gateway's own sender. The gateway need not run. */

import { randomUUID } from 'node:crypto'
import type { Config, Profile } from '../../config/config.ts'
import { type Loaded, loadConfig, unreadIn } from '../../config/load.ts'
import { type Code, type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'
import type { Facts } from '../../core/facts/facts.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Delivery } from '../../core/new-run.ts'
import { nearest, printable } from '../../core/text.ts'
import { profileNamed } from '../../datadir/profile-named.ts'
import { type Refusal, refusal } from '../../datadir/refusal.ts'
import { withSecrets } from '../../datadir/secrets/with-secrets.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import { deliveriesOf, readDelivery } from '../../parts/destination.ts'
import { createKeep } from '../../parts/targets/delivery/keep.ts'
import { obstacleOf, platformOf, settingsOf, waysOf } from '../../parts/targets/delivery/settings.ts'
import { permanentFailure, type Sent } from '../../parts/targets/target.ts'
import { targetName } from '../../parts/written-names.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { knownSecrets } from '../../plan/known-secrets.ts'
import { checkDeliveryTarget } from '../../plan/route-rules.ts'
import { locateProgram, searchPathOf } from '../../process/find-program.ts'
import { createSender } from '../../runs/sender.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { ownCommentsOf } from '../../serve/comment-key.ts'

type Targets = Catalogue['targets']
type DeliverySpec = { readonly deliver: string; readonly deliver_extra: JsonObject }

export type TargetTestOptions = {
  readonly target: string
  readonly extra: JsonObject
  readonly profile?: string | undefined
  /** A configuration to test in place of the configuration in the files. */
  readonly loaded?: Loaded | undefined
}

/** The text of a test message, by default. */
export const defaultText = 'This is a test message from headgate.'

/** A checked test of a target. The test can be sent unless it has an obstacle. */
export type TargetTest = {
  readonly ok: true
  readonly target: string
  readonly profile: string
  /** Why the target cannot send any text; `undefined` where no obstacle is known. */
  readonly obstacle: string | undefined
  readonly spec: DeliverySpec
  readonly delivery: Delivery
  readonly targets: Targets
  readonly config: Config
}

const unsentOutcome = 'nothing was sent'

/**
 * Prepares a test. Returns a refusal for a configuration that cannot be read, an unknown target, and settings with a mistake. Throws a
 * Fault when the profile is not served.
 */
export const prepareTargetTest = async (workspace: Workspace, options: TargetTestOptions): Promise<TargetTest | Refusal> => {
  const loaded = options.loaded ?? loadConfig(await withSecrets(workspace))
  const { config, texts } = loaded
  const unread = unreadIn(loaded)
  if (unread.length > 0) return refusal(unsentOutcome, unread, { texts })
  const profile = profileNamed(options.profile, loaded, workspace.self)
  const target = targetName(options.target)
  const { catalogue, diagnostics } = await catalogueOf(config)
  const { targets } = catalogue
  // The target may be missing because its plugin has a mistake, so the refusal has the Diagnostics of plugins.
  if (!targets.has(target)) return refusal(unsentOutcome, diagnostics, { texts, fault: unknownTarget(target, targets, workspace.self) })
  const unset = unresolvedOf(target, targets, profile, loaded)
  if (unset.length > 0) return refusal(unsentOutcome, unset, { texts })
  const spec = { deliver: target, deliver_extra: options.extra }
  const { delivery, problems } = checkSettings(spec, targets)
  if (!delivery) return refusal(unsentOutcome, problems)
  const obstacle = await obstacleBefore(target, targets, profile)
  return { ok: true, target, profile: profile.name, obstacle, spec, delivery, targets, config }
}

/**
 * The result of a test. `notices`: the text that the target `log` wrote, and why a target sends a text only once. Known secrets are
 * redacted.
 */
export type TargetTested = { readonly sent: Sent; readonly notices: readonly string[] }

const budgetMs = 30_000

/** Sends the text as the message of the test. A test with an obstacle fails, and nothing is sent. */
export const sendTargetTest = async (test: TargetTest, text: string): Promise<TargetTested> => {
  const { obstacle, targets, config, profile, delivery, spec } = test
  const redact = createRedactor(knownSecrets(config))
  if (obstacle !== undefined) return { sent: redactSent(permanentFailure(obstacle), redact), notices: [] }
  const notices: string[] = []
  const facts: Pick<Facts, 'emit'> = {
    emit(fact) {
      if (fact.kind === 'text_logged') notices.push(`log: ${printable(fact.text)}`)
      if (fact.kind === 'text_goes_once') notices.push(`note: ${printable(fact.why)}`)
    },
  }
  const sent = await withDryEffects(({ scopes, clock }) => {
    const keep = createKeep(scopes.create({}).adopt)
    const ownComments = ownCommentsOf(config.dataDir)
    const send = createSender({ targets, profile: (name) => config.profiles.get(name), facts, keep, clock, ownComments })
    const about = { profile, route: 'targets-test', deliveryId: `test-${randomUUID()}` }
    return send({ ...about, text, delivery, position: 0, budgetMs }, spec)
  })
  return { sent: redactSent(sent, redact), notices }
}

const redactSent = (sent: Sent, redact: (text: string) => string): Sent => {
  if (!sent.ok) return { ...sent, why: redact(sent.why) }
  return sent.detail === undefined ? sent : { ...sent, detail: redact(sent.detail) }
}

/** Returns why nothing can be sent; `undefined` where no obstacle is known. */
const obstacleBefore = async (target: string, targets: Targets, { platforms, env }: Profile): Promise<string | undefined> => {
  const part = targets.get(target)
  if (!part) return undefined
  const { program } = part
  const isThere = program === undefined || (await locateProgram(program, searchPathOf(env))) !== undefined
  const settings = settingsOf(part, platforms, env)
  const obstacle = obstacleOf(part, settings)
  if (obstacle !== undefined) return settings.enabled === false ? obstacle : `${obstacle}; it is connected by ${waysOf(part).join('; or ')}`
  return isThere ? undefined : `${program} is not installed, or not on the PATH`
}

/**
 * Returns the Diagnostics of unresolved references in the target's settings. A test is refused because of them: otherwise the target would
 * send the text of the reference as its credentials.
 */
const unresolvedOf = (target: string, targets: Targets, { place }: Profile, { diagnostics }: Loaded): Diagnostic[] => {
  const part = targets.get(target)
  const path = part && ['platforms', platformOf(part)]
  if (!path || !place) return []
  const { file } = place(path)
  return diagnostics.filter(
    (one) => (one.code === 'WH305' || one.code === 'WH329') && one.place?.file === file && one.pointer.startsWith(`${pointerOf(path)}/`),
  )
}

const unknownTarget = (target: string, targets: Targets, self: string): Fault => {
  const suggest = nearest(target, targets.keys())
  return new Fault('not_found', `no target "${target}"`, { exitCode: exit.notFound, suggest, hint: `${self} targets list` })
}

/** Checks the settings as the settings of a route are checked. */
const checkSettings = (
  spec: DeliverySpec,
  targets: Targets,
): { readonly delivery?: Delivery; readonly problems: readonly Diagnostic[] } => {
  const problems: Diagnostic[] = []
  const report = (code: Code, _path: Path, message: string): void => {
    const problem = diagnostic(code, message, { help: 'give it with --extra key=value, or --to' })
    if (problem.severity === 'error') problems.push(problem)
  }
  checkDeliveryTarget(spec, targets, report)
  const [delivery] = deliveriesOf(readDelivery(spec, targets, report))
  return problems.length > 0 || !delivery ? { problems } : { delivery, problems }
}
