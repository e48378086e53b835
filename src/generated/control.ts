// Generated from schema/ by `npm run gen`. Do not edit.
import type { Code } from '../core/diagnostic.ts'
import type { Json } from '../core/json.ts'
import * as checks from './control-checks.js'

/** How each operation is asked. A member of the question that stands in the path is not in the body. */
export const controlOperations = {
  status: {
    method: 'GET', path: '/status',
    question: { check: checks.statusQuestion, members: {}, required: [] },
    checkAnswer: checks.statusAnswer,
  },
  takeEntries: {
    method: 'POST', path: '/entries',
    question: { check: checks.takeEntriesQuestion, members: {}, required: [] },
    checkAnswer: checks.takeEntriesAnswer,
  },
  servedFile: {
    method: 'GET', path: '/file',
    question: { check: checks.servedFileQuestion, members: {}, required: [] },
    checkAnswer: checks.servedFileAnswer,
  },
  reload: {
    method: 'POST', path: '/reload',
    question: { check: checks.reloadQuestion, members: {force: { must: 'a boolean' }}, required: [] },
    checkAnswer: checks.reloadAnswer,
  },
  previewReload: {
    method: 'POST', path: '/reload/preview',
    question: { check: checks.previewReloadQuestion, members: {force: { must: 'a boolean' }, differences: { must: 'a boolean' }}, required: [] },
    checkAnswer: checks.previewReloadAnswer,
  },
  reloadAll: {
    method: 'POST', path: '/replicas/reload',
    question: { check: checks.reloadAllQuestion, members: {force: { must: 'a boolean' }}, required: [] },
    checkAnswer: checks.reloadAllAnswer,
  },
  stop: {
    method: 'POST', path: '/stop',
    question: { check: checks.stopQuestion, members: {}, required: [] },
    checkAnswer: checks.stopAnswer,
  },
  handOver: {
    method: 'POST', path: '/hand-over',
    question: { check: checks.handOverQuestion, members: {}, required: [] },
    checkAnswer: checks.handOverAnswer,
  },
  standings: {
    method: 'POST', path: '/events/standings',
    question: { check: checks.standingsQuestion, members: {ids: { must: 'a list of at most 1,000 strings', maxItems: 1000 }}, required: ["ids"] },
    checkAnswer: checks.standingsAnswer,
  },
  retry: {
    method: 'POST', path: '/events/:id/retry',
    question: { check: checks.retryQuestion, members: {id: { must: 'a string' }}, required: ["id"] },
    checkAnswer: checks.retryAnswer,
  },
  cancel: {
    method: 'POST', path: '/events/:id/cancel',
    question: { check: checks.cancelQuestion, members: {id: { must: 'a string' }}, required: ["id"] },
    checkAnswer: checks.cancelAnswer,
  },
  replay: {
    method: 'POST', path: '/events/:id/replay', maxQuestionBytes: 134217728,
    question: { check: checks.replayQuestion, members: {id: { must: 'a string' }, route: { must: 'a string' }, body: { must: 'a string' }, same_id: { must: 'a boolean' }, dry_run: { must: 'a boolean' }, ahead: { must: 'a list of at most 500 strings', maxItems: 500 }}, required: ["id"] },
    checkAnswer: checks.replayAnswer,
  },
  startJob: {
    method: 'POST', path: '/jobs/start',
    question: { check: checks.startJobQuestion, members: {profile: { must: 'a string' }, job: { must: 'a string' }}, required: ["profile","job"] },
    checkAnswer: checks.startJobAnswer,
  },
  runningJobs: {
    method: 'GET', path: '/jobs/running',
    question: { check: checks.runningJobsQuestion, members: {}, required: [] },
    checkAnswer: checks.runningJobsAnswer,
  },
  backlog: {
    method: 'GET', path: '/backlog',
    question: { check: checks.backlogQuestion, members: {}, required: [] },
    checkAnswer: checks.backlogAnswer,
  },
  eraseRuns: {
    method: 'POST', path: '/events/erase',
    question: { check: checks.eraseRunsQuestion, members: {ids: { must: 'a list of at most 1,000 strings', maxItems: 1000 }, groups: { must: 'a list of at most 2,000 strings', maxItems: 2000 }}, required: ["ids","groups"] },
    checkAnswer: checks.eraseRunsAnswer,
  },
  holdStore: {
    method: 'POST', path: '/store/hold',
    question: { check: checks.holdStoreQuestion, members: {}, required: [] },
    checkAnswer: checks.holdStoreAnswer,
  },
  releaseStore: {
    method: 'POST', path: '/store/release',
    question: { check: checks.releaseStoreQuestion, members: {hold: { must: 'a string' }}, required: ["hold"] },
    checkAnswer: checks.releaseStoreAnswer,
  },
  breakers: {
    method: 'GET', path: '/targets/breakers',
    question: { check: checks.breakersQuestion, members: {}, required: [] },
    checkAnswer: checks.breakersAnswer,
  },
  resetBreaker: {
    method: 'POST', path: '/targets/reset',
    question: { check: checks.resetBreakerQuestion, members: {target: { must: 'a string' }, address: { must: 'a string' }}, required: ["target"] },
    checkAnswer: checks.resetBreakerAnswer,
  },
  sessions: {
    method: 'POST', path: '/sessions',
    question: { check: checks.sessionsQuestion, members: {profile: { must: 'a string' }, route: { must: 'a string' }, max: { must: 'a whole number' }}, required: ["max"] },
    checkAnswer: checks.sessionsAnswer,
  },
  conversation: {
    method: 'POST', path: '/sessions/conversation',
    question: { check: checks.conversationQuestion, members: {key: { must: 'a string' }, max: { must: 'a whole number' }}, required: ["key","max"] },
    checkAnswer: checks.conversationAnswer,
  },
  consoleAddress: {
    method: 'POST', path: '/console',
    question: { check: checks.consoleAddressQuestion, members: {}, required: [] },
    checkAnswer: checks.consoleAddressAnswer,
  },
  tail: {
    method: 'POST', path: '/tail', isStream: true,
    question: { check: checks.tailQuestion, members: {route: { must: 'a string' }, outcome: { must: 'a string' }, per_second: { must: 'a whole number' }}, required: [] },
    checkAnswer: checks.tailAnswer,
  },
  catchUp: {
    method: 'POST', path: '/catch-up',
    question: { check: checks.catchUpQuestion, members: {route: { must: 'a string' }, since: { must: 'a number' }, dry_run: { must: 'a boolean' }}, required: [] },
    checkAnswer: checks.catchUpAnswer,
  },
  catchUps: {
    method: 'GET', path: '/catch-up',
    question: { check: checks.catchUpsQuestion, members: {}, required: [] },
    checkAnswer: checks.catchUpsAnswer,
  },
  alerts: {
    method: 'GET', path: '/alerts',
    question: { check: checks.alertsQuestion, members: {}, required: [] },
    checkAnswer: checks.alertsAnswer,
  },
  testAlerts: {
    method: 'POST', path: '/alerts/test',
    question: { check: checks.testAlertsQuestion, members: {rule: { must: 'a whole number' }}, required: [] },
    checkAnswer: checks.testAlertsAnswer,
  },
  muteAlerts: {
    method: 'POST', path: '/alerts/mute',
    question: { check: checks.muteAlertsQuestion, members: {name: { must: 'a string' }, seconds: { must: 'a number' }}, required: ["name","seconds"] },
    checkAnswer: checks.muteAlertsAnswer,
  },
} as const

