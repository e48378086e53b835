/** The explanations of the outcomes of requests. Only `headgate explain` loads them. */

import { exit, Fault } from '../../core/fault.ts'
import type { Outcome, Refused } from '../../core/outcome.ts'
import { outcomeNames } from '../../core/outcome-table.ts'
import { nearest } from '../../core/text.ts'

export type OutcomeName = Refused['code'] | Exclude<Outcome['kind'], 'refused'>

/** The meaning of an outcome. `fix`: what to do where the outcome is not wanted. */
export type OutcomeMeaning = { readonly means: string; readonly fix: string }

const showsWhy = 'headgate events show <id> shows why.'

/** The meanings by outcome. The type makes sure that no outcome lacks one. */
const outcomeMeanings: { readonly [name in OutcomeName]: OutcomeMeaning } = {
  accepted: {
    means: 'The event was stored, and its run begins or waits for its turn.',
    fix: 'headgate events show <id> shows each attempt.',
  },
  coalesced: {
    means: 'The event was stored and joined others of its group: one run stands for all of them.',
    fix: 'Look at coalesce of the route: its key makes the group, window_seconds and max_wait_seconds say how long it waits.',
  },
  closing: {
    means: 'The event ended the earlier unfinished work of its key (cancel_on), and started nothing.',
    fix: 'headgate events show <id> names the events whose work it ended. Where it should start work, look at events and filters of cancel_on.',
  },
  delivered: {
    means: 'The message was delivered at once, without an agent (deliver_only).',
    fix: 'headgate events show <id> has the answer of the target.',
  },
  duplicate: {
    means:
      'The route took an event with this delivery id in the last hour, or one with the same key (duplicates.key), so this one does nothing.',
    fix: 'headgate events show <id> says whether it was the key; headgate events list <delivery-id> finds the first with the same id; headgate events replay <id> does its work once more.',
  },
  handshake: { means: 'A question of the sender was answered. No event came with it.', fix: 'Nothing is to be done.' },
  ignored: {
    means:
      'The signature holds, and the route does not want the event: by its events, payload schema, filters, lookups, script or cooldown, as a comment of its own, as its job cannot start, or as a HEAD or prefetch only looked at the address.',
    fix: `${showsWhy} headgate webhook trace <route> --event-id <id> shows every condition.`,
  },
  bad_signature: {
    means: 'No secret of the route gives this signature, or the request has none that the route knows. Nobody vouches for it.',
    fix: 'The log and headgate events list --outcome bad_signature have the cause. Compare the fingerprint of headgate webhook show <route> with the secret at the sender. With keep_refused: signature the route keeps some, so that headgate events replay <id> verifies them again.',
  },
  rate_limited: {
    means: 'The route had as many requests in a minute as rate_limit allows, or this client had too many that were refused.',
    fix: 'Raise rate_limit, or slow the sender down. What was signed is kept: headgate events list --outcome rate_limited, then headgate events replay <id>.',
  },
  forbidden: {
    means: 'The address or the client certificate is not one that the route takes, or a browser asked a route without verification.',
    fix: `Look at allow_from, client_certificate and trust_proxy. ${showsWhy}`,
  },
  bad_encoding: {
    means: 'The body is compressed in a way that is not understood, or more than once.',
    fix: 'Let the sender compress with gzip, deflate or br, or not at all.',
  },
  unknown_route: {
    means: 'No route has this name, or it belongs to another profile.',
    fix: 'headgate webhook list --all has the names. A route of a profile answers at /p/<profile>/webhooks/<route>.',
  },
  unknown_profile: {
    means: 'The path names a profile that is not served.',
    fix: 'Set gateway.multiplex_profiles: true, and see that profiles/<name>/config.yaml is there.',
  },
  route_paused: {
    means: 'The route is paused, and keeps no events. The sender is asked to repeat.',
    fix: 'headgate webhook resume <route>.',
  },
  route_disabled: { means: 'The route is switched off.', fix: 'headgate webhook enable <route>, or take enabled: false away.' },
  split: {
    means: 'Each item of the request became an event of its own, with an id, an outcome and a run of its own.',
    fix: 'Nothing is wrong. headgate events show with the id of the request names its items.',
  },
  too_large: {
    means: 'The body is larger than max_body_bytes, or has too many values.',
    fix: 'Raise max_body_bytes, or let the sender send less.',
  },
  too_many_headers: { means: 'The request has more header fields than are taken.', fix: 'Look at what a proxy adds on the way.' },
  too_slow: {
    means: 'The request did not arrive completely in its time.',
    fix: 'Look at the proxy and the network: it should read the whole request before it passes it on.',
  },
  wrong_method: {
    means: 'The route takes POST, or what its methods list.',
    fix: 'Let the sender send POST, or list its method under methods.',
  },
  bad_json: {
    means:
      'The signature holds, and the body cannot be read as JSON, a form, XML or multipart. The reason of the event says what is wrong.',
    fix: 'Let the sender post JSON, or another of these as docs/bodies.md describes it.',
  },
  schema_mismatch: {
    means: 'The signature holds, and the payload does not fit payload_schema of the route, which has payload_mismatch: refuse.',
    fix: `${showsWhy} If the sender has changed its payloads, headgate schema learn <route> makes a new schema; then headgate events replay <id>.`,
  },
  expression_failed: {
    means: 'The signature holds, and a {= expression } of the route failed on the payload. The route has expression_error: refuse.',
    fix: `${showsWhy} Mend the expression, then headgate events replay <id>.`,
  },
  delivery_failed: {
    means: 'The target did not take the message of a deliver_only route. Nothing tries it again: the sender gets an error.',
    fix: `${showsWhy} headgate targets test tries the target; headgate events retry <id> sends it again. With retry: {} on the route, messages are kept and tried again.`,
  },
  stopping: {
    means: 'The gateway is stopping.',
    fix: 'A sender that repeats comes again. Other senders repeat only when they are asked to: see docs/senders.md.',
  },
  overloaded: {
    means: 'The queue of runs is full, or too many bodies come at once.',
    fix: 'headgate gateway status has the backlog. Raise gateway.max_concurrent_runs or max_queued_runs, or see why runs take so long.',
  },
  unavailable: {
    means: 'The store could not keep the event, and so it was not accepted.',
    fix: 'The log has the reason: a full disk, for example. headgate doctor looks at the store.',
  },
  in_progress: {
    means: 'Another request with this delivery id is still being delivered, or its gateway died. Nothing was sent for this one.',
    fix: 'Nothing: the sender repeats it. A claim that nobody settles ends after half a minute.',
  },
  lookup_failed: {
    means: 'A question under lookup of the route had no answer: the server did not answer in time, or refused. on_failure of it is retry.',
    fix: `${showsWhy} The sender may repeat it; headgate events replay <id> asks again. With on_failure: ignore the event ends here, with pass it goes on without the answer.`,
  },
  keys_unavailable: {
    means: 'The keys that the sender signs with could not be fetched.',
    fix: 'The log has the address and the reason. See that this machine reaches it.',
  },
  list_unavailable: {
    means: 'A filter of the route asks a list (in_list) that is not there, or cannot be read.',
    fix: 'headgate lists show has the lists; headgate lists add <name> makes one. The sender repeats the event.',
  },
  internal: { means: 'The gateway failed.', fix: 'The log has the reason. Please report it.' },
}

/**
 * Returns the outcome that the user wrote, with or without a stage (`ignored:filters`), in upper or lower case; `undefined` for any other
 * text.
 */
export const outcomeNamed = (written: string): OutcomeName | undefined => {
  const [name = ''] = written.toLowerCase().split(':')
  return Object.hasOwn(outcomeMeanings, name) ? (name as OutcomeName) : undefined
}

export const outcomeMeaning = (name: OutcomeName): OutcomeMeaning => outcomeMeanings[name]

/**
 * Throws a Fault with the nearest outcomes for a text that names none. Does nothing for a text that begins like a code (`wh`), because the
 * search for codes reports such a text.
 */
export const refuseOutcome = (written: string): void => {
  if (/^wh/i.test(written)) return
  const suggest = nearest(written.toLowerCase(), outcomeNames)
  const hint = 'headgate explain lists all codes and outcomes'
  throw new Fault('not_found', `there is no finding and no outcome "${written.slice(0, 80)}"`, { exitCode: exit.notFound, suggest, hint })
}
