/** A compiled configuration. A reload replaces it as a whole, so that each request or run sees one configuration from start to end. */

import type { Budget } from '../config/budget.ts'
import type { Config, RouteSource } from '../config/config.ts'
import { checkTls } from '../config/tls/check-tls.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { NewRun } from '../core/new-run.ts'
import type { MayDeliver } from '../core/plan.ts'
import type { HeldScope } from '../core/scope.ts'
import { someOf } from '../core/text.ts'
import { takingTurns } from '../core/turns/taking-turns.ts'
import { checkFeatures } from '../features/features.ts'
import type { Route } from '../generated/config.ts'
import type { Jobs } from '../parts/effects.ts'
import { agentNames, defaultAgent } from '../parts/named-agents.ts'
import { dispatchTargets } from '../parts/split/dispatch.ts'
import type { Outgoing, TargetPart } from '../parts/targets/target.ts'
import { writtenTargets } from '../parts/written-targets.ts'
import type { Catalogue, Compiled } from '../plan/compile.ts'
import { JobBook, jobParts } from '../plan/jobs.ts'
import { secretsOfTargets } from '../plan/known-secrets.ts'
import { challengeKeysOf, checkChallengeKeys } from '../plan/route-schemes.ts'
import { type Agent, compileRunner } from '../plan/runner.ts'
import { type ServedRoute, servedAs, servedBy, type Table } from '../plan/table.ts'
import type { Sending } from '../runs/breaker/breakers.ts'
import { jobPolicyOf, policyOf, type RunPolicy } from '../runs/policy.ts'
import { hasOtherTaker } from '../runs/sender.ts'
import type { SharedEffects } from './effects.ts'
import { type PlanBase, planBaseFor } from './plan-base.ts'

/** A compiled route, and whether a reload may keep it. */
type CompiledRoute = ServedRoute & Pick<Compiled, 'lasting'>

type RunOwner = Pick<NewRun, 'profile' | 'route' | 'job' | 'agent'>

/** A route or job, and the budget of its runs. `route` is empty for a job. */
export type DayBudget = RunOwner & { readonly budget: Budget }

export type LiveConfig = {
  readonly config: Config
  /** The parts that the configuration was compiled with, including the parts of plugins. */
  readonly catalogue: Catalogue
  /** What the plans of all routes are made from. */
  readonly base: PlanBase
  readonly maxBodyBytes: number
  readonly trustProxy: Config['adapter']['trust_proxy']
  readonly diagnostics: readonly Diagnostic[]
  readonly table: Table & { readonly configured: ReadonlyMap<string, CompiledRoute> }
  readonly jobs: JobBook
  readonly agent: Agent
  /** The notices of runners, each logged once when the gateway starts, by the names of their agents. */
  readonly notices: ReadonlyMap<string, string>
  /** Whether the subscriptions file and all jobs files could be read. Where one could not, some routes or jobs are not known. */
  readonly complete: () => boolean
  /** Whether the subscriptions in use are older than their file, because the file cannot be used. */
  readonly stale: () => boolean
  /** Returns the routes that take posts now: the enabled routes of the configuration, and the subscriptions. */
  served(): readonly ServedRoute[]
  policy(run: RunOwner): RunPolicy
  /** Returns the routes and jobs that are served and have a budget of the day. */
  dayBudgets(): readonly DayBudget[]
  send(outgoing: Outgoing): Promise<Sending>
  /** Judges `deliver_if` of a run's route. A route that does not have it, or that is gone, delivers. */
  readonly mayDeliver: MayDeliver
  /** Returns why the reply of a run could go nowhere; `undefined` where it has somewhere to go. */
  undeliverable(run: NewRun): string | undefined
  /**
   * Releases the plans and the runner of this configuration. Each of them is closed when no request or run uses it any more. A plan that
   * another configuration has too stays open.
   */
  close(): void
}

/**
 * Compiles everything of a configuration, and gives turns of the event loop to other work meanwhile. Mistakes in the configuration are in
 * `diagnostics` of the result. Plans of `before`, the configuration in use, are kept where compiling would give the same plan.
 */
export const compileLiveConfig = async (
  config: Config,
  parts: Catalogue,
  shared: SharedEffects,
  before?: LiveConfig,
): Promise<LiveConfig> => {
  const scopes: HeldScope[] = []
  const close = (): void => {
    for (const scope of scopes.splice(0)) scope.release()
  }
  try {
    return { ...(await compileAll(config, parts, shared, before, scopes)), close }
  } catch (error) {
    close()
    throw error
  }
}

