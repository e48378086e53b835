/** Compiles all scheduled jobs of the served profiles: configured jobs, and jobs made at run time. */

import { createHash } from 'node:crypto'
import { type AgentPricing, checkPrice } from '../config/budget.ts'
import type { Config, JobSource, Profile } from '../config/config.ts'
import { isPauseNote, jobNames, jobsFileOf, readStoredJob } from '../config/jobs.ts'
import { type Code, type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, own } from '../core/json.ts'
import { BadSchedule, compileSchedule, type Schedule } from '../expr/schedule.ts'
import type { Job as Spec } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import { readDelivery } from '../parts/destination.ts'
import type { Job, Jobs } from '../parts/effects.ts'
import { agentNames, defaultAgent } from '../parts/named-agents.ts'
import type { TargetPart } from '../parts/targets/target.ts'
import type { Catalogue } from './compile.ts'
import { Entries } from './entries.ts'
import { checkAgentNames, checkDeliveryTarget } from './route-rules.ts'
import { checkSkills } from './skills.ts'
import { checkToolsets, toolsetNames } from './toolsets.ts'

/** A compiled job, as the scheduler and the worker use it. */
export type ScheduledJob = Job & {
  readonly origin: JobSource['origin']
  readonly schedule: Schedule
  /**
   * The name under which the store keeps the next time of the job. The name has a hash of the schedule, so that a changed schedule is
   * planned anew.
   */
  readonly planKey: string
  /** How late a run may start whose time passed while the gateway was down. */
  readonly graceMs: number
  readonly model?: string
  readonly spec: Spec
}

/** What jobs are compiled with: the targets and toolsets that they can name, and the agent's limits and prices. */
export type JobParts = {
  readonly targets: ReadonlyMap<string, TargetPart>
  readonly toolsets: ReadonlySet<string>
  readonly agents: ReadonlyMap<string, AgentPricing>
}
/** The result of compiling a job. There is no job when a Diagnostic stops the start. */
export type CompiledJob = { readonly job?: ScheduledJob; readonly diagnostics: readonly Diagnostic[] }

export const jobParts = (
  config: Pick<Config, 'tools' | 'agents'>,
  { targets, toolsets }: Pick<Catalogue, 'targets' | 'toolsets'>,
): JobParts => ({
  targets,
  toolsets: toolsetNames(config, toolsets),
  agents: config.agents,
})

/** Compiles a job. There is no job when a Diagnostic stops the start. */
export const compileJob = (source: JobSource, { targets, toolsets, agents }: JobParts, { dir }: Pick<Profile, 'dir'>): CompiledJob => {
  const { id, profile, origin, spec } = source
  const diagnostics: Diagnostic[] = []
  const report = (code: Code, path: Path, message: string, help: string, of: 'key' | 'value' = 'key'): void => {
    const full = [...source.base, ...path]
    const more = { pointer: pointerOf(full), place: source.place(full, of), help }
    diagnostics.push(diagnostic(code, `job "${id}": ${message}`, more))
  }
  checkDeliveryTarget(spec, targets, report)
  checkSkills(spec.skills ?? [], dir, report)
  checkToolsets(spec.toolsets ?? [], ['toolsets'], toolsets, report)
  if (spec.agent !== undefined) checkAgentNames(spec.agent, agents, report)
  const [agent = defaultAgent] = agentNames(spec.agent)
  const pricing = agents.get(agent)
  if (spec.model !== undefined && pricing) checkPrice({ model: spec.model }, agent, pricing, report)
  const delivery = readDelivery(spec, targets, report)
  const timezone = spec.timezone ?? defaults.job.timezone
  const schedule = tryCompileSchedule(spec.schedule, timezone, (why) => report('WH223', ['schedule'], why, scheduleHelp, 'value'))
  if (!schedule || diagnostics.some(({ stopsStart }) => stopsStart)) return { diagnostics }
  if (!spec.prompt?.trim()) {
    const why = 'it has no prompt: the schedule and `cron run` ask the agent nothing; only an event of a cron_job route brings a prompt'
    report('WH225', spec.prompt === undefined ? [] : ['prompt'], why, 'give it a prompt')
  }
  const job: ScheduledJob = {
    id,
    name: spec.name ?? id,
    profile,
    origin,
    state: jobState(spec),
    prompt: spec.prompt ?? '',
    delivery,
    schedule,
    planKey: `${profile}/${id}/${createHash('sha256').update(`${timezone}\n${spec.schedule}`).digest('base64url').slice(0, 22)}`,
    graceMs: (spec.grace_seconds ?? defaults.job.grace_seconds) * 1000,
    spec,
    ...(spec.model === undefined ? {} : { model: spec.model }),
  }
  return { job, diagnostics }
}

