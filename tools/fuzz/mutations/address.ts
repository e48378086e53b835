/** Mutations of the address: another address, or another spelling of the same address. */

import { formType, isForm } from '../parts.ts'
import { headerIn, withBody, withHeader, withLine } from '../request.ts'
import { host } from '../world.ts'
import type { Mutate, Mutation } from './mutation.ts'

const spelled: Mutate = (sent, { random }) => {
  const [path = '', query = ''] = sent.target.split(/(?=[?#])/, 2)
  const name = path.split('/').at(-1) ?? ''
  return {
    ...sent,
    target: random.pick([
      `${path}${query}${query === '' ? '?' : '&'}forged=1`,
      `${path}?forged=1${query.replace('?', '&')}`,
      `${path}?`,
      `${path}${query}#forged`,
      `${path}#${query}`,
      `${path}#{"forged":true}?${query.slice(1)}`,
      path,
      `/webhooks/%${name.charCodeAt(0).toString(16)}${name.slice(1)}${query}`,
      `${path}/${query}`,
      `/.${path}${query}`,
      `/x/..${path}${query}`,
      `/${path}${query}`,
      `http://${host}${path}${query}`,
      `https://${host}${path}${query}`,
      `http://evil@${host}:8443${path}${query}`,
      `http://other.example.com${path}${query}`,
      `${path}${query.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}`,
    ]),
  }
}

/** Moves the query into the first field of a form: address and fields, joined without separators, stay the same text. */
const queryInForm: Mutate = (sent, { random }) => {
  const [path = '', query] = sent.target.split(/(?=\?)/, 2)
  if (query === undefined) return undefined
  const cut = 1 + random.whole(query.length)
  const field = `${encodeURIComponent(query.slice(0, cut))}=${encodeURIComponent(query.slice(cut))}`
  return withBody({ ...sent, target: path }, isForm(sent) ? `${field}&${sent.body}` : field, formType)
}

const hosts = [
  `${host}:443`,
  `${host}:80`,
  `${host}:8443`,
  `evil@${host}`,
  `evil.example.com#@${host}`,
  `${host}.`,
  host.toUpperCase(),
  'x',
  '',
]

const hostHeader: Mutate = (sent, { random }) => {
  const name = random.pick(['Host', 'X-Forwarded-Host', 'X-Forwarded-Host'])
  const value = random.pick(hosts)
  if (random.whole(3) > 0) return withHeader(sent, name, value)
  return headerIn(sent, name) === undefined ? undefined : withLine(sent, name, value, random.whole(2) === 0)
}

const protocol: Mutate = (sent, { random }) =>
  withHeader(sent, 'X-Forwarded-Proto', random.pick(['http', 'https', 'http, https', 'https, http', 'ftp', undefined]))

export const addresses: readonly Mutation[] = [
  { name: 'address', mutate: spelled },
  { name: 'the query as a field', mutate: queryInForm },
  { name: 'host', mutate: hostHeader },
  { name: 'protocol', mutate: protocol },
]