/** Compiles the configuration, and adds each scope that `close` must release to `scopes`, also where it throws. */
const compileAll = async (
  config: Config,
  parts: Catalogue,
  shared: SharedEffects,
  before: LiveConfig | undefined,
  scopes: HeldScope[],
): Promise<Omit<LiveConfig, 'close'>> => {
  const jobs = new JobBook({
    config: { profiles: config.profiles },
    parts: jobParts(config, parts),
    learn: ({ spec, profile }) => shared.learn(secretsOfTargets(spec, config.profiles.get(profile)?.env ?? {})),
    report: reporting(shared, 'job'),
  })
  const asked = jobsToAsk(jobs)
  const options = { config, catalogue: parts, shared, jobs: asked, report: reporting(shared, 'subscription') }
  const base = planBaseFor(options, before?.base)
  scopes.push(base.scope)
  const previous = before && base === before.base ? before.table.configured : undefined
  const { configured, diagnostics } = await compileRoutes(
    config.routes,
    (route) => base.compile(route, asked, config.routes),
    previous,
    scopes,
  )
  const keys = challengeKeysOf(config.routes.values(), parts)
  const keyProblems = [...config.routes.values()].flatMap((route) => checkChallengeKeys(route, parts, keys))
  await base.subscriptions.load({ isReload: base === before?.base })
  asked.now = shared.jobs
  const table = {
    configured,
    subscribed: base.subscriptions,
    multiplex: config.multiplex,
    profiles: config.profiles,
    pauses: shared.pauses,
  }
  const { agent, scope, notices, diagnostics: agentProblems } = compileRunner(config, parts, shared)
  scopes.push(scope)
  return {
    config,
    catalogue: parts,
    base,
    maxBodyBytes: config.adapter.max_body_bytes,
    trustProxy: config.adapter.trust_proxy,
    diagnostics: [
      ...jobs.diagnostics,
      ...diagnostics,
      ...keyProblems,
      ...agentProblems,
      ...checkFeatures(config, parts.targets, (name) => servedAs(table, name) !== undefined),
      ...checkTls(config, shared.clock.now()),
    ],
    table,
    jobs,
    agent,
    notices: noticesWithReach(notices, [...config.routes.values()], parts.targets),
    ...presentEntries(base, jobs),
    ...settingsOfRuns({ config, base, table, jobs, isHeld: (route) => shared.pauses.holds(route) }),
  }
}

/** Makes the functions of a configuration that read the files of subscriptions and jobs as they are now. */
const presentEntries = ({ subscriptions }: PlanBase, jobs: JobBook): Pick<LiveConfig, 'complete' | 'stale'> => ({
  complete: () => {
    subscriptions.refresh()
    jobs.refresh()
    return subscriptions.ready && jobs.complete
  },
  stale: () => subscriptions.stale,
})

/** Makes the functions of a configuration that find the route or the job of a run: `send` for its delivery, `policy` for its attempts. */
const settingsOfRuns = ({
  config,
  base,
  table,
  jobs,
  isHeld,
}: Pick<LiveConfig, 'config' | 'base' | 'table' | 'jobs'> & { readonly isHeld: (route: string) => boolean }): Pick<
  LiveConfig,
  'send' | 'mayDeliver' | 'undeliverable' | 'policy' | 'served' | 'dayBudgets'