const jobState = ({ enabled, paused }: Pick<Spec, 'enabled' | 'paused'>): Job['state'] =>
  enabled === false ? 'disabled' : paused ? 'paused' : 'active'

const scheduleHelp = 'docs/jobs.md has the forms of a schedule, for example "0 9 * * 1-5" or "@daily"'

const tryCompileSchedule = (schedule: string, timezone: string, refuse: (why: string) => void): Schedule | undefined => {
  try {
    return compileSchedule(schedule, timezone)
  } catch (error) {
    if (!(error instanceof BadSchedule)) throw error
    refuse(error.message)
    return undefined
  }
}

export type JobBookOptions = {
  readonly config: Pick<Config, 'profiles'>
  readonly parts: JobParts
  /** Called with each job of a jobs file before the job is compiled: the log must know the secrets of the job before a message quotes them. */
  readonly learn?: (source: Pick<JobSource, 'profile' | 'spec'>) => void
  /** Called with the problems of entries, and with those of a file that is not usable. */
  readonly report: (diagnostics: readonly Diagnostic[]) => void
}

/**
 * A compiled entry of a jobs file. Where config.yaml has a job of this id, only `paused` counts. `refused`: the names of an entry that does
 * not compile (`qualifiedNames`).
 */
type StoredEntry = { readonly paused: boolean; readonly job: ScheduledJob | undefined; readonly refused: readonly string[] }

const maxJobs = 10_000

/** Returns `profile/id`, and `profile/name` where the entry has a name. */
const qualifiedNames = (profile: string, id: string, entry: Json): readonly string[] =>
  jobNames(id, entry).map((name) => `${profile}/${name}`)

/**
 * All jobs of a configuration: those of its config.yaml files, and those of the jobs files. `refresh` reads a jobs file again when it has
 * changed.
 */
export class JobBook implements Jobs {
  /** The problems of the configured jobs. */
  readonly diagnostics: readonly Diagnostic[]
  readonly #options: JobBookOptions
  readonly #configured: readonly ScheduledJob[]
  readonly #stored: ReadonlyMap<string, Entries<StoredEntry>>
  #all: readonly ScheduledJob[] = []
  #byId: ReadonlyMap<string, ScheduledJob> = new Map()
  /** `profile/name` for the ids and names of configured jobs that do not compile. */
  readonly #refusedConfigured: ReadonlySet<string>
  /** As `#refusedConfigured`, but for the jobs of jobs files too, as of the last refresh. */
  #refused: ReadonlySet<string> = new Set()

