/** Stands in for Pushover's API: messages as a form, and errors in a list beside `status: 0`. */

import type { Double, Reply } from './double.ts'

const token = 'canaryPushoverAppTokenABCDEFG1'
const user = 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG'
const stranger = 'uXXXXXXXXXXXXXXXXXXXXXXXXXXXXX'

const refuse = (status: number, ...errors: string[]): Reply => ({ status, body: { status: 0, request: 'r1', errors } })

const known = new Set(['token', 'user', 'message', 'title', 'priority', 'retry', 'expire', 'device', 'sound', 'url', 'url_title'])

export const pushover: Double = {
  target: 'pushover',
  settings: (origin) => ({ token, user, api_base: origin }),
  env: () => ({ PUSHOVER_TOKEN: token, PUSHOVER_USER: user }),
  wrong: (origin) => ({ token: 'canaryPushoverWrongTokenABCDEF', user, api_base: origin }),
  chat: user,
  unknownChat: stranger,
  limit: { max: 1024, unit: 'characters' },
  idempotent: false,
  posts: ({ method }) => method === 'POST',
  answer({ method, path, form }, accept) {
    if (method !== 'POST' || path !== '/1/messages.json' || !form) return { status: 404, body: 'Not found' }
    const value = (key: string): string => form.get(key) ?? ''
    if (value('token') !== token) return refuse(400, 'application token is invalid')
    if (value('user') !== user) return refuse(400, 'user identifier is not a valid user, group, or subscribed user key')
    if ([...form.keys()].some((key) => !known.has(key))) return refuse(400, 'a parameter that this double does not know')
    if (value('message') === '') return refuse(400, 'message cannot be blank')
    if ([...value('message')].length > 1024) return refuse(400, 'message is too long')
    if ([...value('title')].length > 250 || [...value('url_title')].length > 100 || value('url').length > 512)
      return refuse(400, 'title or url is too long')
    if (form.has('priority') && !/^(?:-[12]|[012])$/.test(value('priority'))) return refuse(400, 'priority is invalid')
    const insists = Number(value('retry')) >= 30 && Number(value('expire')) > 0 && Number(value('expire')) <= 10_800
    if ((value('priority') === '2') !== insists) return refuse(400, 'retry and expire must be supplied with priority=2')
    accept({ chat: value('user'), text: value('message') })
    return { status: 200, body: { status: 1, request: 'r1' } }
  },
  limited: { reply: refuse(429, 'application has exceeded its monthly message limit'), waitMs: undefined },
  hidden: { status: 200, body: { status: 0, request: 'r1', errors: ['no'] } },
}
