// Generated from schema/ by `npm run gen`. Do not edit.


/** A signature scheme. */
export type Scheme = (("svix" | "standard_webhooks" | "linear" | "github" | "gitlab" | "v2" | "v1" | "asana" | "calendly" | "dropbox" | "hubspot" | "intercom" | "jira" | "notion" | "shopify" | "trello" | "typeform" | "zendesk" | "discord" | "line" | "meta" | "whatsapp" | "slack" | "telegram" | "twilio" | "x" | "zoom" | "buildkite" | "circleci" | "docker_hub" | "aws_sns" | "azure_event_grid" | "cloudevents" | "microsoft_graph" | "netlify" | "vercel" | "bitbucket" | "gitea" | "forgejo" | "auth0" | "okta" | "mailgun" | "mailgun_inbound" | "mandrill" | "mailchimp_transactional" | "postmark" | "sendgrid" | "sendgrid_inbound" | "alertmanager" | "datadog" | "grafana" | "grafana_timestamp" | "pagerduty" | "sentry" | "paypal" | "square" | "stripe") | string)
/** The name of a header, in any letter case. */
export type SchemeHeader = string
/** The name of a value in the address's query. */
export type SchemeQuery = string
/** A dotted path into the body, JSON or a form; of a list, the first that is there. */
export type SchemeBodyPath = (string | string[])
/** The part of the header with this label, as v1 in t=…,v1=…. */
export type SchemeLabel = string
/**
 * Names of hosts; an asterisk stands for one part, or for letters and digits in one, as in sns.us-*-*.amazonaws.com.
 * 
 * @minItems 1
 * @maxItems 16
 */
export type SchemeHosts = string[]
/** Where a reply or a direct message goes. */
export type Target = (("log" | "github_comment" | "hosta_comment" | "http" | "bluebubbles" | "dingtalk" | "discord" | "email" | "feishu" | "gitlab_comment" | "hostb_comment" | "google_chat" | "homeassistant" | "line" | "matrix" | "mattermost" | "ntfy" | "pushover" | "qqbot" | "signal" | "slack" | "sms" | "teams" | "msteams" | "telegram" | "wecom" | "wecom_callback" | "weixin" | "whatsapp" | "whatsapp_cloud") | string)
/** A target of a list. */
export type DeliverItem = (Target | DeliverTo)
/** A value of the body. A text is a template, or a reference to a secret such as ${NAME}. */
export type BodyValue = (string | number | boolean | null | {
[k: string]: BodyValue | undefined
} | BodyValue[])
/** A value of the body of an answer. A text is a template. */
export type AnswerValue = (string | number | boolean | null | {
[k: string]: AnswerValue | undefined
} | AnswerValue[])
/** The name of an agent under agents; default: that of the section agent. */
export type AgentName = string
/** How an agent is told which text came from a payload or a tool. */
export type Untrusted = ("fence" | "mark" | "off")
/** A value, or what must hold of it. */
export type TestMatcher = ((string | number | boolean | null) | TestRule)
/** The text that the agent got, or that was delivered directly: all of it, or what must hold of it. */
export type TestText = (string | TestRule)
/** A time: seconds, or with a unit: 500ms, 31s, 5m, 1h, 2d. */
export type TestDuration = (number | string)

