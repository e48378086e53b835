// Generated from schema/ by `npm run gen`. Do not edit.
import * as checks from './console-checks.js'

/** How each question is asked, the right that it takes, what the audit has of it, and the members of the answer that only the right to payloads shows. */
export const consoleQuestions = {
  overview: {
    right: 'view', quotes: [],
    question: { check: checks.overviewQuestion, members: {}, required: [] },
  },
  events: {
    right: 'view', quotes: ["events.*.reason","events.*.error","events.*.answer"],
    question: { check: checks.eventsQuestion, members: {text: { must: 'a string' }, field: { must: 'a list of at most 8 objects', maxItems: 8 }, route: { must: 'a string' }, outcome: { must: 'a list of at most 16 strings', maxItems: 16 }, state: { must: 'a list of at most 8 strings', maxItems: 8 }, since: { must: 'a whole number' }, until: { must: 'a whole number' }, cursor: { must: 'a string' }, limit: { must: 'a whole number' }}, required: [] },
  },
  charts: {
    right: 'view', quotes: [],
    question: { check: checks.chartsQuestion, members: {span: { must: 'a string' }, route: { must: 'a string' }}, required: ["span"] },
  },
  event: {
    right: 'view', quotes: ["event.reason","event.error","event.answer","attempts.*.error","attempts.*.answer"],
    question: { check: checks.eventQuestion, members: {id: { must: 'a string' }}, required: ["id"] },
  },
  content: {
    right: 'payloads', quotes: [],
    question: { check: checks.contentQuestion, members: {id: { must: 'a string' }}, required: ["id"] },
  },
  trace: {
    right: 'payloads', quotes: [],
    question: { check: checks.traceQuestion, members: {id: { must: 'a string' }, route: { must: 'a string' }}, required: ["id","route"] },
  },
  curl: {
    right: 'payloads', quotes: [],
    question: { check: checks.curlQuestion, members: {id: { must: 'a string' }}, required: ["id"] },
  },
  asSample: {
    right: 'operate', audit: {"action":"add_sample","on":{"event":"id","sample":"name"}}, quotes: [],
    question: { check: checks.asSampleQuestion, members: {id: { must: 'a string' }, name: { must: 'a string' }}, required: ["id","name"] },
  },
  asTest: {
    right: 'operate', audit: {"action":"add_test","on":{"event":"id"}}, quotes: [],
    question: { check: checks.asTestQuestion, members: {id: { must: 'a string' }}, required: ["id"] },
  },
  replay: {
    right: 'operate', audit: {"action":"replay","on":{"event":"id","edited":"body?"},"unless":"dry_run"}, quotes: ["reason","starts.prompt"], maxQuestionBytes: 134217728,
    question: { check: checks.replayQuestion, members: {id: { must: 'a string' }, body: { must: 'a string' }, dry_run: { must: 'a boolean' }}, required: ["id"] },
  },
  retry: {
    right: 'operate', audit: {"action":"retry","on":{"event":"id"}}, quotes: [],
    question: { check: checks.retryQuestion, members: {id: { must: 'a string' }}, required: ["id"] },
  },
  cancel: {
    right: 'operate', audit: {"action":"cancel","on":{"event":"id"}}, quotes: [],
    question: { check: checks.cancelQuestion, members: {id: { must: 'a string' }}, required: ["id"] },
  },
  routes: {
    right: 'view', quotes: [],
    question: { check: checks.routesQuestion, members: {}, required: [] },
  },
  routeText: {
    right: 'view', quotes: [],
    question: { check: checks.routeTextQuestion, members: {name: { must: 'a string' }, source: { must: 'a string' }, is_new: { must: 'a boolean' }, clone: { must: 'a string' }, like: { must: 'a string' }}, required: ["name"] },
  },
  routeNames: {
    right: 'view', quotes: [], maxQuestionBytes: 4194304,
    question: { check: checks.routeNamesQuestion, members: {name: { must: 'a string' }, source: { must: 'a string' }, is_new: { must: 'a boolean' }, from: { must: 'a string' }, to: { must: 'a string' }}, required: ["name","from","to"] },
  },
  routePreview: {
    right: 'view', quotes: [], maxQuestionBytes: 4194304,
    question: { check: checks.routePreviewQuestion, members: {name: { must: 'a string' }, source: { must: 'a string' }, is_new: { must: 'a boolean' }, from: { must: 'a string' }, to: { must: 'a string' }, payload: { must: 'a object' }}, required: ["name","from","to"] },
  },
  payloads: {
    right: 'payloads', quotes: [],
    question: { check: checks.payloadsQuestion, members: {route: { must: 'a string' }}, required: ["route"] },
  },
  payload: {
    right: 'payloads', quotes: [],
    question: { check: checks.payloadQuestion, members: {route: { must: 'a string' }, payload: { must: 'a object' }}, required: ["route","payload"] },
  },
  routePlan: {
    right: 'view', quotes: [], maxQuestionBytes: 4194304,
    question: { check: checks.routePlanQuestion, members: {name: { must: 'a string' }, source: { must: 'a string' }, is_new: { must: 'a boolean' }, from: { must: 'a string' }, to: { must: 'a string' }, onto: { must: 'a string' }}, required: ["name","from","to"] },
  },
  fixRoute: {
    right: 'view', quotes: [], maxQuestionBytes: 4194304,
    question: { check: checks.fixRouteQuestion, members: {name: { must: 'a string' }, source: { must: 'a string' }, is_new: { must: 'a boolean' }, from: { must: 'a string' }, to: { must: 'a string' }, fix: { must: 'a string' }}, required: ["name","from","to","fix"] },
  },
  saveRoute: {
    right: 'operate', audit: {"action":"save_route","on":{"route":"name","source":"source"}}, quotes: [], maxQuestionBytes: 4194304,
    question: { check: checks.saveRouteQuestion, members: {name: { must: 'a string' }, source: { must: 'a string' }, is_new: { must: 'a boolean' }, from: { must: 'a string' }, to: { must: 'a string' }, onto: { must: 'a string' }, despite_errors: { must: 'a boolean' }}, required: ["name","from","to"] },
  },
  keepDraft: {
    right: 'operate', audit: "none", quotes: [], maxQuestionBytes: 4194304,
    question: { check: checks.keepDraftQuestion, members: {name: { must: 'a string' }, source: { must: 'a string' }, is_new: { must: 'a boolean' }, from: { must: 'a string' }, to: { must: 'a string' }}, required: ["name","from","to"] },
  },
  dropDraft: {
    right: 'operate', audit: "none", quotes: [],
    question: { check: checks.dropDraftQuestion, members: {name: { must: 'a string' }, source: { must: 'a string' }}, required: ["name"] },
  },
  targets: {
    right: 'view', quotes: ["breakers.*.reason"],
    question: { check: checks.targetsQuestion, members: {profile: { must: 'a string' }}, required: [] },
  },
  targetTest: {
    right: 'operate', audit: "none", quotes: [],
    question: { check: checks.targetTestQuestion, members: {target: { must: 'a string' }, profile: { must: 'a string' }}, required: ["target"] },
  },
  testTarget: {
    right: 'operate', audit: {"action":"test_target","on":{"target":"target","profile":"profile"}}, quotes: [],
    question: { check: checks.testTargetQuestion, members: {target: { must: 'a string' }, profile: { must: 'a string' }}, required: ["target"] },
  },
  resetBreaker: {
    right: 'operate', audit: {"action":"reset_breaker","on":{"target":"target","address":"address"}}, quotes: [],
    question: { check: checks.resetBreakerQuestion, members: {target: { must: 'a string' }, address: { must: 'a string' }}, required: ["target"] },
  },
  lists: {
    right: 'view', quotes: [],
    question: { check: checks.listsQuestion, members: {}, required: [] },
  },
  list: {
    right: 'payloads', quotes: [],
    question: { check: checks.listQuestion, members: {name: { must: 'a string' }, text: { must: 'a string' }}, required: ["name"] },
  },
  addToList: {
    right: 'operate', audit: {"action":"add_to_list","on":{"name":"name","values":"values","for_minutes":"for_minutes"}}, quotes: [],
    question: { check: checks.addToListQuestion, members: {name: { must: 'a string' }, values: { must: 'a list of at most 100 strings', maxItems: 100 }, for_minutes: { must: 'a whole number' }}, required: ["name","values"] },
  },
  removeFromList: {
    right: 'operate', audit: {"action":"remove_from_list","on":{"name":"name","values":"values"}}, quotes: [],
    question: { check: checks.removeFromListQuestion, members: {name: { must: 'a string' }, values: { must: 'a list of at most 100 strings', maxItems: 100 }}, required: ["name","values"] },
  },
  health: {
    right: 'view', quotes: [],
    question: { check: checks.healthQuestion, members: {}, required: [] },
  },
  previewReload: {
    right: 'operate', audit: "none", quotes: [],
    question: { check: checks.previewReloadQuestion, members: {}, required: [] },
  },
  reload: {
    right: 'operate', audit: {"action":"reload","on":{}}, quotes: [],
    question: { check: checks.reloadQuestion, members: {}, required: [] },
  },
  signOut: {
    right: 'view', quotes: [],
    question: { check: checks.signOutQuestion, members: {}, required: [] },
  },
  live: {
    right: 'view', quotes: ["reason","error"],
    question: { check: checks.liveQuestion, members: {}, required: [] },
  },
  bulkPlan: {
    right: 'operate', audit: "none", quotes: ["first.*.reason","first.*.error","first.*.answer"],
    question: { check: checks.bulkPlanQuestion, members: {action: { must: 'a string' }, text: { must: 'a string' }, field: { must: 'a list of at most 8 objects', maxItems: 8 }, route: { must: 'a string' }, outcome: { must: 'a list of at most 16 strings', maxItems: 16 }, state: { must: 'a list of at most 8 strings', maxItems: 8 }, since: { must: 'a whole number' }, until: { must: 'a whole number' }}, required: ["action"] },
  },
  bulkStart: {
    right: 'operate', audit: "own", quotes: [],
    question: { check: checks.bulkStartQuestion, members: {plan: { must: 'a string' }}, required: ["plan"] },
  },
  bulkStop: {
    right: 'operate', audit: {"action":"bulk_stop","on":{"job":"job"}}, quotes: [],
    question: { check: checks.bulkStopQuestion, members: {job: { must: 'a string' }}, required: ["job"] },
  },
  bulkResume: {
    right: 'operate', audit: "own", quotes: [],
    question: { check: checks.bulkResumeQuestion, members: {job: { must: 'a string' }}, required: ["job"] },
  },
  bulkJobs: {
    right: 'view', quotes: ["jobs.*.failures.*.why"],
    question: { check: checks.bulkJobsQuestion, members: {}, required: [] },
  },
  work: {
    right: 'view', quotes: ["firing.*.detail"],
    question: { check: checks.workQuestion, members: {}, required: [] },
  },
  sessions: {
    right: 'payloads', quotes: [],
    question: { check: checks.sessionsQuestion, members: {}, required: [] },
  },
  startJob: {
    right: 'operate', audit: {"action":"start_job","on":{"profile":"profile","job":"job"}}, quotes: [],
    question: { check: checks.startJobQuestion, members: {profile: { must: 'a string' }, job: { must: 'a string' }}, required: ["profile","job"] },
  },
  pauseJob: {
    right: 'operate', audit: {"action":"pause_job","on":{"profile":"profile","job":"job"}}, quotes: [],
    question: { check: checks.pauseJobQuestion, members: {profile: { must: 'a string' }, job: { must: 'a string' }}, required: ["profile","job"] },
  },
  resumeJob: {
    right: 'operate', audit: {"action":"resume_job","on":{"profile":"profile","job":"job"}}, quotes: [],
    question: { check: checks.resumeJobQuestion, members: {profile: { must: 'a string' }, job: { must: 'a string' }}, required: ["profile","job"] },
  },
} as const

