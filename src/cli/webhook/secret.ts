/** `webhook secret <name>`: prints the fingerprint of a route's secret. The secret itself is shown or renewed only when asked. */

import { readServed } from '../../app/routes/check-subscription.ts'
import { readSecrets, renewableSubscription } from '../../app/routes/route-secret.ts'
import { subscribe } from '../../app/routes/subscribe.ts'
import { usage } from '../../core/fault.ts'
import { fingerprint } from '../../core/secrets/mask.ts'
import { printable } from '../../core/text.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { refuse } from '../shell/refuse.ts'
import { withSenderKey } from './subscribe.ts'

export type SecretOptions = { readonly reveal?: boolean; readonly rotate?: boolean }

export const webhookSecret = async (asked: string, { reveal = false, rotate = false }: SecretOptions, cli: Cli): Promise<number> => {
  if (reveal && rotate) throw usage('give one of --reveal and --rotate: a new secret is printed anyway')
  return rotate ? renew(renewableSubscription(cli.workspace, asked), cli) : show(asked, reveal, cli)
}

const show = (asked: string, reveal: boolean, cli: Cli): number => {
  const { name, from, secrets, warnings } = readSecrets(cli.workspace, asked)
  const lines = secrets.map((each) => (reveal ? printable(each.secret, 8192) : `${each.fingerprint}  ${from}`))
  return answer(cli, {
    kind: 'webhook.secret',
    data: { name, from, secrets: secrets.map((each) => (reveal ? { ...each } : { fingerprint: each.fingerprint })) },
    text: lines.map((line) => `${line}\n`).join('') || 'none: every request is refused\n',
    warnings,
  })
}

const renew = async (name: string, cli: Cli): Promise<number> => {
  const served = await readServed(cli.workspace)
  if (!served.ok) return refuse(cli, served)
  note(cli, ...served.notices)
  const input = await withSenderKey(served, name, { fields: {}, rotate: true, replace: false }, cli)
  const done = await subscribe(served, name, input, false)
  if (!done.ok) return refuse(cli, done)
  const { newSecret, secret, warnings } = done
  const secrets = [{ fingerprint: fingerprint(secret), ...(newSecret === undefined ? {} : { secret }) }]
  // A secret that the user typed is not printed, because the user knows it.
  const text = `${newSecret ?? `${fingerprint(secret)}  route`}\n`
  return answer(cli, { kind: 'webhook.secret', data: { name, from: 'route', secrets }, text, warnings })
}
