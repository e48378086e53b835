/**
 * The log of GitLab: the events of a webhook of a project (https://docs.gitlab.com/api/project_webhooks/), from GitLab 17.4 on. It goes
 * back seven days, and GitLab sends an event again under the same `Idempotency-Key` when it is asked. The log has no times of its own: the
 * time of an entry is the time of our answer, or the time of the entry after it.
 */

import { isObject, type JsonObject, own } from '../../core/json.ts'
import { textSetting } from '../targets/delivery/settings.ts'
import { askApi, entriesOf, logApiBase, withNext } from './kit/ask-api.ts'
import type { CatchUpSettings, LogEntry, SenderLogKit, SenderLogPart } from './sender-log.ts'

const pageSize = 20
const right = 'the token needs the role Maintainer in the project, and the scope api'

export const gitlab: SenderLogPart = {
  name: 'gitlab',
  title: 'GitLab',
  schemes: ['gitlab', 'standard_webhooks'],
  longestHours: 168,
  // GitLab lets a user resend five events of a webhook in a minute.
  perMinute: 4,
  right,
  reads: () => ['project', 'hook', 'token', 'api_base', 'per_minute'],
  check({ project, hook }, report) {
    if (project === undefined) report('WH236', [], 'catch_up needs the project of the webhook', 'project: group/name, or its number')
    if (hook === undefined) report('WH236', [], 'catch_up needs the number of the webhook', 'hook: the number in the address of its page')
  },
  open(settings, kit) {
    const { token, base } = accessOf(settings, kit)
    const url = `${base}/projects/${encodeURIComponent(String(settings.project))}/hooks/${settings.hook}/events`
    const headers = { 'private-token': token }
    let newest = 0
    return {
      async read(cursor = '1') {
        if (cursor === '1') newest = kit.clock.now()
        const asked = await askApi({ url: `${url}?per_page=${pageSize}&page=${cursor}`, headers }, right, kit)
        if (!asked.ok) return asked
        const page = entriesOf(asked.json, (event) => {
          newest = Math.min(newest, answeredAt(event) ?? newest)
          return eventEntry(event, newest)
        })
        const next = asked.answer.header('x-next-page') ?? ''
        return withNext(page, /^\d{1,6}$/.test(next) ? next : undefined)
      },
      async sendAgain({ ref }) {
        const asked = await askApi({ method: 'POST', url: `${url}/${ref}/resend`, headers }, right, kit)
        return asked.ok || !/^HTTP (?:400|404|422)\b/.test(asked.why) ? asked : { ...asked, isOfEntry: true }
      },
    }
  },
}

/** Returns the token and the address of the API: those of the route, or else of `platforms.gitlab`. */
const accessOf = (settings: CatchUpSettings, { platform }: SenderLogKit): { readonly token: string; readonly base: string } => {
  const shared = platform('gitlab')
  const host = textSetting(shared, 'api_base') ?? textSetting(shared, 'host') ?? 'gitlab.com'
  const origin = host.includes('://') ? host.replace(/\/+$/, '') : `https://${host}`
  return { token: settings.token ?? textSetting(shared, 'token') ?? '', base: logApiBase(settings, `${origin}/api/v4`) }
}

/** Returns when our answer was made; `undefined` where there was none. */
const answeredAt = (event: JsonObject): number | undefined => {
  const headers = own(event, 'response_headers')
  const at = isObject(headers) ? Date.parse(String(own(headers, 'Date') ?? own(headers, 'date'))) : Number.NaN
  return Number.isFinite(at) ? at : undefined
}

const eventEntry = (event: JsonObject, at: number): LogEntry | undefined => {
  const [id, headers, status] = [own(event, 'id'), own(event, 'request_headers'), String(own(event, 'response_status'))]
  const key = isObject(headers) ? own(headers, 'Idempotency-Key') : undefined
  if (!/^\d{1,30}$/.test(String(id)) || typeof key !== 'string' || key === '') return undefined
  const isDelivered = /^[23]\d\d$/.test(status)
  return { deliveryId: key, ref: String(id), at, event: String(own(event, 'trigger') ?? ''), isDelivered, isRepeat: false }
}