export type ControlQuestions = {
  readonly status: Record<never, never>
  readonly takeEntries: Record<never, never>
  readonly servedFile: Record<never, never>
  readonly reload: {
    /** Reloads even where most of the routes would be removed. */
    readonly force?: boolean
  }
  readonly previewReload: {
    /** As a reload with `force` would be. */
    readonly force?: boolean
    /** Also tells what differs (`differences`). */
    readonly differences?: boolean
  }
  readonly reloadAll: {
    /** Reloads even where most of the routes would be removed. */
    readonly force?: boolean
  }
  readonly stop: Record<never, never>
  readonly handOver: Record<never, never>
  readonly standings: {
    readonly ids: readonly string[]
  }
  readonly retry: {
    readonly id: string
  }
  readonly cancel: {
    readonly id: string
  }
  readonly replay: {
    readonly id: string
    /** Another route than the event's. */
    readonly route?: string
    /** Another body than the event's. */
    readonly body?: string
    /** Keeps the delivery id, which shows the duplicate rule. */
    readonly same_id?: boolean
    /** Says what would happen, and does nothing of it. */
    readonly dry_run?: boolean
    /** The ids of events that are replayed next. They are looked up together with this one. */
    readonly ahead?: readonly string[]
  }
  readonly startJob: {
    readonly profile: string
    /** Its id or its name. */
    readonly job: string
  }
  readonly runningJobs: Record<never, never>
  readonly backlog: Record<never, never>
  readonly eraseRuns: {
    readonly ids: readonly string[]
    /** The ids of the events that opened the groups of these events. */
    readonly groups: readonly string[]
  }
  readonly holdStore: Record<never, never>
  readonly releaseStore: {
    readonly hold: string
  }
  readonly breakers: Record<never, never>
  readonly resetBreaker: {
    readonly target: string
    /** Absent: all addresses of the target. */
    readonly address?: string
  }
  readonly sessions: {
    readonly profile?: string
    readonly route?: string
    readonly max: number
  }
  readonly conversation: {
    readonly key: string
    readonly max: number
  }
  readonly consoleAddress: Record<never, never>
  readonly tail: {
    readonly route?: string
    /** How it was answered, with or without the stage, several with commas between: `ignored:filters,accepted`. Attempts count as those of what was accepted. */
    readonly outcome?: string
    /** The most requests and attempts a second. The lines of those above it are counted as `lost`, and all lines come in groups, at most 0.1 seconds late. Absent: every line at once. */
    readonly per_second?: number
  }
  readonly catchUp: {
    /** This route; absent: all. */
    readonly route?: string
    /** How far to look back: wall time, milliseconds. Absent: to where the last catch-up began. */
    readonly since?: number
    /** Only says what would be asked for. */
    readonly dry_run?: boolean
  }
  readonly catchUps: Record<never, never>
  readonly alerts: Record<never, never>
  readonly testAlerts: {
    /** The place of the rule in the list, from 1. */
    readonly rule?: number
  }
  readonly muteAlerts: {
    /** The name of an alert, such as `dead_run:orders`, a kind, or `all`. */
    readonly name: string
    /** How long; 0 tells them again. */
    readonly seconds: number
  }
}