/** The members of each question. */
export type ConsoleQuestions = {
  /** What the pages show on every screen: the program, its data directory and its gateway. */
  readonly overview: Record<never, never>
  /** One page of events, newest first. */
  readonly events: {
    /** A text in the record, the request or an attempt. */
    readonly text?: string
    /** Values that fields of the request must have. */
    readonly field?: readonly {
      readonly path: string
      readonly value: string
    }[]
    /** The name of a route. */
    readonly route?: string
    /** Outcomes, with or without their stage. */
    readonly outcome?: readonly string[]
    /** States of the run. */
    readonly state?: readonly ('final' | 'waiting' | 'running' | 'done' | 'dead' | 'cancelled' | 'expired' | 'stale' | 'merged' | 'unknown')[]
    /** Milliseconds since 1970. */
    readonly since?: number
    /** Milliseconds since 1970. */
    readonly until?: number
    /** The id after which the page begins. */
    readonly cursor?: string
    /** The most events of the page. */
    readonly limit?: number
  }
  /** How many events came in a span of time, how they ended, how long they waited, and what they cost. */
  readonly charts: {
    /** The span of time, which ends now. */
    readonly span: 'hour' | 'day' | 'week'
    /** The name of a route. */
    readonly route?: string
  }
  /** One event with its attempts, without what a sender or an agent wrote. */
  readonly event: {
    /** The event's id. */
    readonly id: string
  }
  /** What a sender and an agent wrote: the request of an event, its prompts and replies. */
  readonly content: {
    /** The event's id. */
    readonly id: string
  }
  /** The verdict of each stage on a recorded event, by the files as they are now. */
  readonly trace: {
    /** The event's id. */
    readonly id: string
    /** The route's name. */
    readonly route: string
  }
  /** A command for a shell that sends a recorded event again. */
  readonly curl: {
    /** The event's id. */
    readonly id: string
  }
  /** Adds the request of a recorded event to the samples of this data directory, without secrets and personal data. */
  readonly asSample: {
    /** The event's id. */
    readonly id: string
    /** The name of the sample: sender/event. */
    readonly name: string
  }
  /** Adds the request of a recorded event to the tests of its route, with the outcome that it had. */
  readonly asTest: {
    /** The event's id. */
    readonly id: string
  }
  /** Takes a recorded event through the configuration in use. Its question may be large: another payload. */
  readonly replay: {
    /** The event's id. */
    readonly id: string
    /** Another body in its place. */
    readonly body?: string
    /** Only says what would become of it. */
    readonly dry_run?: boolean
  }
  /** Puts the dead run of an event back. */
  readonly retry: {
    /** The event's id. */
    readonly id: string
  }
  /** Cancels the run of an event that has not ended. */
  readonly cancel: {
    /** The event's id. */
    readonly id: string
  }
  /** All routes, with their findings. */
  readonly routes: Record<never, never>
  /** The text of a route for a person to edit, with stars for secrets, or that of a draft that was left unsaved. */
  readonly routeText: {
    /** The name of the route. */
    readonly name: string
    /** Where the route is kept: in config.yaml, or among the subscriptions. A route of config.yaml and a subscription may have one name, and then this says which is meant. */
    readonly source?: 'config' | 'subscription'
    /** The route is not in the file yet. */
    readonly is_new?: boolean
    /** The name of a route to copy. */
    readonly clone?: string
    /** The sample or recorded event to make the route of. */
    readonly like?: string
  }
  /** The names that the keys of a route may have as values, and the schema of routes. */
  readonly routeNames: {
    /** The name of the route. */
    readonly name: string
    /** Where the route is kept: in config.yaml, or among the subscriptions. A route of config.yaml and a subscription may have one name, and then this says which is meant. */
    readonly source?: 'config' | 'subscription'
    /** The route is not in the file yet. */
    readonly is_new?: boolean
    /** The text of the route with which the changes began. */
    readonly from: string
    /** The text with the changes. */
    readonly to: string
  }
  /** The findings about a changed route, and what it would do with a payload. */
  readonly routePreview: {
    /** The name of the route. */
    readonly name: string
    /** Where the route is kept: in config.yaml, or among the subscriptions. A route of config.yaml and a subscription may have one name, and then this says which is meant. */
    readonly source?: 'config' | 'subscription'
    /** The route is not in the file yet. */
    readonly is_new?: boolean
    /** The text of the route with which the changes began. */
    readonly from: string
    /** The text with the changes. */
    readonly to: string
    /** The payload with which the route is tried. */
    readonly payload?: {
      readonly from: 'sample' | 'event'
      /** The id of the event, or the name of the sample. */
      readonly id: string
    }
  }
  /** The samples and recorded events to try a route with. */
  readonly payloads: {
    /** The name of the route. */
    readonly route: string
  }
  /** One of these payloads with its values and their paths. */
  readonly payload: {
    /** The name of the route. */
    readonly route: string
    /** The payload with which the route is tried. */
    readonly payload: {
      readonly from: 'sample' | 'event'
      /** The id of the event, or the name of the sample. */
      readonly id: string
    }
  }
  /** What saving a changed route would write, and what would be wrong with it. */
  readonly routePlan: {
    /** The name of the route. */
    readonly name: string
    /** Where the route is kept: in config.yaml, or among the subscriptions. A route of config.yaml and a subscription may have one name, and then this says which is meant. */
    readonly source?: 'config' | 'subscription'
    /** The route is not in the file yet. */
    readonly is_new?: boolean
    /** The text of the route with which the changes began. */
    readonly from: string
    /** The text with the changes. */
    readonly to: string
    /** The changes are made in the file as it is now, although others changed the route. */
    readonly onto?: 'current'
  }
  /** The text of a changed route after the fix of a finding. Nothing is saved. */
  readonly fixRoute: {
    /** The name of the route. */
    readonly name: string
    /** Where the route is kept: in config.yaml, or among the subscriptions. A route of config.yaml and a subscription may have one name, and then this says which is meant. */
    readonly source?: 'config' | 'subscription'
    /** The route is not in the file yet. */
    readonly is_new?: boolean
    /** The text of the route with which the changes began. */
    readonly from: string
    /** The text with the changes. */
    readonly to: string
    /** The title of the fix. */
    readonly fix: string
  }
  /** Saves a changed route, and has a running gateway read its files again. */
  readonly saveRoute: {
    /** The name of the route. */
    readonly name: string
    /** Where the route is kept: in config.yaml, or among the subscriptions. A route of config.yaml and a subscription may have one name, and then this says which is meant. */
    readonly source?: 'config' | 'subscription'
    /** The route is not in the file yet. */
    readonly is_new?: boolean
    /** The text of the route with which the changes began. */
    readonly from: string
    /** The text with the changes. */
    readonly to: string
    /** The changes are made in the file as it is now, although others changed the route. */
    readonly onto?: 'current'
    /** Saves it although it has errors. */
    readonly despite_errors?: boolean
  }
  /** Keeps the changes of a route that are not saved. */
  readonly keepDraft: {
    /** The name of the route. */
    readonly name: string
    /** Where the route is kept: in config.yaml, or among the subscriptions. A route of config.yaml and a subscription may have one name, and then this says which is meant. */
    readonly source?: 'config' | 'subscription'
    /** The route is not in the file yet. */
    readonly is_new?: boolean
    /** The text of the route with which the changes began. */
    readonly from: string
    /** The text with the changes. */
    readonly to: string
  }
  /** Drops the kept changes of a route. */
  readonly dropDraft: {
    /** The name of the route. */
    readonly name: string
    /** Where the route is kept: in config.yaml, or among the subscriptions. A route of config.yaml and a subscription may have one name, and then this says which is meant. */
    readonly source?: 'config' | 'subscription'
  }
  /** Where texts can go, and which targets are down. */
  readonly targets: {
    /** The name of a profile; without it, the default profile. */
    readonly profile?: string
  }
  /** Whether a test message can be sent to a target. */
  readonly targetTest: {
    /** The target's name. */
    readonly target: string
    /** The profile whose settings are used; `default` where it is left out. */
    readonly profile?: string
  }
  /** Sends a real test message to a target. */
  readonly testTarget: {
    /** The target's name. */
    readonly target: string
    /** The profile whose settings are used; `default` where it is left out. */
    readonly profile?: string
  }
  /** Lets the gateway try a target that is down at once. */
  readonly resetBreaker: {
    /** The target's name. */
    readonly target: string
    /** One address of the target. */
    readonly address?: string
  }
  /** The lists that conditions ask, without their values. */
  readonly lists: Record<never, never>
  /** The values of a list, in the order in which they were added; at most 200. */
  readonly list: {
    /** The name of the list. */
    readonly name: string
    /** A text that the values have in them; without it, all values. */
    readonly text?: string
  }
  /** Adds values to a list, and makes the list where there is none. */
  readonly addToList: {
    /** The name of the list. */
    readonly name: string
    readonly values: readonly string[]
    /** After so many minutes the values are out of the list again; without it, they stay. */
    readonly for_minutes?: number
  }
  /** Removes values from a list, which stays. */
  readonly removeFromList: {
    /** The name of the list. */
    readonly name: string
    readonly values: readonly string[]
  }
  /** What the gateway says of itself and of other replicas, and what the checks of this machine found. */
  readonly health: Record<never, never>
  /** What a reload would change. */
  readonly previewReload: Record<never, never>
  /** Lets the gateway read its files again. */
  readonly reload: Record<never, never>
  /** Ends the sign-in of this browser. */
  readonly signOut: Record<never, never>
  /** The present traffic, line by line, as long as the page reads. */
  readonly live: Record<never, never>
  /** What a replay or retry of all events that fit would do. Nothing is done yet. */
  readonly bulkPlan: {
    readonly action: 'replay' | 'retry'
    /** A text in the record, the request or an attempt. */
    readonly text?: string
    /** Values that fields of the request must have. */
    readonly field?: readonly {
      readonly path: string
      readonly value: string
    }[]
    /** The name of a route. */
    readonly route?: string
    /** Outcomes, with or without their stage. */
    readonly outcome?: readonly string[]
    /** States of the run. */
    readonly state?: readonly ('final' | 'waiting' | 'running' | 'done' | 'dead' | 'cancelled' | 'expired' | 'stale' | 'merged' | 'unknown')[]
    /** Milliseconds since 1970. */
    readonly since?: number
    /** Milliseconds since 1970. */
    readonly until?: number
  }
  /** Does what a plan says, one event after the other, whether or not a browser waits for it. */
  readonly bulkStart: {
    /** The id of the plan. */
    readonly plan: string
  }
  /** Stops a bulk job after the event that it works on. */
  readonly bulkStop: {
    /** The id of the bulk job. */
    readonly job: string
  }
  /** Goes on with the latest bulk job, which ended early: with the events that it did not work on. */
  readonly bulkResume: {
    /** The id of the bulk job. */
    readonly job: string
  }
  /** The bulk jobs of this console: how far each is, and what failed. */
  readonly bulkJobs: Record<never, never>
  /** What is to be done: what waits in groups and lanes, budgets of the day, jobs with their next times, and alerts that fire. */
  readonly work: Record<never, never>
  /** The conversations of routes. Their names may have what a sender wrote. */
  readonly sessions: Record<never, never>
  /** Starts a job now. */
  readonly startJob: {
    readonly profile: string
    /** The job's id. */
    readonly job: string
  }
  /** Pauses a job. */
  readonly pauseJob: {
    readonly profile: string
    /** The job's id. */
    readonly job: string
  }
  /** Resumes a job that is paused. */
  readonly resumeJob: {
    readonly profile: string
    /** The job's id. */
    readonly job: string
  }
}