  constructor(options: JobBookOptions) {
    const profiles = [...options.config.profiles.values()]
    const compiled = profiles.flatMap((profile) =>
      [...profile.jobs.values()].map((source) => ({ source, ...compileJob(source, options.parts, profile) })),
    )
    this.#options = options
    this.diagnostics = compiled.flatMap(({ diagnostics }) => diagnostics)
    this.#configured = compiled.flatMap(({ job }) => job ?? [])
    this.#refusedConfigured = new Set([
      ...profiles.flatMap(({ name, brokenJobs = [] }) => [...brokenJobs].map((each) => `${name}/${each}`)),
      ...compiled.flatMap(({ job, source }) => (job ? [] : qualifiedNames(source.profile, source.id, source.spec as unknown as Json))),
    ])
    this.#stored = new Map(profiles.map((profile) => [profile.name, this.#entriesOf(profile)]))
    this.#gather()
  }

  /** Reads changed files again. While a file is not usable, its last good entries stay. Never throws. */
  refresh(): void {
    let changed = false
    for (const entries of this.#stored.values()) changed = entries.refresh() || changed
    if (changed) this.#gather()
  }

  /** Returns all jobs as of the last refresh: the same list until a job changes. */
  all(): readonly ScheduledJob[] {
    return this.#all
  }

  /** Whether every jobs file has been usable, or missing, at least once when it was read. Before, `all` may lack jobs. */
  get complete(): boolean {
    return [...this.#stored.values()].every(({ ready }) => ready)
  }

  /**
   * Reads changed files, and returns the jobs that a route names by `reference`: the job of this id, else the configured jobs of this name,
   * else all jobs of this name.
   */
  find(profile: string, reference: string): readonly ScheduledJob[] {
    this.refresh()
    const exact = this.get(profile, reference)
    if (exact) return [exact]
    const named = this.#all.filter((job) => job.profile === profile && job.name === reference)
    // A job made at run time never replaces the name of a configured job.
    const configured = named.filter(({ origin }) => origin === 'config')
    return configured.length > 0 ? configured : named
  }

  /** Reads changed files. Whether a job of this id or name is there but does not compile, and no other job has the id or name. */
  isRefused(profile: string, reference: string): boolean {
    return this.find(profile, reference).length === 0 && this.#refused.has(`${profile}/${reference}`)
  }

  /** Returns the job of this id, as of the last refresh. */
  get(profile: string, id: string): ScheduledJob | undefined {
    return this.#byId.get(`${profile}/${id}`)
  }

  #entriesOf(profile: Profile): Entries<StoredEntry> {
    const file = jobsFileOf(profile)
    const { report } = this.#options
    return new Entries({ file, report, corrupt: 'WH806', compile: (id, entry) => this.#compileStored(profile, file, id, entry) })
  }

  #compileStored(profile: Profile, file: string, id: string, entry: Json): StoredEntry {
    const paused = isObject(entry) && own(entry, 'paused') === true
    if (profile.jobs.has(id) || isPauseNote(entry)) return { paused, job: undefined, refused: [] }
    const place = () => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 })
    const { job: source, diagnostics } = readStoredJob(id, entry, profile, { place })
    if (source) this.#options.learn?.(source)
    const compiled = source && compileJob(source, this.#options.parts, profile)
    const all = [...diagnostics, ...(compiled?.diagnostics ?? [])]
    if (all.length > 0) this.#options.report(all)
    const job = compiled?.job
    return { paused, job, refused: job ? [] : qualifiedNames(profile.name, id, entry) }
  }

  /** Makes the list of all jobs from the configured jobs and the present entries. */
  #gather(): void {
    const configured = this.#configured.map((job): ScheduledJob => {
      const note = this.#stored.get(job.profile)?.get(job.id)
      return note?.paused && job.state === 'active' ? { ...job, state: 'paused' } : job
    })
    const stored = [...this.#stored.values()].flatMap((entries) => [...entries].map(([, entry]) => entry))
    const all = [...configured, ...stored.flatMap(({ job }) => job ?? [])]
    this.#refused = new Set([...this.#refusedConfigured, ...stored.flatMap(({ refused }) => refused)])
    if (all.length > maxJobs)
      this.#options.report([
        diagnostic('WH806', `${all.length} scheduled jobs: only ${maxJobs} of them run`, { help: 'remove those that are not needed' }),
      ])
    this.#all = all.slice(0, maxJobs)
    this.#byId = new Map(this.#all.map((job) => [`${job.profile}/${job.id}`, job]))
  }
}