/** What each operation does and answers. */
export type ControlAnswers = {
  /** What the gateway says of itself. */
  readonly status: Status
  /** Reads the subscriptions, the jobs and the pauses of routes again, which commands change at run time. The answer comes once this gateway keeps to them. */
  readonly takeEntries: {
    /** The other gateways on the shared store, by machine and process. They read it within two seconds. */
    readonly others: readonly string[]
  }
  /** Where the gateway is reached, and the file that it reads as config.yaml: both may be others than the data directory says. */
  readonly servedFile: {
    readonly config: string
    readonly url?: string
  }
  /** Reads the files again, and takes the configuration over or refuses it. */
  readonly reload: ReloadResult
  /** Reads the files again, and says what a reload would say and change. The gateway goes on with what it has. */
  readonly previewReload: ReloadResult
  /** Asks all replicas of the shared store for a reload. `status` shows how the reload of each replica ended. Throws StoreFault. */
  readonly reloadAll: {
    /** The ids of the replicas that were asked; none where the store has one gateway. */
    readonly replicas: readonly string[]
  }
  /** Asks the gateway to stop, as a signal does. It goes on with what it has in hand. */
  readonly stop: {
    readonly stopping: boolean
  }
  /** Asks the gateway to bring its listening socket to the process that waits at state/takeover.sock, which then asks it to stop. */
  readonly handOver: {
    /** How long running work may take once the gateway stops. */
    readonly drain_seconds: number
    /** Why the gateway keeps its socket. */
    readonly refused?: string
  }
  /** How the runs of these events stand; those that are not in the store are left out. Throws StoreFault. */
  readonly standings: {
    readonly standings: readonly RunStanding[]
  }
  /** Puts a dead run back. `retried` is `false` where the event has none. Throws StoreFault. */
  readonly retry: {
    readonly retried: boolean
  }
  /** Cancels the run of an event, or the group that would become its run. `none`: the event has none that has not ended. `delivering`: its reply is being delivered, so it is not cancelled. Throws StoreFault. */
  readonly cancel: {
    readonly result: 'cancelled' | 'delivering' | 'none'
  }
  /** Sends a stored request through the configuration in use. Its question may be large: a payload has up to 64 MiB, and many of its characters are two in JSON. */
  readonly replay: ReplayResult
  /** Starts a job by hand: paused ones too, disabled ones not. Throws StoreFault. */
  readonly startJob: JobStart
  /** Which jobs run now, of all profiles. */
  readonly runningJobs: {
    readonly jobs: readonly RunningJob[]
  }
  /** What waits and why: the numbers of runs, the groups that are due first, the lanes in which most runs wait, and what is used of the budgets of the day. Throws StoreFault. */
  readonly backlog: Backlog
  /** Deletes the runs and groups of events, and what sessions have of them, and records the ends of those that waited. Nothing is deleted of runs that are in progress. Throws StoreFault. */
  readonly eraseRuns: {
    /** The events whose runs and groups were deleted. A group may have been that of another event. */
    readonly events: readonly string[]
    /** How many of these waited. */
    readonly ended: number
    /** The ids of the events whose runs are in progress. */
    readonly running: readonly string[]
  }
  /** Brings everything that was accepted into the file of the store, and leaves the file as it is until `releaseStore`, so that it can be copied: for ten minutes at most. No answer members for a store without a file. Throws StoreFault. */
  readonly holdStore: {
    /** The name of the hold. A later hold ends this one. */
    readonly hold?: string
    /** The path of the file. */
    readonly file?: string
  }
  /** Ends a hold, and says whether the file has stayed as it was until now. */
  readonly releaseStore: {
    readonly whole: boolean
  }
  /** The breakers of targets that are not closed, the oldest first. */
  readonly breakers: {
    readonly breakers: readonly OpenBreaker[]
  }
  /** Makes the next trials of a target due now, or that of one address. Closes breakers that no run waits for. */
  readonly resetBreaker: {
    /** The receivers whose breakers were not closed. */
    readonly reset: readonly {
      readonly target: string
      readonly address: string
    }[]
  }
  /** At most `max` sessions, the one with the latest message first. Throws StoreFault. */
  readonly sessions: {
    readonly sessions: readonly SessionView[]
  }
  /** The session of a key with its latest messages, at most `max`; `null` when there is none. Throws StoreFault. */
  readonly conversation: {
    readonly conversation: Conversation | null
  }
  /** An address at which one browser can sign in, within a minute, to the console that the gateway runs. Without `url` where it runs none that answers. */
  readonly consoleAddress: {
    readonly url?: string
  }
  /** What goes on from now on; what went before is in the journal by then. Throws a StoreFault when as many watch as may. */
  readonly tail: AsyncIterableIterator<TailLine>
  /** Begins to ask the senders of routes with `catch_up` for events that did not come, and returns the states at once. A route that is at it goes on. No states where no such route is served. */
  readonly catchUp: CatchUps
  /** The state of the present or last catch-up of each route. */
  readonly catchUps: CatchUps
  /** The alerts that fire, and those that are not told. Without `alerts` where none are configured. */
  readonly alerts: {
    readonly alerts?: Alerts
  }
  /** Sends a test message to the targets of one rule of alerts, or of all. */
  readonly testAlerts: {
    readonly sent: readonly AlertTested[]
  }
  /** Leaves alerts of a name untold for a time, or tells them again. `found` is `false` where no alerts are configured. Throws StoreFault. */
  readonly muteAlerts: {
    readonly found: boolean
  }
}

