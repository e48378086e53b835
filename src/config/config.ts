/** The configuration that the program runs on: files, environment and flags together, references resolved, defaults filled in. */

import type { Path, SourceRange } from '../core/diagnostic.ts'
import type { JsonObject } from '../core/json.ts'
import type { AlertRule, Job, Route, SignatureScheme } from '../generated/config.ts'
import type { RunnerSettings } from '../parts/runners/runner.ts'
import type { AdapterSettings } from '../parts/stages/stage.ts'
import type { Budget, Price } from './budget.ts'
import type { ConsoleSettings } from './console/settings.ts'
import type { Env } from './env.ts'
import type { FileDigests } from './file-digests.ts'
import type { SecretSources } from './secrets/providers.ts'
import type { TlsSettings } from './tls/read-tls.ts'

export const defaultProfile = 'default'
/** The secret that switches verification off (rules: Authentication 9). */
export const insecure = 'INSECURE_NO_AUTH'

/** A route as its file has it, with its place in the file and its secrets resolved. */
export type RouteSource = {
  readonly name: string
  readonly origin: 'config' | 'subscription'
  readonly profile: string
  readonly enabled: boolean
  readonly spec: Route
  /** The secrets in use: the route's public keys, else its own secrets, else the inherited global secret. */
  readonly secrets: readonly string[]
  /**
   * Present where a new secret has replaced others that still verify requests: they are the last of `secrets`, from the index `from` on,
   * and verify until `untilMs`, wall time in milliseconds.
   */
  readonly overlap?: { readonly from: number; readonly untilMs: number }
  /** Which of the secrets come from programs, as `PROVIDER/ID`. */
  readonly provided?: readonly string[]
  /** A hash of the spec, its path and the secrets. Where a reload finds the same digest, the route has not changed. */
  readonly digest: string
  readonly place: (path: Path, of?: 'key' | 'value') => SourceRange
  /** The path of the route inside its file. */
  readonly base: Path
  /** The path of the included file in which the route stands; absent for a route of `config.yaml`. */
  readonly included?: string
}

/** A scheduled job as its file has it, with its place in the file. */
export type JobSource = {
  readonly id: string
  readonly profile: string
  readonly origin: 'config' | 'stored'
  readonly spec: Job
  readonly place: (path: Path, of?: 'key' | 'value') => SourceRange
  /** The path of the job inside its file. */
  readonly base: Path
}

/** The settings of an agent. */
export type AgentSettings = RunnerSettings & {
  readonly runner: string
  readonly timeoutMs: number
  readonly maxSteps: number
  /** Names of environment variables that the agent's program gets. */
  readonly env?: readonly string[]
  /** Variables that the agent's program gets, with templates and references as written. */
  readonly envValues?: { readonly [name: string]: string }
  /** Whether the agent's program gets the payload of the event. */
  readonly payload?: boolean
  readonly budget: Budget
  /** The prices by the names of models. */
  readonly prices: ReadonlyMap<string, Price>
  /** Returns the place of one of the agent's settings in `config.yaml`; absent where there is no such file. */
  readonly place?: (path: Path) => SourceRange
  /** The toolsets and skills of its runs whose route or job names none. */
  readonly toolsets?: readonly string[]
  readonly skills?: readonly string[]
}

/** A profile that is served: an agent with its own platforms, environment, scripts and jobs. */
export type Profile = {
  readonly name: string
  /** The profile's folder. */
  readonly dir: string
  readonly env: Env
  /** The providers of secrets, which all profiles share. */
  readonly secrets?: SecretSources | undefined
  /** The sections under `platforms`, without that of the webhook adapter. */
  readonly platforms: { readonly [name: string]: JsonObject }
  /** Finds places in the profile's config.yaml; absent where the profile has no config.yaml. */
  readonly place?: RouteSource['place']
  /** The jobs of the profile's config.yaml, by id. */
  readonly jobs: ReadonlyMap<string, JobSource>
  /** The ids and names of jobs in the profile's config.yaml that have a mistake in their shape or a secret. */
  readonly brokenJobs?: ReadonlySet<string>
}

/** A plugin, a module with further parts, as the configuration names it. */
export type PluginSource = { readonly name: string; readonly place: SourceRange; readonly pointer: string }

/**
 * How much of the event records and dead runs is kept. `maxAgeMs` limits both, `maxBytes` the size of event records, `maxEvents` their
 * number, and `maxDeadRuns` the number of dead runs.
 */
export type Retention = {
  readonly maxAgeMs: number
  readonly maxBytes: number
  readonly maxEvents: number
  readonly maxDeadRuns: number
  readonly payloads: boolean
}