/** config.yaml of headgate. */
export interface Config {
/** The webhook adapter and the platforms that messages go to. */
platforms?: {
webhook?: Webhook
bluebubbles?: BluebubblesPlatform
dingtalk?: DingtalkPlatform
discord?: DiscordPlatform
email?: EmailPlatform
feishu?: FeishuPlatform
github?: GithubPlatform
gitlab?: GitlabPlatform
google_chat?: GoogleChatPlatform
homeassistant?: HomeassistantPlatform
line?: LinePlatform
matrix?: MatrixPlatform
mattermost?: MattermostPlatform
ntfy?: NtfyPlatform
pushover?: PushoverPlatform
qqbot?: QqbotPlatform
signal?: SignalPlatform
slack?: SlackPlatform
sms?: SmsPlatform
teams?: TeamsPlatform
telegram?: TelegramPlatform
wecom?: WecomPlatform
weixin?: WeixinPlatform
whatsapp?: WhatsappPlatform
}
/**
 * More files with routes, as paths from the folder of this file; the last part of a path may have a *.
 * 
 * @maxItems 100
 */
include?: string[]
/**
 * Folders outside of the folder of this file to which links among the included files may lead.
 * 
 * @maxItems 20
 */
include_links_to?: string[]
/** The process itself. */
gateway?: {
/** Serve routes that are bound to a profile at /p/<profile>/webhooks/<route>. */
multiplex_profiles?: boolean
/** Seconds that running work may take after SIGTERM; the rest resumes at the next start. */
drain_seconds?: number
/** Agent runs at the same time. */
max_concurrent_runs?: number
/** Accepted runs that may wait; past them posts get 503. */
max_queued_runs?: number
/** Requests that wait for the reply of their run at the same time; further ones are answered at once. */
max_waiting_requests?: number
/** Scripts at the same time; others wait their turn. */
max_concurrent_scripts?: number
}
/** Programs that give secrets. */
secrets?: {
/** Programs that give secrets, by name. A value exec:NAME/ID is the secret that the program NAME gives for ID. */
providers?: {
[k: string]: SecretProvider | undefined
}
}
/** HTTPS in the gateway itself, without a proxy. */
tls?: {
/** PEM file with the certificate, and after it the certificates that issued it. */
cert: string
/** PEM file with the key of the certificate, without a passphrase. */
key: string
/** PEM file with the authorities that sign certificates of clients. */
client_ca?: string
/** Whether each post needs a certificate of client_ca, or only those on routes with client_certificate. */
client_certificates?: ("required" | "optional")
/**
 * Further certificates, by the name that a client asks for (SNI).
 * 
 * @maxItems 64
 */
names?: TLSName[]
}
agent?: Agent
/** Further agents, by names that routes and jobs say: agent: reviewer. */
agents?: {
[k: string]: Agent | undefined
}
/**
 * Modules that bring more delivery targets: files of the data directory, or npm packages.
 * 
 * @maxItems 100
 */
plugins?: string[]
/** Signature schemes of your own by name, for senders that no built-in one knows; a route names them in verify. */
signature_schemes?: {
[k: string]: SignatureScheme | undefined
}
/** Toolsets of agent runs, by platform. */
platform_toolsets?: {
/**
 * Toolsets of runs that events start, where their route has none of its own.
 * 
 * @maxItems 50
 */
webhook?: string[]
}
/** Toolsets of yours, by name: MCP servers that an agent may use. */
toolsets?: {
[k: string]: McpServer | undefined
}
/** Settings of the built-in tools of agents. */
tools?: {
/** How agents search the web; without a provider they cannot. */
web_search?: {
/** Who is asked. By default the first that the environment names. */
provider?: ("searxng" | "brave" | "tavily")
/** Address of the provider; SearXNG has no other. */
base_url?: string
/** Key of the provider. */
api_key?: string
/** Results of one search, at most. */
max_results?: number
/** Seconds that a search may take. */
timeout_seconds?: number
}
/** How agents read public web pages. */
web_extract?: {
/** Bytes of the largest page, unpacked. */
max_bytes?: number
/** Seconds that the page may take to arrive, with its redirects. */
timeout_seconds?: number
}
/** How agents look at public pictures. */
vision_analyze?: {
/** Bytes of the largest picture. */
max_bytes?: number
/** Seconds that the picture may take to arrive, with its redirects. */
timeout_seconds?: number
}
}
/** The console in a browser, which the gateway can run beside itself. */
console?: {
/** Whether the gateway runs the console, as a process of its own. */
enabled?: boolean
/** Address that the console binds to. Any other address than that of this machine alone takes auth. */
host?: string
/** Port of the console. 0 chooses a free port, which the log tells. */
port?: number
/** Address at which browsers of other machines reach the console, without a path. */
public_origin?: string
/**
 * Networks and addresses of the proxies in front of the console.
 * 
 * @maxItems 100
 */
proxies?: string[]
/** How people sign in from other machines, and what each may do. A code of headgate console works besides. */
auth?: {
/** Sign-in by a proxy that has signed the user in, and says so in headers. */
forward?: {
/** Secret that the proxy shows in secret_header with each request, at least 16 characters. */
secret: string
/** Header in which the proxy shows the secret. */
secret_header?: string
/** Header in which the proxy names the user. */
user_header?: string
/** Header in which the proxy names the user's groups, with commas between them. */
groups_header?: string
}
/** Sign-in at an identity provider that speaks OpenID Connect. */
oidc?: {
/** Address of the identity provider, by https. */
issuer: string
/** Name of the console at the identity provider. */
client_id: string
/** Secret of the console at the identity provider. */
client_secret: string
/**
 * What the console asks for; openid is always among it.
 * 
 * @maxItems 100
 */
scopes?: string[]
/** Claim that names the user. */
user_claim?: string
/** Claim with the list of the user's groups. */
groups_claim?: string
}
/** Users who sign in with a password: names with hashes that headgate console --hash-password makes. */
password?: {
[k: string]: string | undefined
}
/** Who may do what. Whoever has no role cannot sign in. */
roles: {
/**
 * Who may look, not at what senders wrote: groups, user:NAME, or * for all who can sign in.
 * 
 * @maxItems 100
 */
viewer?: string[]
/**
 * Who may change something, too: replay, retry, start jobs, reload.
 * 
 * @maxItems 100
 */
operator?: string[]
/**
 * Who of them sees what senders and agents wrote, and may search in it.
 * 
 * @maxItems 100
 */
payloads?: string[]
}
}
}
/** Metrics for Prometheus, on a listener of its own. */
metrics?: {
/** Whether the gateway counts, and listens for scrapes. Off, nothing of it is loaded. */
enabled?: boolean
/** Address that the listener for metrics binds to. */
host?: string
/** Port of the listener for metrics. 0 chooses a free port, which the log tells. */
port?: number
/** Bearer token that each request must show. */
token?: string
}
/** What the gateway tells a receiver of OpenTelemetry (OTLP). Off until the receiver has an address. */
telemetry?: {
/** The receiver. */
otlp?: {
/** Base address of the receiver; /v1/traces and /v1/metrics are added. */
endpoint?: string
/** The form of what is sent. */
protocol?: ("http/protobuf" | "http/json")
/** Headers for the receiver, such as its key; ${NAME} is resolved. */
headers?: {
[k: string]: string | undefined
}
}
/** The name of this gateway at the receiver. */
service_name?: string
/** Which events have their trace sent. */
traces?: {
/** false sends no traces. */
enabled?: boolean
/** Share of events whose trace is sent, from 0 to 1. What failed is always sent. */
ratio?: number
}
/** Whether spans have prompts, replies and errors in words. */
content?: boolean
}
/** The relay that keeps requests for this gateway, where the gateway has no public address. */
relay?: {
/** Address of this gateway at the relay, as senders have it, without /webhooks. */
url: string
/** One of the keys that the relay has for this gateway. */
key: string
/** Whether the gateway takes requests on its own port too. false: it opens no port. */
listen?: boolean
}
/** What all delivery targets share. */
targets?: {
/** Holds texts back from a target that is down. */
breaker?: {
/** false: each text is sent when its turn comes, and fails while the target is down. */
enabled?: boolean
/** Failures in a row, of more than one text, after which an address of a target counts as down. */
failures?: number
/** No wait between two trials is longer, unless the receiver asks for one. */
max_wait_seconds?: number
}
}
/** Where accepted events are kept. */
storage?: {
/** sqlite is embedded and durable; postgres is shared by several gateways; memory is for tests. */
kind?: ("sqlite" | "postgres" | "memory")
/** Of postgres only: postgres://user:password@host:5432/database. Several hosts stand with commas between them. */
url?: string
/** Of postgres only: the schema that the gateways share. It is made at the first start. */
schema?: string
/** fsync: on disk before the answer. commit: a power loss may take the last moments. */
durability?: ("fsync" | "commit")
/** How long finished work is kept: event records, raw requests, dead runs. */
retention?: {
/** Hours that events and dead runs are kept. */
hours?: number
/** Bytes that event records and raw requests may take. */
max_bytes?: number
/** Event records that are kept at most. */
max_events?: number
/** Dead runs that are kept at most; past them the oldest go. */
max_dead_runs?: number
/** false: raw requests are not kept, and nothing can be replayed. */
payloads?: boolean
}
}
/**
 * Who is told when something is wrong, and when it is over.
 * 
 * @maxItems 20
 */
alerts?: AlertRule[]
/** Scheduled jobs by name. */
jobs?: {
[k: string]: Job | undefined
}
}
/** The webhook adapter. Its settings may stand here or under extra; extra wins. */
export interface Webhook extends WebhookSettings {
/** true starts the adapter (or WEBHOOK_ENABLED=true). */
enabled?: boolean
extra?: WebhookSettings
}
/** Settings of the webhook adapter. */
export interface WebhookSettings {
/** Address to listen on. */
host?: string
/** Port to listen on; 0 is any free one. */
port?: number
/** Secret of every route that has none of its own. */
secret?: string
/** Requests per minute and route. */
rate_limit?: number
/**
 * Fields of all routes that are replaced by [redacted] before anything is stored or handed on.
 * 
 * @minItems 1
 * @maxItems 100
 */
redact?: string[]
/** Largest body, in bytes. */
max_body_bytes?: number
/** Seconds a script may take. */
script_timeout_seconds?: number
/** true, or addresses of proxies whose X-Forwarded-For is believed. */
trust_proxy?: (boolean | string[])
/** The address of the gateway as senders see it, for signatures that cover it; the path of the route follows. */
public_url?: string
routes?: Routes
}
/** Routes by name; the name is the last part of the path. */
export interface Routes {
[k: string]: Route | undefined
}
/** One receiving path: who may post, which events pass, and what is done with them. */
export interface Route {
/** A note for people; shown in lists. */
description?: string
/** false switches the route off: posts get 403. */
enabled?: boolean
/** Binds the route to this profile, reached at /p/<profile>/webhooks/<route>. */
profile?: string
/** false: the route has no address and needs no secret; events come by dispatch of another route. */
address?: boolean
/**
 * The methods that the address takes; absent: POST.
 * 
 * @minItems 1
 * @maxItems 5
 */
methods?: ("GET" | "POST" | "PUT" | "PATCH" | "DELETE")[]
/** HMAC secret or token; ${NAME}, file:/path, credential:NAME and exec:PROVIDER/ID are resolved. Absent: the global secret. */
secret?: string
/**
 * Several secrets that all count, while one is being rotated.
 * 
 * @minItems 1
 * @maxItems 8
 */
secrets?: string[]
/** Only this signature scheme counts (or these); a map describes one. Absent: the first one the headers show. */
verify?: (Scheme | Scheme[] | SignatureScheme)
/** signature: some posts whose signature does not hold are kept, to be verified again once the secret is right. */
keep_refused?: "signature"
/** The sender's public key, or several, as the sender shows it: for schemes that check with one. */
public_key?: (string | string[])
/** The route's whole address as its sender sees it, for signatures that cover it. */
public_url?: string
/** The token that the sender shows when it asks whether the address is yours, as Meta does. */
verify_token?: string
/** true: a signed question that names an address, as AWS SNS asks, is confirmed by fetching it. */
confirm_subscriptions?: boolean
/**
 * Only clients in these networks (CIDR) or with these addresses may post; behind a proxy after trust_proxy.
 * 
 * @minItems 1
 * @maxItems 1000
 */
allow_from?: string[]
/** Only clients with such a certificate may post. */
client_certificate?: {
/** The header in which the proxy says what certificate it checked. */
header?: string
/** What it must be, or one of these. */
equals?: (string | string[])
/** SHA-256 of the certificate that the client shows the gateway itself. */
fingerprint?: (string | string[])
/** Name in the certificate that the client shows the gateway itself. */
name?: (string | string[])
}
/** Accepted event types; empty or absent accepts all. */
events?: string[]
/**
 * Fields of payload and headers that are replaced by [redacted] before anything is stored or handed on.
 * 
 * @minItems 1
 * @maxItems 100
 */
redact?: string[]
/** The list in the payload whose items become events of their own, each with its type, filters, id and run. */
split?: (string | boolean | {
/** The path of the list. */
items: string
/** The path in an item to its event type. Absent: event_type or type, else the type of the request. */
type?: string
/**
 * The paths in an item to the values that together name it. Absent: the request's id and the index.
 * 
 * @minItems 1
 * @maxItems 8
 */
id?: string[]
})
/** What a body is read as; auto: what its bytes show. */
body?: ("auto" | "json" | "form" | "xml" | "multipart" | "text" | "csv" | "ndjson" | "none")
/** A file with the JSON Schema (draft-07) that payloads must fit, in the profile's folder; or a sample. */
payload_schema?: string
/** What becomes of an event that does not fit payload_schema. */
payload_mismatch?: ("ignore" | "refuse" | "warn")
/** Conditions that must all hold; otherwise the event is ignored. */
filters?: (Condition[] | Condition)
/** Whether the event's trace goes on the trace that the sender names in traceparent. */
trust_trace_context?: boolean
/** Questions to servers for what the payload lacks. Conditions and templates read the answers: lookup.<name>. */
lookup?: {
[k: string]: Lookup | undefined
}
/** Seconds that all lookups of an event may take together. */
lookup_timeout_seconds?: number
/** A script under scripts/ that filters or transforms the payload: JSON on stdin, JSON or text on stdout. */
script?: string
/** Seconds the script may take; past them the event is ignored. */
script_timeout_seconds?: number
/** A JSONata expression whose result, a map or a list, is the payload from here on. */
transform?: string
/**
 * The routes that each verified event goes to: the first row whose condition holds. This route itself does no work.
 * 
 * @minItems 1
 * @maxItems 100
 */
dispatch?: {
/** Conditions that must all hold, as in filters. Absent: the row holds for each event. */
when?: (Condition[] | Condition)
/** The route of this configuration, or a list of routes that all get the event. */
to: (string | string[])
}[]
/** Template for the prompt or message; {dotted.path} is replaced. Absent: the payload as JSON. */
prompt?: string
/** What becomes of an event on which a {= expression } of the route, or its transform, fails. */
expression_error?: ("empty" | "refuse")
/** Where the reply or message goes: a target, or a list of them. */
deliver?: (Target | DeliverItem[])
deliver_extra?: DeliverExtra
/** Which targets of a list get the text. */
deliver_mode?: ("all" | "first_success")
/** true: no agent runs; the expanded prompt is the message. */
deliver_only?: boolean
/** What the sender gets for an event that is not refused, where it wants something else than our own answer. */
respond?: {
/** The status of the answer. */
status?: number
/** The body of the answer. A text is a template; a map or list is sent as JSON, its texts are templates. */
body?: (string | {
[k: string]: AnswerValue | undefined
} | AnswerValue[])
/** What the body is. */
content_type?: string
/** The sender waits so long for the agent's reply, which {reply} in the body stands for; then it gets 202. */
wait_seconds?: number
/** Requests of this route that wait at the same time; further ones get 202 at once. */
max_waiting?: number
/** Hours for which the status address in Location works. */
status_hours?: number
/** true: the status address shows the reply too, to whoever has the address. */
status_body?: boolean
/** Answers of their own for events that are accepted, ignored or duplicates. */
outcomes?: {
accepted?: OutcomeAnswer
ignored?: OutcomeAnswer
duplicate?: OutcomeAnswer
}
}
/** Where the end of each run is posted as JSON, signed: done with its reply, dead, cancelled or expired. */
callback?: {
/** The address that gets the posts. */
url: string
/** Signs the posts (Standard Webhooks); ${NAME} is resolved. */
secret?: string
/** Further headers of the posts; ${NAME} is resolved. */
headers?: {
[k: string]: string | undefined
}
/** The method of the request. */
method?: ("POST" | "PUT" | "PATCH")
/** The body, as that of the target http: its placeholders are the fields of the report, such as {status}. */
body?: ({
[k: string]: BodyValue | undefined
} | BodyValue[] | string)
/** What the body is. Absent: JSON for a map or a list, plain text for a text. */
content_type?: string
}
/** The agent of the runs: a name, a name with other limits, or a list from which each event chooses. */
agent?: (RouteAgent | AgentName | (AgentName | AgentChoice)[])
/** How often a failed run is tried again; with deliver_only, the message becomes a run. */
retry?: {
/** Attempts in all, the first one included. */
max_attempts?: number
/** Base of the exponential back-off. */
backoff?: number
/** No wait is longer, unless the other side asks for one. */
max_delay_seconds?: number
}
/** hold: runs whose reply could not be delivered wait. run: the agent is asked, and its reply waits. */
when_down?: ("hold" | "run")
/** How long a run waits after its event was accepted. */
delay_seconds?: number
/** A run that has not begun so long after its event was accepted (and after delay_seconds) ends as expired. */
expires_seconds?: number
/** Which runs begin first where several wait. */
priority?: ("high" | "normal" | "low")
/** How many events of this route, or of one key of it, are taken in a minute. */
rate_limit?: {
/** Events in a minute. */
per_minute: number
/** Field name or template: each value has a limit of its own. */
key?: string
/** refuse: the answer is 429. queue: the event is accepted, and its run waits for its turn. */
when_over?: ("refuse" | "queue")
}
/** How many runs of this route, or of one key of it, are active at once. */
concurrency?: {
/** Runs at the same time. */
limit: number
/** Field name or template: each value has a limit of its own. */
key?: string
}
/**
 * Skill names loaded for the agent run.
 * 
 * @maxItems 20
 */
skills?: string[]
/**
 * Replaces the toolsets for runs of this route; by hand in files only.
 * 
 * @maxItems 50
 */
toolsets?: string[]
/** Events with one key are one conversation: the agent is given what was said before. */
session?: {
/** Field name or template that names the session. */
key: string
/** How many of the latest messages the agent gets. */
history?: number
}
/** Starts this scheduled job (id or name) per event instead of an agent run. */
cron_job?: string
/** What an event does while its job is running. */
cron_job_running?: ("skip" | "queue")
/** An event that matches ends the unfinished work of its key, and starts nothing. */
cancel_on?: {
/** Types of events that end work; empty or absent takes all. */
events?: string[]
/** Conditions that must all hold for an event to end work. */
filters?: (Condition[] | Condition)
/** Field name or template: an event ends the work of events with the same value. */
key: string
}
/** Conditions that must hold when the reply is there; their lookups are asked once more. Else the run ends as stale. */
deliver_if?: (Condition[] | Condition)
/** Each event that is taken ends the earlier unfinished work of its key. */
supersede?: {
/** Field name or template: an event ends the work of earlier events with the same value. */
key: string
}
/** After an event, those with the same key are ignored for some minutes. */
cooldown?: {
/** Field name or template: each value has a cooldown of its own. An event without a value is not held back. */
key?: string
/** How long events are held back after the one that was taken. */
minutes: number
/** true: the last of the events that were held back runs when the time is over. */
last?: boolean
}
/** Merges bursts of events for one target into one run. */
coalesce?: {
/** Field name or template that names the group. */
key: string
/** Quiet time after the latest event. */
window_seconds?: number
/** Longest wait from the first event of the group. */
max_wait_seconds?: number
/** With so many events the group runs at once. */
max_events?: number
/** Which event the run is about. */
keep?: ("latest" | "first" | "all")
/** true: the next run of a group waits for the end of the one before. */
single_flight?: boolean
}
/** Asks the sender's own log for events that did not come, and has the sender send them again. */
catch_up?: {
/** Whose log is asked. */
from: ("github" | "gitlab" | "circleci" | "stripe")
/** github: the repository of the webhook, as owner/name. */
repo?: string
/** github: the organisation of the webhook. */
org?: string
/** github: the id of the App whose webhook it is. */
app_id?: (string | number)
/** github: the private key of the App, in PEM. */
app_key?: string
/** gitlab: the project of the webhook, by its path or number. */
project?: (string | number)
/** The id of the webhook at its sender. */
hook?: (string | number)
/** The token that may read the log and send again. github: absent, gh is asked. gitlab: absent, platforms.gitlab.token. */
token?: string
/** The address of the sender's API, where it is not the public one. */
api_base?: string
/** How far the first catch-up looks back. The ids of the route are kept for as long. */
hours?: number
/** How many events are asked for in a minute; absent: what the sender's limits allow. */
per_minute?: number
}
/** Reads the events from a polling endpoint of Svix, so that nobody needs to reach the gateway. */
poll?: {
/** Address of the polling endpoint, as its page has it. */
url: string
/** The API key of the polling endpoint. */
token: string
/** The pause after a reading that found nothing new, in seconds. */
every_seconds?: number
}
/** How a repeat of the sender is recognised. */
duplicates?: {
/** Field name or template: of events with the same value only the first counts. */
key?: string
/** How long the key of an event is kept, in place of hours. Ids are kept for an hour then. */
minutes?: number
/** How long the id of an event is kept, and its key: a repeat within this time makes no second event. */
hours?: number
}
/** Keeps the files of multipart bodies for the agent. Absent: files are only listed. */
attachments?: {
/** How many files of an event are kept. */
max_files?: number
/** Largest file that is kept, in bytes. */
max_bytes?: number
/** How many bytes are kept of all files of an event. */
max_total_bytes?: number
}
/** Also appends the delivered text to the chat's session. */
mirror_to_session?: boolean
/** Tests of this route, which headgate test runs; the gateway does not read them. */
tests?: RouteTest[]
}
/** How a sender proves who it is: where the signature stands, over what text, by which algorithm. */
export interface SignatureScheme {
/** The sender's name, for people. */
title?: string
/** How the signature is made. */
algorithm: ("hmac_sha256" | "hmac_sha512" | "hmac_sha1" | "ed25519" | "ecdsa_p256" | "rsa_sha256" | "rsa_sha1" | "jwt" | "token" | "basic")
signature?: SchemeSignature
/** What is signed: a template over {body}, {timestamp}, {id}, {url} and more. */
signed?: string
/**
 * What the sender's bodies are: json, form, xml, multipart. Absent: any of these.
 * 
 * @minItems 1
 * @maxItems 4
 */
sends?: ("json" | "form" | "xml" | "multipart")[]
/** Whether a signed address may have its port or not. */
port?: ("as_is" | "either")
/**
 * The fields of the body that {lines} has, in this order. One with a question mark behind its name may be absent.
 * 
 * @minItems 1
 * @maxItems 32
 */
lines?: string[]
body_digest?: SchemeDigest
key?: SchemeKey
timestamp?: SchemeTimestamp
id?: SchemeId
event?: SchemeEvent
identity?: SchemePlace
/** Where the sender publishes its keys (a JWKS). They are kept for an hour, and fetched again for an unknown key. */
jwks_url?: string
/** What the token's claim iss must be. */
issuer?: string
/** What the token's claim aud must be, or have in its list. */
audience?: string
certificate?: SchemeCertificate
/**
 * What the sender asks before it sends events, and how that is answered.
 * 
 * @maxItems 8
 */
handshakes?: SchemeHandshake[]
}
/** Where the signature stands: a header, a value of the query, or a field of the body. */
export interface SchemeSignature {
header?: SchemeHeader
query?: SchemeQuery
body?: SchemeBodyPath
label?: SchemeLabel
/** What stands between the parts of a header with labels (default a comma), or between several signatures. */
separator?: string
/** What stands before each signature, as sha256= or Bearer with a blank. */
prefix?: string
/** How the bytes of the signature are written. */
encoding?: ("hex" | "base64" | "base64url")
}
/** Where the SHA-256 of the body stands, which is signed in the body's place. It is not asked of a form that {form} covers. */
export interface SchemeDigest {
header?: SchemeHeader
query?: SchemeQuery
/** A claim of the token. */
claim?: string
/** How the digest is written. */
encoding?: ("hex" | "base64" | "base64url")
}
/** How the key is written. */
export interface SchemeKey {
/** How the secret is written. Public keys are taken as PEM, or as the bare key or SubjectPublicKeyInfo in hex or base64. */
encoding?: ("text" | "base64" | "base64url" | "hex")
/** What stands before the key and does not belong to it, as whsec_. */
prefix?: string
}
/** Where the time of sending stands. Only a signed time protects from replays. */
export interface SchemeTimestamp {
header?: SchemeHeader
query?: SchemeQuery
body?: SchemeBodyPath
label?: SchemeLabel
/** How the time is written. */
unit?: ("seconds" | "milliseconds" | "iso8601")
/** How far the time may be from the gateway's clock. */
window_seconds?: number
/** A request without a time passes, because not every sender of the kind has one. */
optional?: boolean
}
/** Where the delivery id stands. */
export interface SchemeId {
header?: SchemeHeader
body?: SchemeBodyPath
within?: SchemePlace
/** true: the digest of the body, where the sender has no id. Two events with the same bytes are then one. */
digest?: boolean
}
/** A header, or a field of the body. Where both are named, the header comes first. */
export interface SchemePlace {
header?: SchemeHeader
body?: SchemeBodyPath
}
/** Where the event's type stands. */
export interface SchemeEvent {
header?: SchemeHeader
body?: SchemeBodyPath
/**
 * Fields at the top of the body: the name of the first that is there is the type.
 * 
 * @minItems 1
 * @maxItems 64
 */
present?: string[]
}
/** Where the address of the sender's certificate stands, and on which hosts it may be. */
export interface SchemeCertificate {
header?: SchemeHeader
body?: SchemeBodyPath
hosts: SchemeHosts
/** What the path of the address is; an asterisk stands for letters, digits, hyphen and underscore. */
path?: string
}
/** One question that a sender asks before it sends events. */
export interface SchemeHandshake {
/** How the sender asks. */
method?: ("POST" | "GET" | "HEAD" | "OPTIONS")
/** What shows the handshake. */
when: {
header?: SchemeHeader
query?: SchemeQuery
body?: SchemeBodyPath
/** The value that it has; absent: any. */
equals?: (string | number)
/** A path that the body must not have. */
absent?: string
}
/** Whether the sender signs it: then it is answered only where the signature holds. Not with GET, HEAD and OPTIONS. */
signed?: boolean
/** Where the route's verify_token stands. Without it the handshake is refused. */
token?: {
header?: SchemeHeader
query?: SchemeQuery
}
/** An address in the body is fetched, which confirms the subscription. Only where the route says confirm_subscriptions. */
confirm?: {
body: SchemeBodyPath
hosts: SchemeHosts
}
answer?: SchemeAnswer
}
/** What the sender gets. */
export interface SchemeAnswer {
/** The status of the answer. */
status?: number
/** The body as plain text, over {value} {hmac_hex} {hmac_base64} {header.X} {query.X} {payload.a.b}. */
text?: string
/** The body as a JSON object; its texts are templates. */
json?: {
[k: string]: string | number | boolean | undefined
}
/** Headers of the answer; their texts are templates. */
headers?: {
[k: string]: string | undefined
}
}
/** One field with one operator, or a group of conditions, or a JSONata expression. */
export interface Condition {
/** Dotted path into the payload; numbers index lists. Also event, headers.<Name>, request.query.<name>. */
field?: string
/** true: the field is there; false: it is not. */
exists?: boolean
/** The field is not there. */
missing?: true
/** The field equals this JSON value, deeply. */
equals?: (string | number | boolean | null | unknown[] | {

})
/** The field does not equal this JSON value; a missing field passes. */
not_equals?: (string | number | boolean | null | unknown[] | {

})
/** The field equals this other field of the event, deeply; neither may be missing. */
equals_field?: string
/** A text holds this text, a list this item, a map this key. */
contains?: (string | number | boolean | null | unknown[] | {

})
/** The text begins with this text. */
starts_with?: (string | number | boolean)
/** The text ends with this text. */
ends_with?: (string | number | boolean)
/** The field equals one of these values. */
in?: (string | number | boolean | null | unknown[] | {

})[]
/** The field equals none of these values; a missing field passes. */
not_in?: (string | number | boolean | null | unknown[] | {

})[]
/** The number, time or length is above this. */
gt?: (number | string | {
/** The number of items, keys or characters. */
length: number
})
/** The number, time or length is at or above this. */
gte?: (number | string | {
/** The number of items, keys or characters. */
length: number
})
/** The number, time or length is below this. */
lt?: (number | string | {
/** The number of items, keys or characters. */
length: number
})
/** The number, time or length is at or below this. */
lte?: (number | string | {
/** The number of items, keys or characters. */
length: number
})
/** A file under the profile directory: JSON array, JSON object (its keys), or one value a line. */
in_file?: string
/** A list that changes while the gateway runs. */
in_list?: {
/** The name of a list that headgate lists keeps. */
store?: string
/** The address of a list: JSON, or text with one value a line. */
url?: string
/** The path of the list in the JSON. Absent: the JSON is the list. */
path?: string
/** The path of the value in an item, where the items are maps. */
item?: string
/** Further headers; ${NAME} is resolved. */
headers?: {
[k: string]: string | undefined
}
/** After so many minutes the list is fetched again. */
refresh_minutes?: number
/** For so many minutes the last list counts while the server gives no newer one. */
max_age_minutes?: number
/** true lets the address lead into a private network or to this machine. */
allow_private?: boolean
}
/**
 * A pattern of a branch or path, or a list of them: * within a part, ** over parts, ?, [abc], {a,b}.
 * 
 * @minItems 1
 * @maxItems 100
 */
matches_glob?: (string | string[])
/** A pattern found anywhere in the field; linear time, no look-around, no back-references. */
regex?: string
/** A JSONata expression over {payload, event, headers} that must give true. */
jsonata?: string
/** One item of the list meets this condition, or all of these conditions. */
any_item?: (Condition[] | Condition)
/** Every item of the list meets this condition, or all of these conditions; an empty list holds. */
every_item?: (Condition[] | Condition)
/** Every condition holds; an empty list holds. */
all?: Condition[]
/** At least one condition holds; an empty list does not. */
any?: Condition[]
not?: Condition
}
/** One question, to one kind of server. */
export interface Lookup {
/** Gets JSON from this address; no placeholder in its host. Values are percent-encoded. */
http?: string
/** http: the path of the value in the JSON. Absent: all of it. */
path?: string
/** http: further headers; ${NAME} is resolved, and braces are text. */
headers?: {
[k: string]: string | undefined
}
/** http: true lets the address lead into a private network or to this machine. */
allow_private?: boolean
/** Asks GitHub, with the token of platforms.github. */
github?: ("pull_request" | "changed_files" | "permission" | "pull_request_of_commit")
/** Asks GitLab, with the token of platforms.gitlab. */
gitlab?: ("merge_request" | "changed_files" | "permission" | "merge_request_of_commit")
/** Asks Gitea or Forgejo, at api_base with token. */
gitea?: ("pull_request" | "changed_files" | "permission" | "pull_request_of_commit")
/** Code hosts: owner/name; of GitLab the path of the project, or its number. Absent: that of the event. */
repo?: string
/** Number of the pull request or merge request. Absent: that of the event. */
number?: (string | number)
/** permission: name of the user. Absent: who caused the event. */
user?: string
/** pull_request_of_commit, merge_request_of_commit: whole hash of the commit. Absent: that of the event. */
sha?: string
/** Code hosts: address of another API; it needs a token of its own. */
api_base?: string
/** Code hosts: token for these questions. Absent: that of the platform. */
token?: string
/** How long an answer counts for equal questions. Failures are never kept. */
cache_minutes?: number
/** What becomes of the event where the server gives no answer. */
on_failure?: ("retry" | "ignore" | "pass")
}
/** A target with settings of its own. */
export interface DeliverTo {
target: Target
deliver_extra?: DeliverExtra
}
/** Settings of the target: repo and pr_number, chat_id, url …; text values are templates. */
export interface DeliverExtra {
/** github_comment: owner/name. */
repo?: string
/** github_comment: number of the pull request or issue. */
pr_number?: (string | number)
/** gitlab_comment: group/project. */
project?: string
/** gitlab_comment: number of the merge request or issue. */
iid?: (string | number)
/** gitlab_comment: merge_request or issue. */
kind?: string
/** http: where to post; no placeholder in its host, percent-encoded values; or with ${NAME}, a secret. */
url?: string
/** Signs what the http target sends; ${NAME} is resolved. */
secret?: string
/** http: further headers of the post; ${NAME} is resolved. */
headers?: {
[k: string]: string | number | boolean | undefined
}
/** http: the method of the request. */
method?: ("POST" | "PUT" | "PATCH")
/** http: the body. A map or list is sent as JSON, its texts are templates; {reply} is the text; ${NAME} is a secret. */
body?: ({
[k: string]: BodyValue | undefined
} | BodyValue[] | string)
/** http: what the body is. Absent: JSON for a map or a list, plain text for a text. */
content_type?: string
/** email: the subject. */
subject?: string
/** Chat targets: where it goes; absent: the home channel. */
chat_id?: (string | number)
/** Chat targets: topic or thread of the chat. */
message_thread_id?: (string | number)
/** Chat targets: topic or thread of the chat. */
thread_id?: (string | number)
[k: string]: unknown | undefined
}
/** The answer to events with this outcome. */
export interface OutcomeAnswer {
/** The status of the answer. */
status?: number
/** The body of the answer, a template or a map of them; in that for ignored events, {reason} says by what. */
body?: (string | {
[k: string]: AnswerValue | undefined
} | AnswerValue[])
/** What the body is. */
content_type?: string
}
/** An agent by its name, with another model or other limits for this route. */
export interface RouteAgent {
use?: AgentName
/** Model name. */
model?: string
/** Seconds a run may take. */
timeout_seconds?: number
/** Longest reply, in tokens. */
max_output_tokens?: number
/** Calls of the model in one run, between which it may use tools. */
max_steps?: number
untrusted?: Untrusted
budget?: Budget
}
/** What runs may take, in tokens and in money. */
export interface Budget {
/** Tokens of one attempt at a run, input and output together. */
run_tokens?: number
/** Cost of one attempt at a run. */
run_cost?: number
/** Tokens of all runs of a route or job in a day (UTC). */
day_tokens?: number
/** Cost of all runs of a route or job in a day (UTC). */
day_cost?: number
/** Runs in an hour that comment on one pull request or issue. */
thread_runs?: number
}
/** An agent for the events for which a condition holds. */
export interface AgentChoice {
/** A condition, or a list of conditions that must all hold. Absent: always. */
when?: (Condition[] | Condition)
use: AgentName
}
/** One test: an event or several in steps, and what must come of them. */
export interface RouteTest {
/** What the test shows; it stands in reports. */
name: string
/** The route or subscription that gets the events. Not written in a route's own tests. */
route?: string
send?: TestSend
expect?: TestExpect
/**
 * Several events and waits, in order, instead of one send.
 * 
 * @minItems 1
 */
steps?: TestStep[]
mocks?: TestMocks
/** Why the test is not run; reports show it. */
skip?: string
}
/** An event: a sample, a payload or a file, changed as the test needs it. */
export interface TestSend {
/** A sample by its name: headgate samples list. */
sample?: string
/** The payload itself, as YAML. */
payload?: ({

} | unknown[] | string | number | boolean | null)
/** The body byte by byte, also one that is no JSON. */
body?: string
/** A sample or a payload in a JSON file, relative to this file. */
file?: string
/** The event's type; absent: the sample's, else the first that the route accepts. */
event?: string
/** The query of the address, without its question mark; absent: the sample's. */
query?: string
/** The method of the request; absent: the sample's, else POST where the route takes it. */
method?: ("GET" | "POST" | "PUT" | "PATCH" | "DELETE")
/** Further headers of the request. */
headers?: {
[k: string]: string | undefined
}
/** Values to put into the payload, by dotted path. */
set?: {
[k: string]: unknown | undefined
}
/** Dotted paths to take out of the payload. */
unset?: string[]
/** auto, none (no signature), bad (a wrong one), or the scheme to sign with. */
sign?: string
/** The delivery id; absent: one of its own each time. */
id?: string
}
/** What must hold after the event or the wait. Only what is named is compared. */
export interface TestExpect {
/** The HTTP status of the answer; with respond.wait_seconds, of the answer with the reply. */
status?: number
/** How the request ended. */
outcome?: string
/** The stage that ended it; none: it was taken. */
stopped_at?: string
/** The condition that stopped the event, such as filters[1] or filters[0].any[2]. */
rule?: string
reason?: TestMatcher
/** The event's type as the route sees it. */
event?: string
answer?: TestMatcher
payload?: TestMatcher
prompt?: TestText
/**
 * How each item of a request that is split or dispatched ended, in order. Absent items are an error.
 * 
 * Items: How one item ended.
 */
items?: {
/** The route of the item: the one to which dispatch has sent it. */
route?: string
/** The type of the item. */
event?: string
/** How the item ended. */
outcome?: string
/** The stage that ended the item; none: it was taken. */
stopped_at?: string
/** The delivery id of the item. */
id?: string
reason?: TestMatcher
}[]
/** How many runs ended since the step before. */
runs?: number
/** How many of them are dead. */
dead?: number
/** The name of the agent that was asked last. */
agent?: string
/** How many of them are stale: deliver_if did not hold. */
stale?: number
/** Where the last text went. */
deliver?: {
/** The target's name, or another one that deliver takes for it. */
target?: string
/** Settings that it must have, others may be there too. */
extra?: {
[k: string]: unknown | undefined
}
body?: TestMatcher
text?: TestMatcher
}
/** How many texts went out since the step before. */
deliveries?: number
}
/** What must hold of a value; all that is named. */
export interface TestRule {
/** It is this value. */
equals?: (string | number | boolean | null | {

} | unknown[])
/** It has this text in it, or each of these. */
contains?: (string | string[])
/** It does not have this text in it, or none of these. */
lacks?: (string | string[])
/** A pattern fits, as in the regex operator. */
matches?: string
/** An expression over the value is true; $ is the value. */
jsonata?: string
/** It is what it was when snapshots were last written (--update). */
snapshot?: boolean
/** It has at most so many characters. */
max_chars?: number
/** Exactly these placeholders had no value; [] is none. */
unresolved?: string[]
}
/** One step: an event or a wait, and what must hold after it. */
export interface TestStep {
send?: TestSend
/** How many times the event is sent, each with an id of its own. */
repeat?: number
every?: TestDuration
advance?: TestDuration
expect?: TestExpect
mocks?: TestMocks
}
/** What stands in for the world: nothing of a test goes over the network. */
export interface TestMocks {
/** What the route's script does. */
script?: {
/** What the script prints. An empty text ignores the event. */
stdout?: string
/** It fails, for this reason. */
fail?: string
}
/** The answers to the route's lookups, by their names. */
lookup?: {
[k: string]: unknown | undefined
}
/** The answers that have changed when deliver_if asks once more, by the names of the lookups. */
lookup_later?: {
[k: string]: unknown | undefined
}
/** The lookups that fail, by their names, each with its reason. */
lookup_failures?: {
[k: string]: string | undefined
}
/** The lists that in_list asks: values by name, or by url what its server answers. */
lists?: {
[k: string]: unknown | undefined
}
/** What the agent does; absent: it answers with its prompt. */
agent?: {
/** Its reply. */
reply?: string
/** It fails, for this reason. */
fail?: string
}
/** What the target does; absent: it takes everything. */
deliver?: {
/** The HTTP status that it answers with; below 300 it has the text. */
status?: number
/** It fails, for this reason. */
fail?: string
/** Whether the failure may be tried again. */
repeatable?: boolean
}
}
/** Settings of BlueBubbles. */
export interface BluebubblesPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Address of the server. */
server_url?: string
/** Password. */
password?: string
/** How the server sends: apple-script or private-api. */
method?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of DingTalk. */
export interface DingtalkPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Incoming webhook address; it is a secret. */
webhook_url?: string
/** Key that signs the webhook. */
secret?: string
/** Id of the app. */
client_id?: string
/** Secret of the app. */
client_secret?: string
/** Code of the app robot; default: client_id. */
robot_code?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Discord. */
export interface DiscordPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Token of the bot or app. */
token?: string
/** Incoming webhook address; it is a secret. */
webhook_url?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of e-mail. */
export interface EmailPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Address that mail comes from. */
address?: string
/** Password. */
password?: string
/** User name. */
user?: string
/** Mail server. */
smtp_host?: string
/** Port of the mail server. */
smtp_port?: (string | number)
/** starttls, tls or none; default: by the port. */
smtp_security?: string
/** PEM file of a certificate authority of your own. */
smtp_ca_file?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Feishu. */
export interface FeishuPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Id of the app. */
app_id?: string
/** Secret of the app. */
app_secret?: string
/** feishu, or lark for the international edition. */
domain?: string
/** Incoming webhook address; it is a secret. */
webhook_url?: string
/** Key that signs the webhook. */
secret?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of GitHub. */
export interface GithubPlatform {
/** false switches the platform off. */
enabled?: boolean
/** true: @mentions and commands in comments stay alive. */
mentions?: boolean
/** true: images in comments are shown. */
images?: boolean
/** Token for gh, which may have a login of its own. */
token?: string
/** Host of the server, when it is not the public one. */
host?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of GitLab. */
export interface GitlabPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Token of the bot or app. */
token?: string
/** Host of the server, when it is not the public one. */
host?: string
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
/** true: @mentions and quick actions in comments stay alive. */
mentions?: boolean
/** true: images in comments are shown. */
images?: boolean
[k: string]: string | number | boolean | undefined
}
/** Settings of Google Chat. */
export interface GoogleChatPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Incoming webhook address; it is a secret. */
webhook_url?: string
/** Service account key: JSON or the path of its file. */
service_account_json?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Home Assistant. */
export interface HomeassistantPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Token of the bot or app. */
token?: string
/** Address of the server. */
url?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of LINE. */
export interface LinePlatform {
/** false switches the platform off. */
enabled?: boolean
/** Channel access token. */
channel_access_token?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Matrix. */
export interface MatrixPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Address of the homeserver. */
homeserver?: string
/** Access token. */
access_token?: string
/** User that logs in with a password. */
user_id?: string
/** Password. */
password?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Mattermost. */
export interface MattermostPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Address of the server. */
url?: string
/** Token of the bot or app. */
token?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of ntfy. */
export interface NtfyPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Topic. */
topic?: string
/** Address of the server. */
server_url?: string
/** Token of the bot or app. */
token?: string
/** true: texts are Markdown. */
markdown?: (string | number | boolean)
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Pushover. */
export interface PushoverPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Token of the bot or app. */
token?: string
/** User name. */
user?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of QQ bot. */
export interface QqbotPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Id of the app. */
app_id?: string
/** Secret of the app. */
client_secret?: string
/** true: the platform's sandbox. */
sandbox?: (string | number | boolean)
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Signal. */
export interface SignalPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Address of the daemon's HTTP API. */
http_url?: string
/** Number of the sending account. */
account?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Slack. */
export interface SlackPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Token of the bot or app. */
token?: string
/** Incoming webhook address; it is a secret. */
webhook_url?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of SMS. */
export interface SmsPlatform {
/** false switches the platform off. */
enabled?: boolean
/** API key (Vonage). */
api_key?: string
/** API secret (Vonage). */
api_secret?: string
/** Sender (Vonage). */
from?: string
/** Account SID (Twilio). */
account_sid?: string
/** Auth token (Twilio). */
auth_token?: string
/** Sending number (Twilio). */
phone_number?: string
/** Messaging service (Twilio), in place of a number. */
messaging_service_sid?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** twilio or vonage. */
provider?: string
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Teams. */
export interface TeamsPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Incoming webhook address; it is a secret. */
webhook_url?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Telegram. */
export interface TelegramPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Token of the bot or app. */
token?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of WeCom. */
export interface WecomPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Id of the AI bot. */
bot_id?: string
/** Secret of the AI bot. */
secret?: string
/** Another address of the AI bot's server. */
websocket_url?: string
/** Incoming webhook address; it is a secret. */
webhook_url?: string
/** Id of the company. */
corp_id?: string
/** Secret of the company app. */
corp_secret?: string
/** Agent id of the company app. */
agent_id?: (string | number)
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of Weixin. */
export interface WeixinPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Token of the bot or app. */
token?: string
/** Address of the API. */
base_url?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** Settings of WhatsApp. */
export interface WhatsappPlatform {
/** false switches the platform off. */
enabled?: boolean
/** Id of the sending number (Cloud API). */
phone_number_id?: string
/** Access token. */
access_token?: string
/** Version of the Cloud API. */
api_version?: string
/** true: the local bridge. */
bridge?: (string | number | boolean)
/** Address of the local bridge. */
bridge_url?: string
/** Where messages go that name no chat. */
home_channel?: (string | number)
/** Another address of the API: a proxy, or a server of yours. */
api_base?: string
[k: string]: string | number | boolean | undefined
}
/** A program that gives secrets. */
export interface SecretProvider {
/**
 * The program with its absolute path, and its words; {id} in a word becomes the ID. No shell.
 * 
 * @minItems 1
 * @maxItems 64
 */
command: string[]
/** text: a call for each ID, whose output is the secret. json: one call for all IDs. */
protocol?: ("text" | "json")
/**
 * Environment variables that the program gets besides PATH and HOME.
 * 
 * @maxItems 64
 */
env?: string[]
/** How long a call may take, in seconds. */
timeout_seconds?: number
/** How often the running gateway asks again, in seconds. Without it, at the start and at each reload. */
refresh_seconds?: number
/** A route whose secret was read longer ago answers 503. Without it, the last secret serves until there is a new one. */
max_age_seconds?: number
/** How long a replaced secret of a route still verifies requests, in seconds. */
overlap_seconds?: number
}
/** A certificate for one name. */
export interface TLSName {
/** Name that a client asks for. *.example.org stands for all names with one more part. */
name: string
/** PEM file with the certificate, and those that issued it. */
cert: string
/** PEM file with the key of the certificate. */
key: string
}
/** What turns a prompt into a reply. */
export interface Agent {
/** echo, openai, anthropic, command, or the runner of a plugin. */
runner?: (("echo" | "openai" | "anthropic" | "command") | string)
/**
 * Program and arguments of the command runner. A relative path is one of the data directory.
 * 
 * @minItems 1
 */
command?: string[]
/** Address of the model's API. */
base_url?: string
/** Key of the model's API. */
api_key?: string
/** Model name. */
model?: string
/** Instructions that stand before every prompt. */
system?: string
/** Calls of the model in one run, between which it may use tools. */
max_steps?: number
/** Seconds a run may take. */
timeout_seconds?: number
/** Longest reply, in tokens. */
max_output_tokens?: number
/** Variables that the command runner's program gets: names of the environment's, or a map with values. */
env?: (string[] | {
[k: string]: string | undefined
})
/** true: the command runner's program gets the payload of the event as a JSON file. */
payload?: boolean
/** What the program of the command runner prints. */
output?: ("text" | "claude-json" | "codex-jsonl" | "gemini-json" | "opencode-json")
/**
 * The toolsets of its runs whose route or job names none.
 * 
 * @maxItems 50
 */
toolsets?: string[]
/**
 * The skills of its runs whose route or job names none.
 * 
 * @maxItems 50
 */
skills?: string[]
untrusted?: Untrusted
budget?: Budget
/** What models cost: for budgets, and for the cost in event records. */
prices?: {
/** The price of a million tokens, in your currency. */
[k: string]: {
/** A million tokens of input. */
input: number
/** A million tokens of output. */
output: number
} | undefined
}
}
/** An MCP server whose tools an agent may use: either command or url. */
export interface McpServer {
/**
 * Program and arguments of an MCP server that speaks over stdin and stdout.
 * 
 * @minItems 1
 */
command?: string[]
/** Address of an MCP server that speaks over HTTP (Streamable HTTP). */
url?: string
/** Headers of each request to url. */
headers?: {
[k: string]: string | undefined
}
/** Variables that the program of command gets. */
env?: {
[k: string]: string | undefined
}
/** Folder that the program of command runs in. */
folder?: string
/**
 * Tools of the server that an agent may see, by the server's own names.
 * 
 * @minItems 1
 * @maxItems 100
 */
allow: string[]
/** Seconds one call of a tool may take. */
timeout_seconds?: number
/** Seconds the server may take to begin, and to list its tools. */
start_timeout_seconds?: number
}
/** What is told, where to, and from which number on. */
export interface AlertRule {
/**
 * The kinds of alerts; absent: all of them.
 * 
 * @minItems 1
 */
on?: ("dead_run" | "delivery_failed" | "breaker_open" | "refused_signatures" | "backlog_age" | "budget_used_up" | "reload_refused" | "not_ready" | "silence" | "certificate_ends" | "payload_mismatch")[]
/** Where the alerts go: a target, or a list of them. */
deliver: (Target | DeliverItem[])
/** Settings of the target, as they are: no templates. */
deliver_extra?: {
/** http: further headers of the post; ${NAME} is resolved. */
headers?: {
[k: string]: string | number | boolean | undefined
}
/** Signs what the http target sends; ${NAME} is resolved. */
secret?: string
[k: string]: unknown | undefined
}
/** Which targets of a list get the alerts. */
deliver_mode?: ("all" | "first_success")
/** refused_signatures: refused signatures of a route in a minute, past which they are told. */
refused_per_minute?: number
/** backlog_age: seconds after its acceptance at which a run must be done, or this is told. */
backlog_seconds?: number
/** certificate_ends: days before the end of a certificate from which on it is told. */
ends_within_days?: number
/**
 * silence: routes from which events are expected, and for how long none may come.
 * 
 * @minItems 1
 * @maxItems 100
 */
silence?: Silence[]
/** Messages in an hour at most; what begins or ends beyond that waits for the next one. */
max_per_hour?: number
}
/** A route that must not be silent for too long. */
export interface Silence {
/** The route, one of a subscription too. */
route: string
/** Hours without an accepted event; with during, only its hours count. */
after_hours: number
/** The days and hours that count; absent: all. */
during?: (string | string[])
/** IANA name of the zone that the calendar is in. */
timezone?: string
}
/** A prompt for the agent that runs by the clock, or when an event starts it. */
export interface Job {
/** Another name than the id, for people and for routes. */
name?: string
/** A note for people; shown in lists. */
description?: string
/** A cron expression, an interval like every 15m, or one time. */
schedule: string
/** IANA name of the zone that the schedule is in. */
timezone?: string
/** What the agent is asked; no template. */
prompt?: string
/**
 * Skill names loaded for the run.
 * 
 * @maxItems 20
 */
skills?: string[]
/** Toolsets of the run; by hand in files only. */
toolsets?: string[]
agent?: AgentName
/** Another model than the agent's. */
model?: string
/** Where the reply or message goes: a target, or a list of them. */
deliver?: (Target | DeliverItem[])
/** Settings of the target, as they are: no templates. */
deliver_extra?: {
/** http: further headers of the post; ${NAME} is resolved. */
headers?: {
[k: string]: string | number | boolean | undefined
}
/** Signs what the http target sends; ${NAME} is resolved. */
secret?: string
[k: string]: unknown | undefined
}
/** Which targets of a list get the text. */
deliver_mode?: ("all" | "first_success")
/** false: it never runs. */
enabled?: boolean
/** true: it does not run until it is resumed. */
paused?: boolean
/** How late a run may start that was missed while the gateway was down. */
grace_seconds?: number
}
/** webhook_subscriptions.json: run-time routes by name. */
export interface Subscriptions {
[k: string]: Subscription | undefined
}
/** A route created at run time, and when. */
export interface Subscription extends Route {
/** Secrets that a new one replaced, and until when they verify requests. */
overlap?: {
/**
 * The replaced secrets, the newest first.
 * 
 * @minItems 1
 * @maxItems 8
 */
secrets: string[]
/** When they stop to verify: UTC, seconds, Z. */
until: string
}
/** When it was created: UTC, seconds, Z. */
created_at?: string
/** When it was last changed: UTC, seconds, Z. */
updated_at?: string
}
/** cron_jobs.json: run-time jobs by id. */
export interface CronJobs {
[k: string]: StoredJob | undefined
}
/** A job made at run time, and when; for a configured id only paused counts. */
export interface StoredJob extends Job {
/** When it was created: UTC, seconds, Z. */
created_at?: string
/** When it was last changed: UTC, seconds, Z. */
updated_at?: string
}
/** A file of tests, *.webhook-test.yaml: what routes must do with events. `headgate test` runs them. */
export interface RouteTests {
/** The configuration that has the routes, relative to this file. Absent: the one of the data directory. */
routes?: string
/** true runs the routes' real scripts. Otherwise a script lets the event on, or does what mocks.script says. */
run_scripts?: boolean
/** The tests, in order; each has a store and a clock of its own. */
tests: RouteTest[]
}
/** A file of routes that config.yaml includes. */
export interface RoutesFile {
routes: Routes
}
/** The relay.yaml of a relay: a public front that keeps requests for gateways without a public address. */
export interface RelayFile {
/** Address that the relay binds to; a proxy before it speaks TLS. */
host?: string
/** Port that the relay listens on; 0 chooses a free one. */
port?: number
/** The proxies whose word for the client's address counts: their addresses, or true for all. */
trust_proxy?: (boolean | string[])
/** The gateways that the relay serves, by the name that begins the path of their addresses. */
gateways: {
[k: string]: RelayGateway | undefined
}
}
export interface RelayGateway {
/**
 * The keys with which the gateway may ask, of 16 characters or more; two while one is changed.
 * 
 * @minItems 1
 * @maxItems 2
 */
keys: string[]
/** How long a request is kept for the gateway; what is older expires, and is recorded. */
keep_hours?: number
/** The routes whose requests are kept, by name; * stands for every other name. */
routes: {
[k: string]: RelayRoute | undefined
}
}
export interface RelayRoute {
/** Whether the sender waits for the gateway's answer, or gets 202 once its request is kept. */
answer?: ("live" | "kept")
/**
 * The methods whose requests are kept, as the route names them.
 * 
 * @minItems 1
 * @maxItems 5
 */
methods?: ("GET" | "POST" | "PUT" | "PATCH" | "DELETE")[]
/** How long a sender waits for the gateway's answer, in seconds from the arrival of its request. */
wait_seconds?: number
/** The most requests that are kept; past that, or half of it from one client, senders get 503. */
max_items?: number
/** The most bytes that are kept; past that, or half of it from one client, senders get 503. */
max_bytes?: number
/** The largest body that is taken; a larger body gets 413. */
max_body_bytes?: number
}