export type CatchUps = {
  readonly routes: readonly CatchUpState[]
}

/** The reading of a polling endpoint for one route, since the start of the gateway. */
export type PollState = {
  readonly route: string
  readonly url: string
  /** `waiting`: for the gateway or the route. `elsewhere`: another gateway on the store polls. `failing`: the sender gives no page. */
  readonly state: 'polling' | 'waiting' | 'elsewhere' | 'failing'
  readonly since: string
  /** Why it does not poll. */
  readonly reason?: string
  /** When the last page was read. */
  readonly polled_at?: string
  /** Messages that were taken, repeats and ignored ones among them. */
  readonly taken: number
  /** Messages that the route refused, or that had no form of a message. */
  readonly refused: number
  /** Messages that failed here too often. */
  readonly given_up: number
}

/** A catch-up of one route. */
export type CatchUpState = {
  readonly profile: string
  readonly route: string
  /** Whose log is asked. */
  readonly from: string
  readonly state: 'waiting' | 'reading' | 'asking' | 'done' | 'failed'
  readonly dry_run: boolean
  /** Entries of the sender's log that are older than this time do not count: ISO 8601. */
  readonly since: string
  readonly started_at: string
  /** Absent while it runs. */
  readonly ended_at?: string
  /** The events in the log since then. */
  readonly listed: number
  /** Those that did not come. */
  readonly missing: number
  /** Those that the sender was asked to send again, or that were pulled. */
  readonly asked: number
  /** Those that the sender does not send again, or that the route did not take. */
  readonly refused: number
  /** Those that were sent again too often. */
  readonly given_up: number
  /** Why it failed. */
  readonly why?: string
  readonly help?: string
  /** Until when it waits because the sender asked it to retry later: ISO 8601. Absent while it does not wait. */
  readonly waits_until?: string
  /** What the sender answered before the wait. */
  readonly waits_for?: string
  /** The first hundred of the events that were missing. */
  readonly events: readonly {
    readonly delivery_id: string
    readonly event: string
    readonly at: string
    readonly result: 'missing' | 'asked' | 'pulled' | 'here' | 'refused'
    readonly why?: string
  }[]
}

