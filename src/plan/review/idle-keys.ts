/** Finds keys of a route that have no effect, and a missing prompt. */

import { idleKeys, isSwitchedOn } from '../../config/needs.ts'
import { definition } from '../../config/schema-walk.ts'
import type { JsonObject } from '../../core/json.ts'
import { splits } from '../../parts/route-batch.ts'
import type { Scheme } from '../../parts/schemes/scheme.ts'
import { senderLogsByName } from '../../parts/sender-logs/index.ts'
import { verifyNames } from '../../parts/written-names.ts'
import { writtenTargets } from '../../parts/written-targets.ts'
import { checkedWith } from '../route-schemes.ts'
import { sectionsAround } from './review-context.ts'
import type { Subject } from './subject.ts'

const routeSchema = definition('Route')

export const reviewIdleKeys = (subject: Subject): void => {
  const { spec, say } = subject
  for (const { code, path, message, help } of idleKeys(routeSchema, spec as JsonObject, sectionsAround(subject)))
    say(code, path, message, { help, of: 'key' })
  reviewKept(subject)
  reviewHandshakeKeys(subject)
  reviewCatchUp(subject)
  reviewMirror(subject)
  reviewAnswer(subject)
  reviewLimits(subject)
  reviewExpressionError(subject)
}

/** Reports what an answer with the status 204 leaves out, and places for waiting requests that the gateway does not have. */
const reviewAnswer = ({ spec: { respond }, config: { maxWaitingRequests: most }, say }: Subject): void => {
  if (!respond) return
  const idle = (key: 'body' | 'content_type' | 'wait_seconds' | 'max_waiting', why: string, help: string): void => {
    if (respond[key] !== undefined) say('WH210', ['respond', key], `"respond.${key}" has no effect: ${why}`, { help, of: 'key' })
  }
  if (respond.status === 204)
    for (const key of ['body', 'content_type', 'wait_seconds'] as const)
      idle(key, 'an answer with the status 204 has no body', 'use the status 200, or remove it')
  for (const [name, { status, ...answer }] of Object.entries(respond.outcomes ?? {}))
    if (status === 204)
      for (const key of Object.keys(answer))
        say('WH210', ['respond', 'outcomes', name, key], `"${key}" has no effect: an answer with the status 204 has no body`, {
          help: 'use the status 200, or remove it',
          of: 'key',
        })
  if (most === 0) idle('wait_seconds', 'gateway.max_waiting_requests is 0', 'raise max_waiting_requests, or remove it')
  else if ((respond.max_waiting ?? 0) > most)
    idle(
      'max_waiting',
      `gateway.max_waiting_requests lets ${most} wait of all routes`,
      `raise max_waiting_requests, or write at most ${most}`,
    )
}

/** Reports limits that another limit keeps from being reached. With an address of a store, other gateways may take a share of the work. */
const reviewLimits = ({ spec, route, catalogue, config, say }: Subject): void => {
  if (config.storage.url !== undefined) return
  const { concurrency, rate_limit: rate, poll, catch_up: catchUp } = spec
  const { maxConcurrentRuns: runs } = config
  if (concurrency && concurrency.limit >= runs)
    say('WH210', ['concurrency', 'limit'], `"concurrency.limit" has no effect: no more than ${runs} runs go on at once`, {
      help: `write less than ${runs}, or raise gateway.max_concurrent_runs`,
      of: 'key',
    })
  // The minutes of the two limits begin at different times, so within one of the route's there may be twice what the other accepts.
  const most = config.adapter.rate_limit * 2
  const hasOtherDoor =
    poll !== undefined || catchUp !== undefined || config.relay !== undefined || splits(spec, checkedWith(route, catalogue))
  if (rate && rate.per_minute >= most && !hasOtherDoor)
    say('WH210', ['rate_limit', 'per_minute'], '"rate_limit.per_minute" has no effect: the adapter lets in less', {
      help: `raise rate_limit of the adapter, which is ${config.adapter.rate_limit} requests a minute of each route, or lower per_minute`,
      of: 'key',
    })
}

/** Reports `expression_error` of a route that has no expression. */
const reviewExpressionError = ({ spec, say }: Subject): void => {
  const { tests: _, description: __, ...acting } = spec
  if (spec.expression_error !== 'refuse' || spec.transform !== undefined || JSON.stringify(acting).includes('{=')) return
  say('WH210', ['expression_error'], '"expression_error" has no effect: the route has no {= expression } and no "transform"', {
    help: 'remove it',
    of: 'key',
  })
}

