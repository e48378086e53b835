/**
 * The log of GitHub: the deliveries of a webhook of a repository, an organisation or an App
 * (https://docs.github.com/en/rest/repos/webhooks#list-deliveries-for-a-repository-webhook). GitHub repeats no failed delivery by itself,
 * and sends one again under the same delivery id when it is asked. With a token of its own the API is asked directly; without one, by `gh`,
 * which may have a login of its own.
 */

import { type Json, type JsonObject, own } from '../../core/json.ts'
import { runGh } from '../targets/delivery/gh.ts'
import { signedToken } from '../targets/delivery/signed-token.ts'
import { askApi, entriesOf, logApiBase, quoteLongNumbers, withNext } from './kit/ask-api.ts'
import type { CatchUpSettings, LogEntry, LogFailure, SenderLogKit, SenderLogPart } from './sender-log.ts'

const repository = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/
const organisation = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/
const cursorForm = /^[\w.:-]{1,200}$/
const pageSize = 100
const ghMs = 20_000
/** The wait after an answer of gh that may be better the next time. */
const ghAgainMs = 15_000

const right =
  'the token must belong to an administrator and have the right "repository webhooks: write" (of an organisation: "organization webhooks: write"), or the classic scope admin:repo_hook; the GITHUB_TOKEN of Actions is not enough. An App signs with app_id and app_key'