/** A reload that was refused or that failed. */
export type FailedReload = {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly reason: string
}

/** How many posts were refused since the start, by the code of the refusal. Codes without a refusal are left out. */
export type RefusalCounts = { readonly [name: string]: number }

/** What waits in a gateway and why. Times are ISO 8601, UTC. */
export type Backlog = {
  /** The number of runs that are neither done nor dead, those in lanes and those in progress among them. */
  readonly runs: number
  /** The number of runs that wait for their turn in a lane. */
  readonly in_lanes: number
  readonly groups: number
  readonly dead: number
  readonly sessions: number
  /** When the oldest run that is neither done nor dead was accepted; `null` where there is no such run. */
  readonly oldest_at: string | null
  /** The groups that are due first, at most 50. */
  readonly open_groups: readonly {
    /** The id of an event of the group, by which the group is found: with `keep: first` its first event, else its latest event. */
    readonly id: string
    readonly profile: string
    readonly route: string
    readonly events: number
    readonly due_at: string
  }[]
  /** The lanes in which most runs wait, at most 50. */
  readonly full_lanes: readonly {
    /** The id of the event whose run begins next. */
    readonly id: string
    readonly profile: string
    readonly route: string
    readonly waiting: number
    /** The number of runs that have begun and not ended. */
    readonly open: number
    /** The most runs that may have begun and not ended. */
    readonly limit: number
  }[]
  /** What the runs of routes and jobs have used of their budgets of the day, at most 100. */
  readonly budgets: readonly BudgetUse[]
  /** The number of routes and jobs with a budget of the day that are left out. */
  readonly more_budgets: number
}

/** The use of a budget of the day: that of a route, or that of a job. */
export type BudgetUse = {
  readonly profile: string
  readonly route?: string
  /** The job's id. */
  readonly job?: string
  /** When the day ends, and its usage no longer counts. */
  readonly ends_at: string
  readonly tokens: number
  /** In the operator's currency. */
  readonly cost: number
  /** The budget. Absent: no limit on tokens. */
  readonly day_tokens?: number
  /** The budget. Absent: no limit on the cost. */
  readonly day_cost?: number
}