> => {
  const specOf = (route: string): Route | undefined => servedAs(table, route)?.source.spec
  const served = (): readonly ServedRoute[] => {
    base.subscriptions.refresh()
    return [...[...table.configured.values()].filter(({ plan }) => plan !== undefined), ...base.subscriptions.beside(table.configured)]
  }
  const policy: LiveConfig['policy'] = ({ job, profile: of, route, agent = defaultAgent }) => {
    const shared = { agents: config.agents, tools: config.tools, profile: config.profiles.get(of) }
    return job === undefined ? policyOf(shared, specOf(route), isHeld(route), agent) : jobPolicyOf(shared, jobs.get(of, job)?.spec)
  }
  const writtenOf = ({ profile, route, job }: Pick<NewRun, 'profile' | 'route' | 'job'>) =>
    job === undefined ? specOf(route) : jobs.get(profile, job)?.spec
  return {
    send: (outgoing) => base.send(outgoing, writtenOf(outgoing)),
    undeliverable: (run) => (hasOtherTaker(specOf(run.route)) ? undefined : base.undeliverable(run, writtenOf(run))),
    mayDeliver: async (run) => {
      const { plan, scope } = servedAs(table, run.route) ?? {}
      scope?.hold()
      try {
        return (await plan?.().mayDeliver?.(run)) ?? { kind: 'deliver' }
      } finally {
        scope?.release()
      }
    },
    policy,
    served,
    dayBudgets: () => {
      jobs.refresh()
      const ofRoutes = served().map(({ source: { profile, name: route, spec } }) => ({
        profile,
        route,
        agent: agentNames(spec.agent)[0] ?? defaultAgent,
      }))
      const ofJobs = jobs.all().map(({ profile, id }) => ({ profile, route: '', job: id }))
      return [...ofRoutes, ...ofJobs].flatMap((owner) => {
        const { budget } = policy(owner)
        return budget.dayTokens === undefined && budget.dayCost === undefined ? [] : { ...owner, budget }
      })
    },
  }
}

const compileRoutes = async (
  routes: Config['routes'],
  compile: (route: RouteSource) => Compiled,
  previous: ReadonlyMap<string, CompiledRoute> | undefined,
  scopes: HeldScope[],
): Promise<{ readonly configured: ReadonlyMap<string, CompiledRoute>; readonly diagnostics: readonly Diagnostic[] }> => {
  const configured = new Map<string, CompiledRoute>()
  const diagnostics: Diagnostic[] = []
  const turn = takingTurns()
  for (const route of routes.values()) {
    const same = previous?.get(route.name)
    const isSame = ({ name, digest }: RouteSource): boolean => previous?.get(name)?.source.digest === digest
    const dispatched = dispatchTargets(route.spec).flatMap((name) => routes.get(name) ?? [])
    if (same?.lasting && [route, ...dispatched].every(isSame)) {
      same.scope?.hold()
      if (same.scope) scopes.push(same.scope)
      configured.set(route.name, same)
      continue
    }
    const compiled = compile(route)
    diagnostics.push(...compiled.diagnostics)
    const served = servedBy(route, compiled)
    if (served?.scope) scopes.push(served.scope)
    if (served) configured.set(route.name, { ...served, lasting: compiled.lasting })
    await turn()
  }
  return { configured, diagnostics }
}

/**
 * Makes the jobs that plans look up, so that a plan which outlives a reload finds the jobs of the newer configuration. `now`: the jobs of
 * the plans' own configuration while these are compiled, later those of the configuration in use.
 */
const jobsToAsk = (first: Jobs): Jobs & { now: Jobs } => ({
  now: first,
  find(profile, reference) {
    return this.now.find(profile, reference)
  },
  isRefused(profile, reference) {
    return this.now.isRefused(profile, reference)
  },
})

/** Logs the findings about entries. A secret that no program was asked for yet is asked for. */
const reporting =
  ({ log, askSecrets }: Pick<SharedEffects, 'log' | 'askSecrets'>, what: string) =>
  (found: readonly Diagnostic[]): void => {
    if (found.some(({ code }) => code === 'WH329')) askSecrets?.()
    for (const { code, message, route, severity } of found)
      log(severity === 'info' ? 'info' : 'warn', { route, code }, `${what}: ${message}`)
  }

/**
 * Returns the notices of runners, with the routes whose replies go beyond the log: people there get what the stand-in says. An agent that the
 * configuration only has by default has none, where each route names another one.
 */
const noticesWithReach = (
  notices: ReadonlyMap<string, string>,
  routes: readonly RouteSource[],
  targets: ReadonlyMap<string, TargetPart>,
): ReadonlyMap<string, string> =>
  new Map(
    [...notices].flatMap(([name, notice]): [string, string][] => {
      const asking = routes.filter(({ spec }) => !spec.deliver_only && spec.cron_job === undefined && agentNames(spec.agent).includes(name))
      if (asking.length === 0 && routes.length > 0 && name !== defaultAgent) return []
      const reaching = asking.filter(({ spec }) => writtenTargets(spec).some(({ target }) => !targets.get(target)?.internal))
      if (reaching.length === 0) return [[name, notice]]
      return [[name, `${notice}. Until then its replies go out by ${someOf(reaching.map((route) => `"${route.name}"`))}`]]
    }),
  )
