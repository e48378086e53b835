/** `webhook secret <name>`: which secret counts, by its fingerprint; shown or renewed only when asked. */

import { readServed } from '../../app/routes/check-subscription.ts'
import { findRoute, type KnownRoute, readRoutes, shadowWarning } from '../../app/routes/routes.ts'
import { subscribe } from '../../app/routes/subscribe.ts'
import { insecure } from '../../config/config.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { isObject } from '../../core/json.ts'
import { fingerprint } from '../../core/secrets/mask.ts'
import { shownPlace } from '../../core/shown-place.ts'
import { printable } from '../../core/text.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { refuse } from '../shell/refuse.ts'
import { withSenderKey } from './subscribe.ts'

export type SecretOptions = { readonly reveal?: boolean; readonly rotate?: boolean }

export const webhookSecret = async (asked: string, { reveal = false, rotate = false }: SecretOptions, cli: Cli): Promise<number> => {
  if (reveal && rotate) throw usage('give one of --reveal and --rotate: a new secret is printed anyway')
  const known = findRoute(readRoutes(cli.workspace), asked)
  return rotate ? renew(known, cli) : show(known, reveal, cli)
}

const show = (known: KnownRoute, reveal: boolean, cli: Cli): number => {
  const { name, route, written } = known
  if (!route)
    throw new Fault('invalid', `"${name}" has a mistake: it is not served`, { exitCode: exit.no, hint: `${cli.workspace.self} validate` })
  const own = isObject(written) && (written.secret !== undefined || written.secrets !== undefined)
  const from = own ? 'route' : 'global'
  const secrets = route.secrets.map((secret) => ({
    fingerprint: secret === insecure ? insecure : fingerprint(secret),
    ...(reveal ? { secret } : {}),
  }))
  const lines = secrets.map((each) => (reveal ? printable(each.secret ?? '', 8192) : `${each.fingerprint}  ${from}`))
  return answer(cli, {
    kind: 'webhook.secret',
    data: { name, from, secrets },
    text: lines.map((line) => `${line}\n`).join('') || 'none: every request is refused\n',
    warnings: known.shadowed ? [shadowWarning(known)] : [],
  })
}

const renew = async ({ name, source, route }: KnownRoute, cli: Cli): Promise<number> => {
  if (source === 'config') {
    const hint = route ? `change it at ${shownPlace(route.place(route.base, 'key'))}` : 'change it in config.yaml'
    throw new Fault('configured', `"${name}" is a route of config.yaml: its secret is set there`, { exitCode: exit.no, hint })
  }
  const served = await readServed(cli.workspace)
  if (!served.ok) return refuse(cli, served)
  note(cli, ...served.notices)
  const wish = await withSenderKey(served, name, { fields: {}, rotate: true, replace: false }, cli)
  const done = await subscribe(served, name, wish, false)
  if (!done.ok) return refuse(cli, done)
  const { newSecret, secret, warnings } = done
  const secrets = [{ fingerprint: fingerprint(secret), ...(newSecret === undefined ? {} : { secret }) }]
  // One that was typed is known to whoever typed it.
  const text = `${newSecret ?? `${fingerprint(secret)}  route`}\n`
  return answer(cli, { kind: 'webhook.secret', data: { name, from: 'route', secrets }, text, warnings })
}