/** A receiver of OTLP. `url`: the whole address for one signal. `headers`: may hold secrets. */
export type OtlpReceiver = {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly protocol: 'http/protobuf' | 'http/json'
}

/** What the gateway sends to receivers of OTLP. */
export type Telemetry = {
  readonly serviceName: string
  /** Further attributes of the resource, from the environment. */
  readonly resource: { readonly [name: string]: string }
  /** Whether spans contain the texts of prompts, replies and errors. */
  readonly content: boolean
  /** Absent where no traces are sent. `ratio`: the share of traces that are sampled, from 0 to 1. */
  readonly traces?: OtlpReceiver & { readonly ratio: number }
  /** Absent where no metrics are pushed. */
  readonly metrics?: OtlpReceiver
}

export type Config = {
  readonly dataDir: string
  /** The file that was read as `config.yaml`: that of the data directory, or the one of `--config`. */
  readonly file: string
  /** Digests of the files that the configuration was read from. */
  readonly digests: FileDigests
  /** Whether `config.yaml` gives no keys: it is missing, has none, or cannot be read as a map. */
  readonly isEmpty: boolean
  /** The data of `config.yaml` with secrets resolved, without routes: what people compare with another configuration. */
  readonly sections: JsonObject
  readonly enabled: boolean
  readonly host: string
  readonly port: number
  /** Absent where the gateway speaks plain HTTP. */
  readonly tls?: TlsSettings | undefined
  /** The secret of the routes that have no secret or public key of their own. */
  readonly globalSecret?: string
  /** The reference to the global secret, as `PROVIDER/ID`, where a program gives it. */
  readonly globalReference?: string
  /** The providers of secrets. `asked`: the references to their secrets in all files, as `PROVIDER/ID`. */
  readonly secrets: SecretSources & { readonly asked: readonly string[] }
  readonly adapter: AdapterSettings
  /** The operator's own signature schemes. */
  readonly schemes: {
    readonly named: { readonly [name: string]: SignatureScheme }
    /** Finds places in the file; absent without a file. */
    readonly place?: (path: Path) => SourceRange
  }
  /**
   * The routes of `config.yaml` without a mistake in their shape or a secret, by name. Disabled routes are among them, subscriptions are
   * not.
   */
  readonly routes: ReadonlyMap<string, RouteSource>
  /** Whether profiles besides the default profile are served. */
  readonly multiplex: boolean
  /** The profiles that are served; the default profile is always among them. */
  readonly profiles: ReadonlyMap<string, Profile>
  readonly plugins: readonly PluginSource[]
  /** The time that a stop gives to running work. */
  readonly drainMs: number
  readonly maxConcurrentRuns: number
  readonly maxQueuedRuns: number
  readonly maxWaitingRequests: number
  readonly maxConcurrentScripts: number
  /** The agents by their names. `agent` of the file is named `default`, and is always there. */
  readonly agents: ReadonlyMap<string, AgentSettings>
  readonly tools: {
    /** The settings of built-in toolsets, by their names. */
    readonly settings: { readonly [toolset: string]: JsonObject }
    /** The settings of MCP servers, by the names of the toolsets that are made of their tools. */
    readonly servers: { readonly [toolset: string]: JsonObject }
    /** The toolsets of runs whose route or job names none. */
    readonly ofRuns: readonly string[]
    /** Finds places in the file; absent without a file. */
    readonly place?: (path: Path) => SourceRange
  }
  readonly console: ConsoleSettings
  /** The listener for metrics and probes. `token`: the bearer token that its requests must show. */
  readonly metrics: { readonly enabled: boolean; readonly host: string; readonly port: number; readonly token?: string }
  /** Absent where nothing is sent to a receiver of OTLP. */
  readonly telemetry?: Telemetry | undefined
  /** When a target counts as down, and the longest wait between trials. Absent where the breakers are switched off. */
  readonly breaker?: { readonly failures: number; readonly longestWaitMs: number }
  /** The relay that keeps requests for this gateway. `listen`: whether the gateway opens its own port too. */
  readonly relay?: { readonly url: string; readonly key: string; readonly listen: boolean } | undefined
  /** The rules of alerts whose shape is right. `index`: the place of the rule in the list of its file. */
  readonly alerts: readonly { readonly index: number; readonly spec: AlertRule }[]
  readonly storage: {
    readonly kind: string
    readonly durability: 'fsync' | 'commit'
    readonly retention: Retention
    /** The address of the PostgreSQL database. Absent where the configuration has no `storage.url`. */
    readonly url?: string
    readonly schema: string
  }
}

/** Whether an address is one of the three loopback names for which INSECURE_NO_AUTH is allowed (rules: Start-up 4). */
export const isLoopback = (host: string): boolean => host === '127.0.0.1' || host === 'localhost' || host === '::1'