/** The breaker of a target's address that is down. Times are ISO 8601, UTC. */
export type OpenBreaker = {
  readonly target: string
  /** Empty where the target has one address only. */
  readonly address: string
  readonly state: 'open' | 'half_open'
  /** The last failure. */
  readonly reason: string
  readonly opened_at: string
  /** When the next trial is due. */
  readonly retry_at: string
  /** The number of runs that wait for it. */
  readonly waiting: number
}

/** A list at a web address. `address`: without query. `usable`: `false` while events that need it get 503. `values`, `fetched_at`, `age_seconds`: of the last good answer, `null` before the first. `failure`: why there is no newer one, absent where the last fetch succeeded. */
export type FetchedListState = {
  readonly address: string
  readonly usable: boolean
  readonly values: number | null
  readonly fetched_at: string | null
  readonly age_seconds: number | null
  readonly failure?: {
    readonly since: string
    readonly reason: string
    readonly times: number
  }
}

/** A secret that a program gave. */
export type KeptSecret = {
  /** `PROVIDER/ID`. */
  readonly reference: string
  /** When the program last gave the secret, as an ISO 8601 time. */
  readonly read_at: string
  /** Whether the secret that it has replaced still verifies requests. */
  readonly overlaps: boolean
  /** Why there is no newer secret. Absent where the last call succeeded. */
  readonly problem?: string
}

/** What a gateway says of itself. */
export type Status = {
  readonly pid: number
  readonly url: string
  readonly started_at: string
  readonly reloaded_at: string | null
  /** The last reload that was refused or that failed; `null` once a later reload was taken over. */
  readonly reload_failed: FailedReload | null
  /** Settings that the last reload found changed, and that only a restart takes over. */
  readonly need_restart: readonly string[]
  /** Files of the configuration that have changed since they were read, or cannot be read now. */
  readonly changed_files: readonly string[]
  readonly routes: number
  readonly jobs: number
  /** `null`: the store could not say. */
  readonly backlog: number | null
  readonly stopping: boolean
  /** Why `/readyz` answers 503; `null`: it answers 200. */
  readonly not_ready?: string | null
  /** The replicas of a shared store. Absent: the store has one gateway. `null`: the store does not answer. */
  readonly replicas?: readonly Replica[] | null
  readonly refused: RefusalCounts
  /** The secrets of programs. Absent where the configuration refers to none. */
  readonly secrets?: readonly KeptSecret[]
  /** Fields of `redact` that no event had since the start or the last reload, with the number of events that were looked at. `route`: `null` for fields of the adapter. Absent where there are none. */
  readonly redactions_missed?: readonly {
    readonly route: string | null
    readonly field: string
    readonly events: number
  }[]
  /** The lists at web addresses that conditions ask (`in_list`). Absent where there are none. */
  readonly lists?: readonly FetchedListState[]
  /** The paused routes. `hold`: their events are kept, and no run begins. `held_runs`: how many runs wait for that, as far as this gateway has looked at them. Absent where no route is paused. */
  readonly paused_routes?: readonly {
    readonly route: string
    readonly hold: boolean
    readonly since: string
    readonly held_runs: number
  }[]
  /** The catch-ups that are under way or failed, without their events. Absent where there are none. */
  readonly catch_ups?: readonly CatchUpState[]
  /** The number of requests that wait for the reply of their run. Absent in an older gateway. */
  readonly waiting_requests?: number
  /** The number of addresses of targets whose breaker is not closed. Absent in an older gateway. */
  readonly targets_down?: number
  /** The names of the alerts that fire. Absent where no alerts are configured. */
  readonly alerts?: readonly string[]
  /** The relay that keeps requests for this gateway, as the relay last said. Absent where the configuration names none. */
  readonly relay?: {
    readonly url: string
    readonly connected: boolean
    readonly since: string
    /** Why nothing is taken from the relay. */
    readonly reason?: string
    readonly kept?: number
    readonly kept_bytes?: number
    readonly oldest_at?: string
  }
  /** The polling endpoints that routes read. Absent where no route has one. */
  readonly polls?: readonly PollState[]
  /** The certificates in use; absent where the gateway speaks plain HTTP. The first is that for names without a certificate of their own. */
  readonly certificates?: readonly ServedCertificate[]
  readonly certificates_refused?: FailedReload
}