export const github: SenderLogPart = {
  name: 'github',
  title: 'GitHub',
  schemes: ['github'],
  // Three days on github.com, and seven on servers of one's own.
  longestHours: 168,
  // GitHub's secondary limit: 80 requests a minute and 500 an hour that make content. Somebody else may use the same token.
  perMinute: 8,
  right,
  reads({ app_id: appId, token }) {
    const place: readonly (keyof CatchUpSettings)[] = appId === undefined ? ['repo', 'org', 'hook', 'token'] : ['app_id', 'app_key']
    // Without a token gh is asked, which knows its own server.
    return [...place, 'per_minute', ...(appId === undefined && token === undefined ? [] : (['api_base'] as const))]
  },
  check(settings, report) {
    const { repo, org, app_id: appId, app_key: appKey, hook } = settings
    const places = [repo, org, appId].filter((place) => place !== undefined).length
    if (places !== 1)
      report('WH236', [], 'catch_up needs one of repo, org and app_id', 'name whose webhook it is: repo: octo-org/octo-repo')
    if (repo !== undefined && !repository.test(repo))
      report('WH236', ['repo'], 'repo is not owner/name', 'write it like octo-org/octo-repo')
    if (org !== undefined && !organisation.test(org))
      report('WH236', ['org'], 'org is not the name of an organisation', 'write it like octo-org')
    if (appId === undefined && hook === undefined)
      report('WH236', [], 'catch_up needs the number of the webhook', 'hook: the number at the end of its page in the settings')
    if (appId !== undefined && appKey === undefined)
      report('WH236', [], 'an App needs app_key', 'app_key: file:/path/to/the/private-key.pem')
  },
  open(settings, kit) {
    const path = pathOf(settings)
    const ask = settings.token === undefined && settings.app_key === undefined ? askByGh(kit) : askDirectly(settings, kit)
    return {
      async read(cursor) {
        const asked = await ask('GET', `${path}?per_page=${pageSize}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
        if (!asked.ok) return asked
        const address = /<([^<>]+)>\s*;\s*rel="next"/.exec(asked.link)?.[1]
        const next = address === undefined ? undefined : cursorOf(address)
        if (next === '') return { ok: false, why: 'the address of the next page has no cursor' }
        return withNext(entriesOf(asked.json, deliveryEntry), next)
      },
      async sendAgain({ ref }) {
        const asked = await ask('POST', `${path}/${ref}/attempts`)
        // GitHub has forgotten the delivery, or cannot send it again: the other deliveries are not concerned.
        return asked.ok || !/HTTP (?:400|404|410|422)\b/.test(asked.why) ? asked : { ...asked, isOfEntry: true }
      },
    }
  },
}

const pathOf = ({ repo, org, hook }: CatchUpSettings): string => {
  if (repo !== undefined) return `repos/${repo}/hooks/${hook}/deliveries`
  return org === undefined ? 'app/hook/deliveries' : `orgs/${org}/hooks/${hook}/deliveries`
}

type HookAnswer = { readonly ok: true; readonly json: Json; readonly link: string } | LogFailure
type Ask = (method: 'GET' | 'POST', path: string) => Promise<HookAnswer>

const askDirectly = (settings: CatchUpSettings, kit: SenderLogKit): Ask => {
  const base = logApiBase(settings, 'https://api.github.com')
  const { app_id: appId, app_key: appKey, token = '' } = settings
  return async (method, path) => {
    const credential = appKey === undefined ? token : appToken(String(appId), appKey, kit.clock.now())
    if (credential === undefined) return { ok: false, why: 'app_key is no RSA key in PEM', help: 'download it from the page of the App' }
    const headers = { authorization: `Bearer ${credential}`, accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' }
    const asked = await askApi({ method, url: `${base}/${path}`, headers }, right, kit)
    return asked.ok ? { ok: true, json: asked.json, link: asked.answer.header('link') ?? '' } : asked
  }
}

/** Makes the token of an App, which GitHub takes for ten minutes. `undefined`: the key is no RSA key. */
const appToken = (appId: string, key: string, now: number): string | undefined => {
  const seconds = Math.floor(now / 1_000)
  // The clock of GitHub may be behind, and a token from the future would be refused, so the token says that it was made a minute ago.
  return signedToken({ iat: seconds - 60, exp: seconds + 480, iss: appId }, { key })
}

/** Asks by `gh api`, with the token or login that gh has. `--include` puts status line and headers before the body. */
const askByGh =
  ({ env, platform, keep }: SenderLogKit): Ask =>
  async (method, path) => {
    const args = ['api', '--include', '--method', method, path]
    const answer = await runGh({ args, stdin: '', timeoutMs: ghMs }, { env, settings: platform('github'), keep })
    if (!answer.ok) {
      const { why, forbidden, repeatable, retryAfterMs } = answer
      if (forbidden) return { ok: false, why, help: right }
      return { ok: false, why, ...(repeatable ? { retryAfterMs: retryAfterMs ?? ghAgainMs } : {}) }
    }
    const [head = '', ...rest] = answer.stdout.split(/\r?\n\r?\n/)
    const body = rest.join('\n\n').trim()
    try {
      return {
        ok: true,
        json: JSON.parse(body === '' ? '{}' : quoteLongNumbers(body)) as Json,
        link: /^link:(.*)$/im.exec(head)?.[1] ?? '',
      }
    } catch {
      return { ok: false, why: 'gh: exit code 0, and no JSON', retryAfterMs: ghAgainMs }
    }
  }

/** Returns the cursor in the address of a page; empty where there is none. */
const cursorOf = (address: string): string => {
  const cursor = URL.canParse(address) ? (new URL(address).searchParams.get('cursor') ?? '') : ''
  return cursorForm.test(cursor) ? cursor : ''
}

/** Makes the entry of a delivery. An entry without a status of 200 to 399 was not delivered. */
const deliveryEntry = (delivery: JsonObject): LogEntry | undefined => {
  const [id, guid, status] = [own(delivery, 'id'), own(delivery, 'guid'), own(delivery, 'status_code')]
  const ref = typeof id === 'number' || typeof id === 'string' ? String(id) : ''
  const at = Date.parse(String(own(delivery, 'delivered_at')))
  if (!/^\d{1,30}$/.test(ref) || typeof guid !== 'string' || guid === '' || !Number.isFinite(at)) return undefined
  return {
    deliveryId: guid,
    ref,
    at,
    event: String(own(delivery, 'event') ?? ''),
    // A delivery that GitHub still holds back has no status yet.
    isDelivered: typeof status === 'number' && status >= 200 && status <= 399,
    isRepeat: own(delivery, 'redelivery') === true,
  }
}
