/**
 * Declares every metric of our own: name, kind, labels and meaning. The meter, docs/metrics.md and the Grafana dashboard in
 * examples/observability/ are made of these rows. The Prometheus rules beside the dashboard are written by hand. Names and units follow
 * Prometheus' conventions (https://prometheus.io/docs/practices/naming/).
 */

export type MetricDeclaration = {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** Of a histogram: the upper bounds of its buckets, in the metric's unit. */
  readonly buckets?: readonly number[]
}

/** The bounds of buckets for answers and commits, from half a millisecond to ten seconds. */
const answerSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10]
/** The bounds of buckets for agents, models and targets, from ten milliseconds to ten minutes. */
const workSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600]
/** The bounds of buckets for the waiting of accepted work, from ten milliseconds to a day. */
const waitSeconds = [0.01, 0.1, 1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400]

const counter = (name: string, help: string, ...labels: readonly string[]) => ({ name, kind: 'counter', help, labels }) as const
const gauge = (name: string, help: string, ...labels: readonly string[]) => ({ name, kind: 'gauge', help, labels }) as const
const histogram = (name: string, buckets: readonly number[], help: string, ...labels: readonly string[]) =>
  ({ name, kind: 'histogram', help, labels, buckets }) as const

export const metrics = {
  requests: counter('headgate_requests_total', 'Requests by route, outcome and the stage that decided.', 'route', 'outcome', 'stage'),
  requestSeconds: histogram(
    'headgate_request_duration_seconds',
    answerSeconds,
    'Time from the head of a request to its answer, of requests whose signature held.',
    'route',
  ),
  bodyBytes: counter('headgate_request_body_bytes_total', 'Bytes of the bodies whose signature held.', 'route'),
  replays: counter('headgate_replays_total', 'Events that an operator replayed, by outcome.', 'route', 'outcome'),
  lastAccepted: gauge(
    'headgate_route_last_accepted_timestamp_seconds',
    'When the route last accepted an event, delivered it directly, or added it to a group.',
    'route',
  ),
  mismatches: counter(
    'headgate_payload_mismatches_total',
    'Payloads that do not fit the schema of their route, by what became of the event: ignore, refuse or warn.',
    'route',
    'action',
  ),
  redactionsMissed: counter(
    'headgate_redactions_missed_total',
    'Events without a field that their route redacts, so that nothing was hidden there.',
    'route',
    'field',
  ),
  lookups: counter(
    'headgate_lookups_total',
    'Questions of lookups by what is asked (http, github …): answered, kept (by an answer that was kept), limited (the server takes none now, or too many wait for it) or failed.',
    'lookup',
    'result',
  ),
  scriptSeconds: histogram(
    'headgate_script_duration_seconds',
    workSeconds,
    'Time that a script took, its wait for a slot included.',
    'result',
  ),
  listFetches: counter('headgate_list_fetches_total', 'Fetches of lists at web addresses (`in_list`).', 'list', 'result'),
  commits: counter('headgate_store_commits_total', 'Commits of the store.', 'result'),
  commitCalls: counter(
    'headgate_store_commit_calls_total',
    'Calls of the store in its commits: accepted events, taken runs, ends of runs.',
  ),
  commitSeconds: histogram(
    'headgate_store_commit_duration_seconds',
    answerSeconds,
    'Time from the first call of a commit until the commit was made, on the disk where the durability is fsync.',
  ),
  recordsLost: counter('headgate_record_lines_lost_total', 'Lines of the event records that could not be written. No event is lost by it.'),
  ready: gauge('headgate_ready', '1 where the gateway should get requests: its store answers, and it is not stopping. Else 0.'),
  waitingRuns: gauge('headgate_runs_waiting', 'Runs that are neither done nor dead, those in progress included.'),
  lanedRuns: gauge('headgate_runs_waiting_in_lanes', 'Runs that wait for their turn in a lane.'),
  oldestSeconds: gauge(
    'headgate_oldest_run_age_seconds',
    'Time since the oldest run that is neither done nor dead was accepted; 0 without any.',
  ),
  groups: gauge('headgate_groups_waiting', 'Groups of events that wait to become a run.'),
  deadRuns: gauge('headgate_dead_runs', 'Dead runs that are kept.'),
  sessions: gauge('headgate_sessions', 'Sessions that are kept.'),
  runsInProgress: gauge('headgate_runs_in_progress', 'Runs that this gateway works on.'),
  runWaitSeconds: histogram(
    'headgate_run_wait_seconds',
    waitSeconds,
    'Time from the acceptance of a run to the begin of its first attempt.',
    'route',
  ),
  attempts: counter(
    'headgate_run_attempts_total',
    'Attempts at runs: done, silent, again (tried again later), stale (deliver_if) or dead; and runs that ended without one: cancelled, expired.',
    'route',
    'result',
  ),
  attemptSeconds: histogram(
    'headgate_run_attempt_duration_seconds',
    workSeconds,
    'Time of an attempt at a run, the delivery included.',
    'route',
  ),
  deliveries: counter('headgate_deliveries_total', 'Texts that were handed to targets.', 'target', 'result'),
  deliverySeconds: histogram('headgate_delivery_duration_seconds', workSeconds, 'Time that a target took for a text.', 'target'),
  breakers: gauge('headgate_breaker_open', '1 while the breaker of the target is open or tries again, else 0.', 'target', 'address'),
  jobs: counter('headgate_jobs_started_total', 'Starts of scheduled jobs by schedule or by hand.', 'job'),
  modelCalls: counter('headgate_model_calls_total', 'Calls of models.', 'provider', 'model', 'result'),
  modelSeconds: histogram('headgate_model_call_duration_seconds', workSeconds, 'Time of a call of a model.', 'provider', 'model'),
  tokens: counter('headgate_model_tokens_total', 'Tokens that models read (input) and wrote (output).', 'provider', 'model', 'direction'),
  cost: counter(
    'headgate_model_cost_total',
    'Cost of the calls of models by the configured prices, in the currency of these prices.',
    'route',
  ),
  toolCalls: counter('headgate_tool_calls_total', 'Calls of tools by agents.', 'toolset', 'tool', 'result'),
  toolSeconds: histogram('headgate_tool_call_duration_seconds', workSeconds, 'Time of a call of a tool.', 'toolset', 'tool'),
  budgets: counter('headgate_budgets_used_up_total', 'Times that a run found a budget used up, or used it up.', 'route', 'budget'),
  activeRequests: gauge('headgate_requests_in_progress', 'Requests without their answer.'),
  waitingRequests: gauge('headgate_requests_waiting', 'Requests that wait for the reply of their run.'),
  relayConnected: gauge(
    'headgate_relay_connected',
    'Whether the relay of the configuration answered last: 1 or 0. Absent without a relay.',
  ),
  relayKept: gauge(
    'headgate_relay_kept_requests',
    'Requests that the relay keeps for this gateway, as the relay last said. Absent without a relay.',
  ),
  pollFailing: gauge('headgate_poll_failing', '1 while the polling endpoint of the route gives no page, else 0.', 'route'),
  pollMessages: counter(
    'headgate_poll_messages_total',
    'Polled messages: taken, refused by the route (refused), or given up because their work failed (given_up).',
    'route',
    'result',
  ),
  connections: gauge('headgate_connections', 'Open connections of senders.'),
  refusedConnections: counter(
    'headgate_connections_refused_total',
    'Connections that were closed at once, because 4096 are open, or 2048 of one client.',
  ),
  failedHandshakes: counter(
    'headgate_tls_handshakes_failed_total',
    'TLS handshakes that failed: the client speaks no TLS, or only an old one, refuses the certificate, or goes away.',
  ),
  unreadRequests: counter(
    'headgate_requests_unread_total',
    'Requests that were answered without being read: broken (400), too slow (408), with an unknown expectation (417), with too large a head (431).',
    'status',
  ),
  bodyMemory: gauge('headgate_body_memory_bytes', 'Bytes of unfinished bodies in memory; at most 67108864.'),
  certificateEnd: gauge(
    'headgate_certificate_end_timestamp_seconds',
    'When the certificate of this file, or one of its chain, ends; only with `tls`.',
    'file',
  ),
  routes: gauge('headgate_config_routes', 'Routes that are served.'),
  reloadOk: gauge(
    'headgate_config_last_reload_successful',
    '1 where the last reload took over the files, or none was made; 0 where it refused them.',
  ),
  reloadedAt: gauge('headgate_config_last_reload_success_timestamp_seconds', 'When the configuration in use was taken over.'),
  config: gauge('headgate_config_info', 'Always 1. The digest is of the configuration files in use.', 'digest'),
  build: gauge('headgate_build_info', 'Always 1. The version of the program and of Node.', 'version', 'node'),
  loopSeconds: counter(
    'headgate_event_loop_active_seconds_total',
    'Time for which the event loop was not idle: its rate is the utilization.',
  ),
} as const satisfies { readonly [key: string]: MetricDeclaration }

export type MetricKey = keyof typeof metrics

/** The value of all labels of the series that takes the values past the bound of a metric. */
export const otherSeries = 'other'
/** The most series of a metric, besides `otherSeries`. A histogram counts each combination of labels once. */
export const maxSeries = 1_000