export type SourceRange = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

export type Diagnostic = {
  readonly code: Code
  readonly severity: 'error' | 'warning' | 'info'
  readonly stopsStart: boolean
  readonly message: string
  readonly help?: string
  readonly suggest?: readonly string[]
  readonly place?: SourceRange
  readonly pointer: string
  readonly route?: string
  readonly fix?: {
    readonly title: string
    readonly safe: boolean
    readonly edits: readonly {
      readonly place: SourceRange
      readonly text: string
    }[]
  }
  readonly related?: readonly {
    readonly place: SourceRange
    readonly message: string
  }[]
}

/** How a reload ended. */
export type ReloadResult = {
  /** `false`: refused, and the configuration before it serves on. */
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** Settings that changed and need a restart. */
  readonly restart: readonly string[]
  /** The names of the configured routes that were changed, or would have been. */
  readonly changes: {
    readonly added: readonly string[]
    readonly changed: readonly string[]
    readonly removed: readonly string[]
    /** The sections outside of the routes that changed, such as `agent` and `platforms.slack`, and each `.env` whose text changed. */
    readonly sections?: readonly string[]
  }
  /** Two texts of YAML to compare, with secrets masked and without the routes that are equal. Only of a preview that asks for them. */
  readonly differences?: {
    /** What the gateway serves. */
    readonly served: string
    /** What the files say. */
    readonly files: string
  }
}

/** How the run of an event stands. A run that is done is not in the store any more. */
export type RunStanding = {
  readonly eventId: string
  readonly state: 'waiting' | 'running' | 'dead'
  readonly attempt: number
  /** When it is tried again: wall time, milliseconds. */
  readonly dueAt?: number
  /** How the last attempt ended. */
  readonly error?: string
}

/** How a stored request fares with the configuration in use. */
export type ReplayResult = {
  readonly found: false
  readonly why: string
} | {
  readonly found: true
  /** The record of the replay; absent in a dry run. */
  readonly event_id?: string
  readonly status: number
  readonly outcome: string
  readonly reason?: string
  readonly stage: string
  /** What a dry run did not do, and could end it otherwise. */
  readonly note?: string
  /** The work that the request starts, or would start: the prompt or message, and where the result goes. */
  readonly starts?: {
    readonly mode: 'agent' | 'direct' | 'job' | 'group'
    readonly prompt: string
    readonly target: string
    /** The settings of the delivery; of several targets a list. */
    readonly extra: Json
  }
}

/** The result of starting a job by hand. */
export type JobStart = {
  readonly started: true
  readonly event_id: string
  readonly job: string
} | {
  readonly started: false
  readonly reason: 'job_running' | 'job_missing' | 'job_ambiguous' | 'job_disabled'
  readonly jobs?: readonly string[]
}

export type RunningJob = {
  readonly profile: string
  /** The job's id. */
  readonly job: string
  readonly event_id: string
  /** When this attempt began: ISO 8601, UTC. */
  readonly since: string
}

/** A session for a reader. Times are wall times, milliseconds. */
export type SessionView = {
  readonly key: string
  readonly profile: string
  readonly route: string
  readonly name: string
  /** The chat that its replies go to. */
  readonly place?: {
    readonly platform: string
    readonly chat: string
    readonly thread?: string
  }
  /** How many it has. */
  readonly messages: number
  readonly createdAt: number
  readonly updatedAt: number
}

/** A session with its latest messages. */
export type Conversation = {
  readonly session: SessionView
  readonly messages: readonly {
    readonly role: 'user' | 'assistant'
    readonly text: string
    /** Wall time, milliseconds. */
    readonly at: number
    /** The route whose delivery this is a copy of. */
    readonly label?: string
  }[]
}

/** A request, where it came from and how large it was. `event_id` is `null` where it leaves no record; a member is `null` where it is not known. Times are ISO 8601, UTC. */
export type RequestLine = {
  readonly type: 'event'
  readonly at: string
  readonly event_id: string | null
  readonly profile: string | null
  readonly route: string | null
  readonly event_type: string | null
  readonly delivery_id: string | null
  readonly bytes: number | null
  readonly remote: string | null
}

