/** Auth0 log streams: a token in `Authorization`. Nothing is signed. */

import { preset } from '../preset.ts'

export const auth0 = preset({
  name: 'auth0',
  title: 'Auth0',
  docs: 'https://auth0.com/docs/customize/log-streams/custom-log-streams',
  senderSetup:
    'Dashboard → Monitoring → Streams → Create Stream → Custom Webhook: the address of the route, and JSON Object (or JSON Array) as Content Format',
  keyFrom: 'you',
  key: 'the Authorization Token; all of it, with "Bearer " where you typed that',
  events: ['s', 'f', 'fp', 'ss', 'fs', 'limit_wc'],
  sample: 'auth0/s',
  route: 'events: [s, limit_wc]\nprompt: "{data.description}: {data.user_name} from {data.ip}"\n',
  batch: { items: '*', type: ['data.type'], id: ['log_id'], byEvents: true },
  scheme: {
    algorithm: 'token',
    signature: { header: 'Authorization' },
    event: { body: ['data.type', '0.data.type'] },
    id: { body: ['log_id', '0.log_id'] },
  },
})
