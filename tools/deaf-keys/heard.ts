/** Names for each key of the schema a test that fails where the program ignores the key (`npm run deaf:keys`). */

import { operators } from '../../src/parts/operators/index.ts'

/**
 * The keys by the file and the title of their test. The file is below `test`. A key is named by its definition and the path in it:
 * `Route.respond.body`.
 */
const keysOf: { readonly [file: string]: { readonly [title: string]: string } } = {
  'app/alerts.test.ts': {
    'a gateway tells dead runs, used-up budgets and refused reloads, and answers for its alerts':
      'AlertRule.deliver_extra.headers AlertRule.deliver_extra.secret Config.alerts',
    'a message that fails is tried again a few times, and makes no alert of its own': 'AlertRule.deliver',
    'a reload brings the first alerts, and a certificate that ends soon is told': 'AlertRule.ends_within_days',
    'a silence is counted by the calendar of the route, over a change of summer time':
      'AlertRule.silence Silence.after_hours Silence.during Silence.route Silence.timezone',
    'an hour has so many messages; the rest waits for the next one, in bounded lines': 'AlertRule.max_per_hour',
    'of two gateways one tells, and goes on alone while the database does not answer': 'AlertRule.refused_per_minute',
  },
  'app/catch-up.test.ts': {
    'GitLab sends again under the same key, at the pace that it allows':
      'Route.catch_up.api_base Route.catch_up.from Route.catch_up.per_minute Route.catch_up.token',
    'a sender that asks to wait holds up no other sender': 'Route.catch_up.hook Route.catch_up.project',
    'an App and an organisation have their own logs; the App signs': 'Route.catch_up.app_id Route.catch_up.app_key Route.catch_up.org',
    'the command follows a catch-up to its end, and names no route that has none': 'Route.catch_up.repo',
    'the first catch-up of a route looks back no further than its hours': 'Route.catch_up.hours',
  },
  'app/lists.test.ts': {
    'an event is judged by the list as it is now; without the list it is refused': 'Condition.in_list',
    'tests and traces take their lists from whoever runs them': 'TestMocks.lists',
  },
  'app/polls.test.ts': {
    'a failure is said once, waits longer each time, obeys Retry-After, and ends': 'Config.metrics.enabled',
    'a page that comes again after it was taken is waited for and said, and counts once': 'Route.poll.token',
    'a sender without new messages is asked as often as every_seconds says': 'Route.poll.every_seconds',
    'url: messages come in order and once, marked, and their address takes no post': 'Route.poll.url',
  },
  'app/privacy.test.ts': {
    'an item that is alone is hidden as items of a list are, and a field that is not there is told and counted': 'WebhookSettings.redact',
    'what is redacted is verified as it came, and then neither stored nor handed on': 'Route.redact',
  },
  'app/secrets.test.ts': {
    'a json program is asked once for all ids': 'SecretProvider.protocol',
    'a provider that does not answer is waited for once': 'Route.secrets',
    'a running gateway: refresh, overlap, a program that fails, and secrets that become too old':
      'SecretProvider.max_age_seconds SecretProvider.overlap_seconds SecretProvider.refresh_seconds',
    'what a text program may answer': 'Config.secrets.providers SecretProvider.command SecretProvider.env SecretProvider.timeout_seconds',
  },
  'app/storage-move.test.ts': {
    'storage move': 'Config.storage.kind Config.storage.schema',
  },
  'cli/commands.test.ts': {
    'doctor: a port that another program has': 'WebhookSettings.port',
    'exit codes and envelopes of the commands that ask a gateway': 'Webhook.enabled',
  },
  'cli/cron.test.ts': {
    'create: every option': 'StoredJob.description',
    'create: stores what was given under a generated id, and says when it runs': 'StoredJob.created_at',
    'list and show: a job that runs now, as the gateway says; without one, and from one that cannot tell, nothing is claimed': 'Job.paused',
    'list and show: a one-off whose time is past will not run again; within its grace it may, and both say so': 'StoredJob.grace_seconds',
    'list: configured and stored jobs, their state and next run': 'Config.jobs Job.schedule Job.timezone StoredJob.updated_at',
    'pause and resume: a configured job by a note, which leaves nothing behind': 'Job.enabled',
    'subscribe --cron-job: by id or name, stored as the id; a wrong one is refused with nothing saved': 'Job.name',
  },
  'cli/live.test.ts': {
    'verify: what the route would take, and each cause of a refusal told apart': 'Route.verify',
  },
  'cli/program.test.ts': {
    'gateway unit: each credential that the configuration reads is loaded, and none that a comment names': 'Config.gateway.drain_seconds',
    'setup --yes: an adapter that is enabled, with a secret of its own': 'WebhookSettings.host',
  },
  'cli/route-tests.test.ts': {
    '--watch runs again when a test, a configuration or what a test sends changes, and outlives a mistake': 'TestSend.file',
    'a file of tests that is wrong fails, in validate too, and stops no start': 'RouteTests.routes',
    'a target and a script that fail, for the reason that the test gives':
      'RouteTest.mocks TestMocks.deliver.fail TestMocks.deliver.repeatable TestMocks.script.fail',
    'a target may be called by its other name, as in a route': 'RouteTest.route TestExpect.deliver.target',
    'an event whose reply has nowhere to go asks no agent, in a test too': 'TestExpect.prompt',
    'coverage says what no test has seen': 'TestSend.sample',
    'each expectation that does not hold fails its test, and is named': `
      RouteTest.name RouteTest.send TestExpect.answer TestExpect.dead TestExpect.deliver.body TestExpect.deliver.text TestExpect.deliveries TestExpect.event
      TestExpect.payload TestExpect.items.*.event TestExpect.items.*.id TestExpect.items.*.reason TestExpect.items.*.stopped_at TestExpect.outcome
      TestExpect.reason TestExpect.rule TestExpect.runs TestExpect.status TestExpect.stopped_at TestRule.contains TestRule.equals
      TestRule.jsonata TestRule.lacks TestRule.matches TestRule.max_chars TestRule.unresolved TestSend.payload
    `,
    'each item of a request that is split is checked, and their number': 'TestExpect.items.*.outcome TestSend.id',
    'of a sender that waits, the answer has the reply of the run': 'TestMocks.agent.fail TestMocks.agent.reply TestStep.send',
    'scripts run where the file says so, and let each event on where it does not': 'RouteTests.run_scripts',
    'snapshots are written when asked for, and compared after that': 'TestRule.snapshot',
    'the type and the headers that a test sends, and what it lets a script print, reach the route':
      'TestMocks.script.stdout TestSend.event TestSend.headers',
    'time, duplicates, retries, dead runs, mocks and signatures are as the server has them':
      'RouteTest.skip TestMocks.deliver.status TestSend.sign TestStep.advance TestStep.every TestStep.mocks TestStep.repeat',
    'what differs is said: the key, what was expected, what came, and how far the event got':
      'RouteTest.expect RouteTest.steps TestSend.unset TestStep.expect',
  },
  'cli/routes.test.ts': {
    'list --json has the agreed members': 'Subscription.created_at Subscription.description Subscription.updated_at',
    'test: --wait follows a run to its end, delivered or dead': 'Config.targets.breaker.enabled',
  },
  'cli/validate-more.test.ts': {
    '--fix puts the right path in the place of the wrong one': 'Condition.jsonata',
  },
  'cli/validate.test.ts': {
    'what is wrong with the shape of a route hides nothing else of it, and nothing is made up of it': 'Route.coalesce.single_flight',
  },
  'e2e/console-access.test.ts': {
    'a password signs in; guesses are bounded, and tell nothing of who has one': 'Config.console.auth.password',
    'a proxy is believed from its address alone, with its secret, and with each header once': `
      Config.console.auth.forward.groups_header Config.console.auth.forward.secret Config.console.auth.forward.secret_header
      Config.console.auth.forward.user_header Config.console.auth.roles.viewer
    `,
    'roles: who has not the right to payloads sees nothing of them in any answer': 'Config.console.auth.roles.payloads',
    'what an identity provider is asked for and tells decides who signs in, and with which rights': `
      Config.console.auth.oidc.client_id Config.console.auth.oidc.client_secret Config.console.auth.oidc.groups_claim
      Config.console.auth.oidc.issuer Config.console.auth.oidc.scopes Config.console.auth.oidc.user_claim Config.console.auth.roles.operator
      Config.console.public_origin
    `,
  },
  'e2e/console.test.ts': {
    'a gateway runs the console beside itself, and the command asks it for an address': 'Config.console.enabled',
  },
  'e2e/include.test.ts': {
    'routes come in the order of the paths, files of a pattern by name; each file once; odd names never':
      'Config.include RoutesFile.routes',
  },
  'http/tls.test.ts': {
    'a reload names other files, and takes none that cannot be used': 'Config.tls.client_ca Config.tls.key TlsName.key TlsName.name',
    'certificates of clients: the route decides, and no header stands for a handshake':
      'Config.tls.client_certificates Route.client_certificate.fingerprint Route.client_certificate.name',
    'each name gets its certificate, and all others the first one': 'Config.tls.names',
    'files are looked at, and a pair that does not fit keeps the one before': 'Config.tls.cert',
    'validate and doctor say what is wrong with a file, and where it is named': 'TlsName.cert',
  },
  'observe/traces.test.ts': {
    'calls of models and tools have their spans, and know their place (log level debug)': 'Config.telemetry.otlp.protocol',
    'links: the events of a group, the trace of a stranger, the event of a replay; a trusted caller is the parent':
      'Config.telemetry.traces.ratio',
    'one tree for a POST and its attempts, with a kill -9 between them (content: true)': 'Config.telemetry.content',
    'settings come from the file, and from the usual variables, which win; a bad address is found':
      'Config.telemetry.otlp.endpoint Config.telemetry.otlp.headers Config.telemetry.service_name',
    'while traces are off, nothing hands on a context, and no record has one': 'Config.telemetry.traces.enabled',
  },
  'parts/tools-mcp.test.ts': {
    'a call that is not answered ends with its time or with its run, the server is told, and others go on': 'McpServer.timeout_seconds',
    'a server that never begins, or never lists, keeps nobody longer than its time; who gives up earlier stops no start':
      'McpServer.start_timeout_seconds',
  },
  'parts/tools-web.test.ts': {
    'a picture is known by its bytes, and shown to the model': 'Config.tools.vision_analyze.max_bytes',
    'a search and a picture have their own time': 'Config.tools.vision_analyze.timeout_seconds Config.tools.web_search.timeout_seconds',
    'a search is there when a provider is, by the file or the environment':
      'Config.tools.web_search.api_key Config.tools.web_search.provider',
    'an answer has a size, a kind and a time': 'Config.tools.web_extract.max_bytes',
    'each provider is asked in its way, and its results become a list': 'Config.tools.web_search.max_results',
    'one limit of time holds for name, redirects, header and body together; a run that ends, ends the call':
      'Config.tools.web_extract.timeout_seconds',
  },
  'relay/front.test.ts': {
    'a key is measured once its reference is resolved': 'RelayGateway.routes',
    'a route has its bounds, and one client half of them': 'RelayFile.trust_proxy RelayRoute.max_body_bytes RelayRoute.max_bytes',
    'a sender that waits gets the answer of the gateway, or 202 where none comes in time': 'RelayRoute.answer',
    'gateways are apart: a key lets in to its own gateway only, and two keys may be in use': 'RelayFile.gateways RelayGateway.keys',
    'other settings are used at once: a new key, a route, a gateway; what is kept stays kept': 'RelayRoute.max_items',
    'what is kept for too long expires: it is counted, recorded and logged': 'RelayGateway.keep_hours',
  },
  'relay/inner.test.ts': {
    'an event gets the answer of the gateway, live': 'Config.relay.key Config.relay.listen Config.relay.url',
    'the address that tells the state of a run works under the name that senders see': 'Config.gateway.max_waiting_requests',
  },
  'relay/run.test.ts': {
    'a relay listens at the address and port of its file': 'RelayFile.host RelayFile.port',
  },
  'spec/agents.test.ts': {
    'at load: a route or job whose budget in money has no price': 'Budget.run_cost RouteAgent.budget RouteAgent.model StoredJob.model',
    'at load: tools of MCP servers that would have the name of another tool': 'McpServer.allow',
    'at load: what is written under tools, toolsets and budget and cannot work':
      'Agent.api_key Agent.budget Agent.model Config.toolsets McpServer.command McpServer.url',
    'of a prompt the long fields and the whole payload are set apart, and what is stored stays as it was':
      'Route.prompt RouteAgent.untrusted',
    'runs that comment on one thread have a limit': 'Budget.thread_runs',
    'skills come with the prompt, a missing one is warned of; with debug lines the reply is heard while it comes':
      'Job.skills Route.skills',
    'the calls of tools are in the record with inputs and results: redacted, bounded, and nowhere without payloads':
      'Config.tools.web_search.base_url',
    'the tools of a run: four, those of the platform, those of the route; unknown and forbidden names are dropped':
      'Config.platform_toolsets.webhook Route.toolsets',
    'what a run took is in its record; budgets of a run and of a day stop it':
      'Agent.prices.*.input Budget.day_cost Budget.run_tokens Config.agent Route.agent',
    'what an API tells that is no count lowers no sum, and is not taken for a count': 'Agent.prices.*.output Budget.day_tokens',
  },
  'spec/authentication.test.ts': {
    Authentication: 'WebhookSettings.secret',
  },
  'spec/bodies.test.ts': {
    multipart: 'Route.attachments.max_bytes Route.attachments.max_files Route.attachments.max_total_bytes',
  },
  'spec/breaker.test.ts': {
    'Retry-After, one trial at a time, a text that always fails, reset, and direct delivery':
      'Config.targets.breaker.failures Route.retry.backoff',
    'a receiver that asks to wait is left alone from its first answer on, and the wait spends no attempt': 'AlertRule.on',
    'a receiver that is down for ten minutes under load: nothing is lost, spent or asked in vain, and the order stays':
      'DeliverTo.target Route.when_down',
    'a target that stays down is tried as often as max_wait_seconds says': 'Config.targets.breaker.max_wait_seconds',
    'a text that is asked to wait again and again has an end': 'Route.retry.max_attempts',
  },
  'spec/clock.test.ts': {
    'a direct message with retry waits for its delay, for its turn, and expires, as a run does': 'Route.delay_seconds',
    'an hour forward: a delivery id is known for as long as its route says': 'Route.duplicates.hours',
    'no wait before another attempt is longer than max_delay_seconds': 'Route.retry.max_delay_seconds',
    'rate_limit with when_over: queue: all are accepted, and their runs begin so many a minute, in order': 'Route.rate_limit.when_over',
    'rate_limit: what queues expires in its time': 'Route.expires_seconds Route.rate_limit.per_minute',
  },
  'spec/cooldown.test.ts': {
    'last: the last event of the burst runs when the time is over, and says how many others there were':
      'Route.cooldown.key Route.cooldown.last',
    'the first event passes; those after it are ignored, recorded and listed, until the time is over': 'Route.cooldown.minutes',
  },
  'spec/deliver-if.test.ts': {
    'a review of an old head is not posted: the run ends as stale, and its reply stays in the record': 'Route.deliver_if',
    'a test of a route says what has changed when the reply is there': 'TestExpect.stale TestMocks.lookup_later',
  },
  'spec/ending-work.test.ts': {
    'a closing event stops the agent of its key at once, starts nothing, and says what it ended':
      'Route.cancel_on.events Route.cancel_on.filters',
    'each push ends the review before it; a push that is held back ends nothing': 'Route.supersede.key',
    'two values of a key cannot run together, and another route has keys of its own': 'Route.cancel_on.key',
  },
  'spec/agent-outputs.test.ts': {
    'the reply, the usage, the session and what was refused, of what each agent prints': 'Agent.output',
  },
  'spec/what-a-program-gets.test.ts': {
    'with `payload: true` the program gets the payload as the prompt sees it, in a file that is gone afterwards': 'Agent.payload',
  },
  'spec/named-agents.test.ts': {
    'a job has an agent too': 'Job.agent StoredJob.agent',
    'a route names its agent, changes its limits, or chooses by the event; the record says which was asked':
      'AgentChoice.use AgentChoice.when Config.agents RouteAgent.use',
    'an agent brings the skills of its runs': 'Agent.skills',
    'tests and traces of a route say the agent; validate finds names and keys that fit no agent': 'TestExpect.agent',
  },
  'spec/lookups.test.ts': {
    'a server that redirects, sends too much, sends slowly, packs or breaks off gives no answer': 'Route.lookup_timeout_seconds',
    'a trace and a test ask nothing, and take the answers that they are given': 'TestMocks.lookup TestMocks.lookup_failures',
    'answers are kept for cache_minutes, failures never, and equal questions at once are asked once': 'Lookup.cache_minutes',
    'conditions, texts, keys and the script read the answer, and not the payload':
      'Lookup.allow_private Lookup.headers Lookup.http Lookup.path Route.lookup',
    'without an answer: retry, ignore and pass': 'Lookup.on_failure',
  },
  'spec/lookups-hosts.test.ts': {
    'a pull request has the same small shape everywhere': 'Lookup.api_base Lookup.github Lookup.number Lookup.token',
    'a value that has not the form of its place is not sent': 'Lookup.repo Lookup.sha Lookup.user',
    'a merge request of GitLab has the shape of a pull request, and the path of its fork is asked for': 'Lookup.gitlab',
    'Gitea answers as GitHub does': 'Lookup.gitea',
  },
  'spec/duplicates.test.ts': {
    'no value forges the key of two fields, and an event without a usable value counts by its id': 'Route.duplicates.key',
    'the first event with a key counts for its minutes, and an id for an hour all the same': 'Route.duplicates.minutes',
  },
  'spec/coalesce.test.ts': {
    'a new event restarts the window': 'Route.coalesce.window_seconds',
    'a window may be a fraction of a second': 'Route.coalesce.max_wait_seconds',
    'with max_events the run starts at once, and the next event opens the next group': 'Route.coalesce.max_events',
    'events of one key become one run, which starts after the window; each is answered coalesced': 'Route.coalesce.key',
    keep: 'Route.coalesce.keep',
  },
  'spec/concurrency.test.ts': {
    'a key that cannot be read is said at load': 'Route.concurrency.key',
    'limit: 1 runs one after the other, in the order of acceptance; other routes go on': 'Route.concurrency.limit',
    'past max_queued_runs an event gets 503 with Retry-After, and its id is not consumed': 'Config.gateway.max_queued_runs',
    'priority: of the runs of all routes that wait, those of a route with high priority begin first, and low ones last':
      'Config.gateway.max_concurrent_runs Route.priority',
  },
  'spec/dispatch.test.ts': {
    'a forged signature reaches no route, and a route without an address is unknown': 'Route.address',
    'three routes behind one address, each with its own rules and work': 'Route.dispatch.*.to Route.dispatch.*.when',
    'validate, test, trace and the list of routes show what a dispatch does': 'TestExpect.items.*.route',
  },
  'spec/described-schemes.test.ts': {
    'a finding about a scheme has its title': 'SignatureScheme.title',
    'each key of a description decides whether a request is taken, or what it is taken for': `
      SchemeAnswer.status SchemeCertificate.header SchemeDigest.claim SchemeDigest.encoding SchemeDigest.header SchemeDigest.query
      SchemeEvent.body SchemeEvent.header SchemeEvent.present SchemeHandshake.when.absent SchemeId.digest SchemeId.header SchemeId.within
      SchemeKey.encoding SchemeKey.prefix SchemePlace.header SchemeSignature.query SchemeTimestamp.optional SchemeTimestamp.query
      SignatureScheme.body_digest SignatureScheme.key SignatureScheme.port SignatureScheme.sends
    `,
  },
  'spec/filters.test.ts': {
    'Filter conditions': 'Condition.all Condition.any Condition.any_item Condition.every_item Route.filters',
    'in_file is read again when it changed: time, size or inode': 'Condition.field Condition.in_file',
    'in_file stays inside the profile directory, links resolved; what cannot be decided does not pass under not either': 'Condition.not',
  },
  'spec/jobs-trigger.test.ts': {
    'events pass the same checks first: signature, events, filters, script, rate limit, duplicates': 'Route.events',
    'the expanded prompt is context of one run; the stored prompt stays, and the output goes where the job says':
      'Job.deliver_extra.headers Job.deliver_extra.secret Route.cron_job',
    'with cron_job_running: queue it runs once more for each event, one after the other': 'Route.cron_job_running',
    'without a prompt on the route the whole payload is the context; a job without a prompt has the context alone': 'Job.prompt',
  },
  'spec/numbers.test.ts': {
    'ids, prompts, conversations and contexts of jobs keep their digits (postgres)': 'Config.storage.url',
    'numbers in deliver_extra have their digits: on the wire, in tests of routes, and after a reload':
      'DeliverTo.deliver_extra Route.tests TestExpect.deliver.extra Webhook.extra',
    'tests of routes send the numbers that are written, signing changes none, and the configuration is shown so':
      'RouteTests.tests TestSend.body TestSend.set',
    'two ids past 2^53 are two deliveries, and one value is one, whichever way it is written': 'SignatureScheme.id',
  },
  'spec/payload-schema.test.ts': {
    'payloads that do not fit are ignored, refused or told, before the filters': 'Route.payload_mismatch Route.payload_schema',
  },
  'spec/plugins.test.ts': {
    'a rule of a schema that no sentence is about is said all the same': 'Job.deliver',
    'a runner that throws, gives no text or never ends fails the attempt': 'Agent.timeout_seconds',
    'its schema refuses mistakes with file and line, in `validate` too, and no value of a setting is told':
      'Route.deliver Route.deliver_extra',
    'the documented example is 25 lines, and its target delivers through the gateway': 'Config.plugins',
    'the documented scheme, operator and runner serve a route, and `webhook test` signs for it': 'Agent.base_url',
    'what a plugin tells of its parts is reviewed as ours is': 'Agent.runner',
  },
  'spec/records.test.ts': {
    'a body that is too large leaves a record with its route, ten in a minute': 'WebhookSettings.max_body_bytes',
    'a replay has the path and the query that came, without what names a secret or is redacted': 'TestSend.query',
    'an expression that fails goes out as nothing, and the log and the record have the reason, or the event is refused':
      'Route.expression_error Route.rate_limit.key',
    'keep_refused: posts under a wrong secret are kept in a bound, and run once their signature holds': 'Route.keep_refused',
    'past the most dead runs that are kept the oldest are forgotten': 'Config.storage.retention.max_dead_runs',
    'past the most events or bytes that are kept the oldest records go':
      'Config.storage.retention.max_bytes Config.storage.retention.max_events',
    'past the rate limit: what is signed is kept and can be replayed, within a bound; what is not leaves nothing': 'Route.allow_from',
    'payloads: false keeps the records alone': 'Config.storage.retention.payloads',
    'where a scheme looks for a secret itself, nobody gets it after that: no record, filter, script, prompt, delivery':
      'SchemeHandshake.token.header SchemeHandshake.when.body',
  },
  'spec/http-bodies.test.ts': {
    'callbacks and alerts, which no event fills in, know their own fields':
      'Route.callback.body Route.callback.content_type Route.callback.method',
  },
  'spec/requests.test.ts': {
    'a relay keeps the methods that it lists, and hands over what only looks': 'RelayRoute.methods',
    'a test of a route sends what the route takes': 'TestSend.method',
    'bodies of the kind that the route names': 'Route.body',
    methods: 'Route.methods',
  },
  'spec/respond.test.ts': {
    'a reply that does not come in time: 202 with an address that tells the state': 'Route.respond.status_hours',
    'callback: the end of each run is posted, signed, and once': 'Route.callback.headers Route.callback.secret Route.callback.url',
    'the status address: a dead run, and the reply where the route shows it':
      'Route.respond.max_waiting Route.respond.status_body Route.respond.wait_seconds',
  },
  'spec/responses.test.ts': {
    Profiles: 'Config.gateway.multiplex_profiles',
    'Rate limit': 'WebhookSettings.rate_limit',
  },
  'spec/runs.test.ts': {
    'a full queue answers 503 with Retry-After, and the id is not consumed': 'Agent.command',
    'an agent that takes too long is stopped with all that it started': 'RouteAgent.timeout_seconds',
  },
  'spec/schemes.test.ts': {
    'a scheme of the configuration, and one of a route': `
      Config.signature_schemes Route.secret SchemeId.body SchemeSignature.encoding SchemeSignature.header SchemeSignature.label
      SchemeSignature.prefix SchemeSignature.separator SchemeTimestamp.body SchemeTimestamp.header SchemeTimestamp.label
      SchemeTimestamp.window_seconds SignatureScheme.algorithm SignatureScheme.event SignatureScheme.signature SignatureScheme.signed
      SignatureScheme.timestamp
    `,
    'an answer is shaped for its sender, and its values are nothing but text': 'Route.respond.body Route.respond.content_type',
    'an answer is that of its outcome, where the route has one for it': `
      OutcomeAnswer.body OutcomeAnswer.content_type OutcomeAnswer.status Route.respond.outcomes.accepted Route.respond.outcomes.duplicate
      Route.respond.outcomes.ignored
    `,
    'handshakes are answered before any route work, and only as their scheme says': `
      Route.verify_token SchemeAnswer.headers SchemeAnswer.json SchemeAnswer.text SchemeHandshake.answer SchemeHandshake.method
      SchemeHandshake.signed SchemeHandshake.token.query SchemeHandshake.when.header SchemeHandshake.when.query SignatureScheme.handshakes
    `,
    'keys that are fetched: a JWKS, kept, rotated, and not asked too often':
      'SignatureScheme.audience SignatureScheme.issuer SignatureScheme.jwks_url',
    'only listed networks and checked certificates may post':
      'Route.client_certificate.equals Route.client_certificate.header WebhookSettings.trust_proxy',
  },
  'spec/script.test.ts': {
    'Script rules': 'Route.script_timeout_seconds',
    'a path that leaves the scripts folder stops the start': 'Route.script',
    'a script of a route without a limit has that of the adapter': 'WebhookSettings.script_timeout_seconds',
    'at most max_concurrent_scripts run at once; the others wait for their turn': 'Config.gateway.max_concurrent_scripts',
    'each profile has a scripts folder of its own': 'Route.profile',
  },
  'spec/senders-a.test.ts': {
    'what the code of the vendors signs is taken': 'Route.public_url',
  },
  'spec/senders-b.test.ts': {
    'Mandrill: its questions, and items that are known again however they are grouped': 'WebhookSettings.public_url',
    'SNS: its signed text, as AWS checks it': 'Route.confirm_subscriptions',
    'SendGrid: the vectors of its library, and its own check': 'Route.public_key',
    'what describes SNS serves as a scheme of the configuration, too': `
      SchemeCertificate.body SchemeCertificate.hosts SchemeCertificate.path SchemeHandshake.confirm.body SchemeHandshake.confirm.hosts
      SchemeHandshake.when.equals SchemePlace.body SchemeSignature.body SchemeTimestamp.unit SignatureScheme.certificate
      SignatureScheme.identity SignatureScheme.lines
    `,
  },
  'spec/sessions.test.ts': {
    'a session without a message for the time of retention is forgotten': 'Config.storage.retention.hours',
    'nor the session of somebody else, where the key has several values': 'Route.session.key',
    'what is delivered is copied into the session of its chat': 'Route.mirror_to_session',
  },
  'spec/several.test.ts': {
    'direct: 200 only when the condition of the mode holds; the id is free otherwise': 'Route.deliver_only',
    'first_success: in order, until one has it': 'Route.deliver_mode',
  },
  'spec/split.test.ts': {
    'each item has its own type, filters, id and run, and reads the whole request as batch': 'Route.split.items Route.split.type',
    'values of an id never give the id of other values': 'Route.split.id',
  },
  'spec/transform.test.ts': { 'transform rules': 'Route.transform' },
  'spec/subscriptions.test.ts': {
    'a secret that was replaced with an overlap verifies beside the new one, and then no more':
      'Subscription.overlap.secrets Subscription.overlap.until',
    'enabled: false is 403, and back again': 'Subscription.enabled',
  },
  'spec/targets.test.ts': {
    'a stand-in for the agent names the routes whose replies leave the log': 'WebhookSettings.routes',
  },
}

/** The test that runs the examples of every operator, in conditions of routes. */
const ofOperators = ['contract/operators.test.ts', 'a condition of a route holds as the examples of its operator say'] as const

/** The file and the title of the test by the key. An operator that the table does not have is shown by its examples. */
export const heard: { readonly [key: string]: readonly [file: string, title: string] } = {
  ...Object.fromEntries(
    operators
      .flatMap(({ name, schema: { properties = {} } }) => [name, ...Object.keys(properties as object).map((key) => `${name}.${key}`)])
      .map((key) => [`Condition.${key}`, ofOperators]),
  ),
  ...Object.fromEntries(
    Object.entries(keysOf).flatMap(([file, titles]) =>
      Object.entries(titles).flatMap(([title, keys]) =>
        keys
          .trim()
          .split(/\s+/)
          .map((key) => [key, [file, title]]),
      ),
    ),
  ),
}