/** Reports the keys for handshakes, such as `verify_token`, where no scheme of the route has such a handshake. */
const reviewHandshakeKeys = ({ spec, route, catalogue, say }: Subject): void => {
  for (const key of ['verify_token', 'confirm_subscriptions'] as const) {
    const answers = ({ handshakes = [] }: Scheme): boolean => handshakes.some(({ needs }) => needs === key)
    if (!isSwitchedOn(spec[key]) || checkedWith(route, catalogue).some(answers)) continue
    const others = [...catalogue.namedSchemes.values()].filter(answers).map(({ name }) => name)
    const named = verifyNames(spec).length === 0 ? 'without "verify"' : 'with the schemes of this route'
    say('WH210', [key], `"${key}" has no effect ${named}`, { help: `remove it, or use it with verify: ${others.join(' or ')}`, of: 'key' })
  }
}

/** Reports the keys of `catch_up` that its sender has no use for. */
const reviewCatchUp = ({ spec: { catch_up: settings }, say }: Subject): void => {
  const part = settings && senderLogsByName.get(settings.from)
  if (!settings || !part) return
  const read: ReadonlySet<string> = new Set(['from', 'hours', ...part.reads(settings)])
  for (const key of Object.keys(settings).filter((each) => !read.has(each) && !each.startsWith('x-')))
    say('WH210', ['catch_up', key], `"catch_up.${key}" has no effect with these settings of ${part.title}`, {
      help: `remove it; read are: ${[...read].join(', ')}`,
      of: 'key',
    })
}

/** Reports `mirror_to_session` of a route whose targets have no chats. */
const reviewMirror = ({ spec, catalogue, say }: Subject): void => {
  const targets = writtenTargets(spec).map(({ target }) => catalogue.targets.get(target))
  if (spec.mirror_to_session !== true || targets.some((part) => !part || part.chat)) return
  say('WH210', ['mirror_to_session'], '"mirror_to_session" has no effect: no target of the route has chats', {
    help: 'remove it, or deliver to a chat, such as telegram or slack',
    of: 'key',
  })
}

/**
 * Reports a `keep_refused` without effect: no payloads are kept at all, or a scheme of the route forbids it, because its requests have a
 * secret in them or are signed only in part.
 */
const reviewKept = ({ spec, route, catalogue, config, say }: Subject): void => {
  if (spec.keep_refused === undefined) return
  const idle = (why: string, help: string): void => say('WH210', ['keep_refused'], why, { help, of: 'key' })
  if (!config.storage.retention.payloads)
    idle('"keep_refused" has no effect: storage.retention.payloads is false', 'remove it, or let payloads be kept')
  if ((spec.redact ?? config.adapter.redact) !== undefined)
    idle('"keep_refused" has no effect: fields are redacted, and a later check would need them', 'remove it, or "redact"')
  const schemes = verifyNames(spec).length === 0 ? [] : checkedWith(route, catalogue)
  const unkept = schemes.filter(({ signatureIn }) => !signatureIn).map(({ title }) => title)
  if (unkept.length > 0)
    idle(
      `"keep_refused" keeps nothing of ${unkept.join(' and ')}: its requests have a secret in them, or are signed only in part`,
      'remove it; look for redelivery at the sender',
    )
}

/**
 * Reports a missing prompt, unless the route starts a job, or all its targets are internal, so that their texts reach only whoever runs the
 * gateway.
 */
export const reviewPrompt = ({ spec, catalogue, say }: Subject): void => {
  if (spec.prompt || spec.cron_job !== undefined) return
  const targets = writtenTargets(spec).map(({ target }) => target)
  if (targets.every((target) => catalogue.targets.get(target)?.internal)) return
  const receives = spec.deliver_only ? `${targets.join(', ')} gets` : 'the agent is asked nothing but'
  say(
    'WH506',
    spec.prompt === undefined ? [] : ['prompt'],
    `there is no prompt: ${receives} the whole payload as JSON, cut at 4000 characters`,
    {
      help: 'write a prompt that says what to do, with {dotted.path} for what the payload brings',
      of: 'key',
    },
  )
}
