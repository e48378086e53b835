/** `targets test <name>`: sends a real message through the sender of the gateway, and says what came back; 1 when it failed. */

import { randomUUID } from 'node:crypto'
import { knownSecrets } from '../../app/known-secrets.ts'
import { profileNamed } from '../../app/profile-named.ts'
import { refusal } from '../../app/refusal.ts'
import type { Profile } from '../../config/config.ts'
import { type Loaded, loadConfig, unreadIn } from '../../config/load.ts'
import { systemClock } from '../../core/clock.ts'
import { type Code, type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { targetName } from '../../core/names.ts'
import { createRedactor } from '../../core/redact.ts'
import { nearest, printable } from '../../core/text.ts'
import { deliveriesOf, readDelivery } from '../../parts/destination.ts'
import { pathOf } from '../../parts/targets/kit/gh.ts'
import { permanentFailure } from '../../parts/targets/kit/permanent-failure.ts'
import { obstacleOf, platformOf, settingsOf, waysOf } from '../../parts/targets/kit/settings.ts'
import type { Sent } from '../../parts/targets/target.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { checkTarget } from '../../plan/route-rules.ts'
import { locateProgram } from '../../process/find-program.ts'
import { createSender } from '../../runs/sender.ts'
import type { Delivery } from '../../store/ports.ts'
import type { ProfileOption } from '../shell/grammar-values.ts'
import { readText } from '../shell/input.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { printDiagnostics, refuse } from '../shell/refuse.ts'
import { readExtra } from '../webhook/subscribe-options.ts'

export type TargetsTestOptions = ProfileOption & {
  readonly to?: string
  readonly extra?: readonly string[]
  readonly text?: string
  readonly yes?: boolean
}

type Targets = Catalogue['targets']
type Spec = { readonly deliver: string; readonly deliver_extra: JsonObject }

const budgetMs = 30_000
const defaultText = 'This is a test message from headgate.'

export const targetsTest = async (asked: string, options: TargetsTestOptions, cli: Cli): Promise<number> => {
  const loaded = loadConfig(cli.workspace)
  const unread = unreadIn(loaded)
  if (unread.length > 0) return refuse(cli, refusal('nothing was sent', unread, { texts: loaded.texts }))
  const profile = profileNamed(options.profile, loaded, cli.workspace.self)
  const target = targetName(asked)
  const targets = await targetsFor(target, loaded, cli)
  const unset = unresolvedOf(target, targets, profile, loaded)
  if (unset.length > 0) return refuse(cli, refusal('nothing was sent', unset, { texts: loaded.texts }))
  const spec = { deliver: target, deliver_extra: extraOf(options) }
  const { delivery, problems } = checked(spec, targets)
  if (!delivery) return refuse(cli, refusal('nothing was sent', problems))
  const redact = createRedactor(knownSecrets(loaded.config))
  const obstacle = await obstacleBefore(target, targets, profile)
  if (obstacle !== undefined) return report(target, profile.name, permanentFailure(obstacle), redact, cli)
  const text = options.text === undefined ? defaultText : await readText('--text', options.text, cli.io)
  await confirm(`send a real message to ${target}${options.to === undefined ? '' : ` (${printable(options.to, 100)})`}?`, options, cli)

  const send = createSender({
    targets,
    profile: (name) => loaded.config.profiles.get(name),
    facts: {
      tell(fact) {
        if (fact.kind === 'text_logged') note(cli, `log: ${printable(fact.text)}`)
        if (fact.kind === 'text_goes_once') note(cli, `note: ${printable(fact.why)}`)
      },
    },
    clock: systemClock,
  })
  const about = { profile: profile.name, route: 'targets-test', deliveryId: `test-${randomUUID()}` }
  const sent = await send({ ...about, text, delivery, place: 0, budgetMs }, spec)
  return report(target, profile.name, sent, redact, cli)
}

/** Why nothing can be sent, whatever the answer to a question would be. */
const obstacleBefore = async (target: string, targets: Targets, { platforms, env }: Profile): Promise<string | undefined> => {
  const part = targets.get(target)
  if (!part) return undefined
  const { program } = part
  const isThere = program === undefined || (await locateProgram(program, pathOf(env))) !== undefined
  const settings = settingsOf(part, platforms, env)
  const obstacle = obstacleOf(part, settings)
  if (obstacle !== undefined) return settings.enabled === false ? obstacle : `${obstacle}; it is connected by ${waysOf(part).join('; or ')}`
  return isThere ? undefined : `${program} is not installed, or not on the PATH`
}

/** References in the target's settings that cannot be resolved: it would send their names as credentials. */
const unresolvedOf = (target: string, targets: Targets, { place }: Profile, { diagnostics }: Loaded): Diagnostic[] => {
  const part = targets.get(target)
  const path = part && ['platforms', platformOf(part)]
  if (!path || !place) return []
  const { file } = place(path)
  return diagnostics.filter((one) => one.code === 'WH305' && one.place?.file === file && one.pointer.startsWith(`${pointerOf(path)}/`))
}

/** Throws a Fault that knows the nearest names. */
const targetsFor = async (target: string, { config, texts }: Loaded, cli: Cli): Promise<Targets> => {
  const { catalogue, diagnostics } = await catalogueOf(config)
  if (catalogue.targets.has(target)) return catalogue.targets
  if (!cli.json) printDiagnostics(diagnostics, texts, cli.io)
  const suggest = nearest(target, catalogue.targets.keys())
  throw new Fault('not_found', `no target "${target}"`, { exitCode: exit.notFound, suggest, hint: `${cli.workspace.self} targets list` })
}

const extraOf = ({ extra, to }: TargetsTestOptions): JsonObject =>
  readExtra({ ...(extra ? { deliverExtra: extra } : {}), ...(to === undefined ? {} : { deliverChatId: to }) }, '--extra') ?? {}

/** As a route with these settings would be checked. */
const checked = (spec: Spec, targets: Targets): { readonly delivery?: Delivery; readonly problems: readonly Diagnostic[] } => {
  const problems: Diagnostic[] = []
  const report = (code: Code, _path: Path, message: string): void => {
    const problem = diagnostic(code, message, { help: 'give it with --extra key=value, or --to' })
    if (problem.severity === 'error') problems.push(problem)
  }
  checkTarget(spec, new Set(targets.keys()), report)
  const [delivery] = deliveriesOf(readDelivery(spec, targets, report))
  return problems.length > 0 || !delivery ? { problems } : { delivery, problems }
}

const confirm = async (question: string, { yes = false }: TargetsTestOptions, { io }: Cli): Promise<void> => {
  if (yes) return
  if (!io.ask) throw usage('nothing was sent: this needs --yes where nobody can be asked')
  if (/^y(es)?$/i.test((await io.ask(`${question} [y/N] `)).trim())) return
  throw new Fault('cancelled', 'nothing was sent', { exitCode: exit.cancelled })
}

const report = (target: string, profile: string, sent: Sent, redact: (text: string) => string, cli: Cli): number => {
  const about = { target, profile, sent: sent.ok }
  if (sent.ok) {
    const detail = sent.detail === undefined ? null : redact(sent.detail)
    const text = `sent     ${target}${detail === null ? '' : `: ${printable(detail)}`}\n`
    return answer(cli, { kind: 'targets.test', data: { ...about, detail }, text })
  }
  const error = redact(sent.why)
  const again = sent.repeatable ? 'may be tried again' : 'another try would not help, or could post twice'
  const wait = sent.retryAfterMs === undefined ? '' : `, in ${Math.ceil(sent.retryAfterMs / 1000)} s`
  const data = { ...about, error, repeatable: sent.repeatable, retry_after_ms: sent.retryAfterMs ?? null }
  return answer(cli, {
    kind: 'targets.test',
    data,
    text: `failed   ${target}: ${printable(error)}\n         ${again}${wait}\n`,
    exitCode: exit.no,
  })
}