/** How a request ended. */
export type OutcomeLine = {
  readonly type: 'outcome'
  readonly at: string
  readonly event_id: string | null
  readonly profile: string | null
  readonly route: string | null
  readonly event_type: string | null
  readonly delivery_id: string | null
  readonly status: number | null
  readonly outcome: string
  readonly stage: string | null
  readonly duration_ms: number | null
  readonly reason: string | null
  readonly target: string | null
}

/** How an attempt at a run ended. */
export type DeliveryLine = {
  readonly type: 'delivery'
  readonly at: string
  readonly event_id: string | null
  readonly profile: string | null
  readonly route: string | null
  readonly event_type: string | null
  readonly delivery_id: string | null
  /** `waiting`: the attempt failed, and the run is tried again. */
  readonly state: 'done' | 'dead' | 'cancelled' | 'expired' | 'stale' | 'waiting'
  readonly attempt: number
  readonly job: string | null
  readonly target: string | null
  readonly error: string | null
  readonly next_at: string | null
  readonly silent: boolean
}

export type TrafficLine = RequestLine | OutcomeLine | DeliveryLine

/** What a watcher is sent. `lost`: so many lines were left out, because the watcher was too slow or more came in a second than asked for. `end`: the gateway stops. */
export type TailLine = {
  readonly type: 'init'
  readonly at: string
} | TrafficLine | {
  readonly type: 'lost'
  readonly lines: number
} | {
  readonly type: 'end'
  readonly reason: string
}

/** A replica, one of the gateways on a shared store, as its last beat described it. Times are ISO 8601, UTC, by the clock of who answers. */
export type Replica = {
  readonly id: string
  /** The gateway that answers. */
  readonly self: boolean
  readonly host: string
  readonly pid: number
  readonly url: string
  readonly version: string
  /** A digest of what its runs depend on: replicas with equal files have equal digests. */
  readonly digest: string
  readonly digest_since: string
  readonly started_at: string
  /** The time since its last beat. */
  readonly seen_seconds: number
  /** How far its clock is ahead of the store's; below 0, how far behind. */
  readonly clock_ahead_seconds: number
  /** Runs in progress. */
  readonly runs: number
  /** Requests without an answer. */
  readonly requests: number
  readonly stopping: boolean
  /** Why `/readyz` answers 503; `null`: it answers 200. */
  readonly not_ready: string | null
  /** The last reload that it was asked for through the store; `null`: none. */
  readonly reload: ReplicaReload | null
}

/** A reload that a replica was asked for. */
export type ReplicaReload = {
  readonly request: string
  /** `null`: it has not ended. */
  readonly ok: boolean | null
  /** Why it was refused or failed. */
  readonly reason?: string
}

/** An alert of a rule. */
export type Alert = {
  readonly name: string
  readonly kind: string
  /** The place of its rule in the list, from 1. */
  readonly rule: number
  /** When it began: ISO time. */
  readonly since: string
  /** How often its cause came; 0 where that is not counted. */
  readonly count: number
  readonly detail?: string
  /** Whether its beginning was told. */
  readonly told: boolean
  readonly muted: boolean
}

export type Alerts = {
  readonly firing: readonly Alert[]
  readonly muted: readonly {
    readonly name: string
    readonly until: string
  }[]
  /** The rules of which messages could not be delivered, and how many since the last delivery. */
  readonly lost: readonly {
    readonly rule: number
    readonly messages: number
  }[]
}

export type AlertTested = {
  readonly rule: number
  readonly target: string
  readonly ok: boolean
  readonly detail?: string
  readonly why?: string
}

/** A certificate that the gateway shows its clients. */
export type ServedCertificate = {
  readonly file: string
  /** The names that it covers, the first twenty. */
  readonly names: readonly string[]
  /** When it, or a certificate of its chain, ends. */
  readonly ends_at: string
  /** Its SHA-256. */
  readonly fingerprint: string
}
