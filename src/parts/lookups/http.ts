/** The lookup `http`: gets JSON from an address of the operator's, and takes the value at a path in it. */

import type { Json } from '../../core/json.ts'
import { compileExactPath } from '../../expr/path.ts'
import { renderJson } from '../../expr/render.ts'
import { filledAddress, hasFixedHost, hasPrivateHost, leavesFolder } from '../web/written-address.ts'
import { writtenHeaders } from '../web/written-headers.ts'
import type { LookupPart } from './lookup.ts'

const maxBytes = 256 * 1024

export const http: LookupPart = {
  name: 'http',
  title: 'HTTP',
  reads: () => ['headers', 'path', 'allow_private'],
  check({ http: url = '', headers, allow_private: mayBePrivate }, report) {
    if (!hasFixedHost(url))
      report('WH249', ['http'], 'the address has no fixed host, or names a user', 'placeholders may stand after the host only')
    else if (leavesFolder(url)) report('WH249', ['http'], 'the address has a segment . or .. in its path', 'write the path without it')
    else if (mayBePrivate !== true && hasPrivateHost(url))
      report(
        'WH249',
        ['http'],
        'the address leads into a private network or to this machine',
        'allow_private: true lets this lookup go there',
      )
    const written = writtenHeaders(headers as Json | undefined)
    if ('problem' in written)
      report('WH249', ['headers'], written.problem, 'write a map of names to texts: { Authorization: "Bearer ${TOKEN}" }')
  },
  fills: ({ http: url = '' }) => ({ url: { use: 'address', texts: [url] } }),
  unasked(_spec, { url = '' }) {
    const address = filledAddress(url)
    if (!('problem' in address)) return undefined
    return address.isUnfilled ? 'unfilled' : { ok: false, why: address.problem, isFinal: true }
  },
  async ask({ headers, path, allow_private: mayBePrivate }, { url = '' }, { get }) {
    const written = writtenHeaders(headers as Json | undefined)
    if ('problem' in written) return { ok: false, why: written.problem, isFinal: true }
    const got = await get({ url: new URL(url).href, headers: written.headers, maxBytes, isPublicOnly: mayBePrivate !== true })
    if (!got.ok) return got
    if (got.absent) return { ok: true, text: 'null' }
    if (path === undefined) return { ok: true, text: got.text }
    return { ok: true, text: renderJson(compileExactPath(path)(got) ?? null, Number.POSITIVE_INFINITY, 0) }
  },
  examples: [
    {
      spec: { http: 'https://inventory.example.org/hosts/{host}', path: 'data.owner' },
      values: { url: 'https://inventory.example.org/hosts/db1' },
      answers: { 'https://inventory.example.org/hosts/db1': { data: { owner: 'team-db' } } },
      value: 'team-db',
    },
    {
      spec: { http: 'https://inventory.example.org/hosts/{host}' },
      values: { url: 'https://inventory.example.org/hosts/none' },
      answers: {},
      value: null,
    },
  ],
}
