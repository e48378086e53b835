/**
 * `webhook secret <name>`: prints the fingerprint of a route's secret. `--reveal` prints the secret itself, and `--rotate` makes a new
 * secret and prints it; with `--overlap` the old one verifies beside it for a time.
 */

import { usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { readSecrets, renewSecret } from '../../operate/routes/route-secret.ts'
import { fingerprint } from '../../secrets/mask.ts'
import { inForce } from '../shell/in-force.ts'
import { answer, type Cli } from '../shell/output.ts'
import { printRefusal } from '../shell/refuse.ts'
import { subscribeDialogue } from './subscribe-dialogue.ts'

/** `overlap`: milliseconds. */
export type SecretOptions = { readonly reveal?: boolean; readonly rotate?: boolean; readonly overlap?: number }

export const webhookSecret = async (
  asked: string,
  { reveal = false, rotate = false, overlap }: SecretOptions,
  cli: Cli,
): Promise<number> => {
  if (reveal && rotate) throw usage('give one of --reveal and --rotate: a new secret is printed anyway')
  if (overlap !== undefined && !rotate) throw usage('--overlap goes with --rotate')
  return rotate ? rotateSecret(asked, overlap, cli) : printSecret(asked, reveal, cli)
}

const printSecret = async (asked: string, reveal: boolean, cli: Cli): Promise<number> => {
  const { name, from, secrets, warnings } = await readSecrets(cli.workspace, asked)
  const lines = secrets.map((each) =>
    reveal ? printable(each.secret, 8192) : `${each.fingerprint}  ${each.until === undefined ? from : `replaced, until ${each.until}`}`,
  )
  return answer(cli, {
    kind: 'webhook.secret',
    data: { name, from, secrets: secrets.map(({ secret, ...shown }) => (reveal ? { ...shown, secret } : shown)) },
    text: lines.map((line) => `${line}\n`).join('') || 'none: every request is refused\n',
    warnings,
  })
}

const rotateSecret = async (asked: string, overlapMs: number | undefined, cli: Cli): Promise<number> => {
  const done = await renewSecret(cli.workspace, asked, subscribeDialogue(cli), overlapMs)
  if (!done.ok) return printRefusal(cli, done)
  const { name, newSecret, secret, warnings } = done
  const secrets = [{ fingerprint: fingerprint(secret), ...(newSecret === undefined ? {} : { secret }) }]
  // A secret that the user typed is not printed, because the user knows it.
  const text = `${newSecret ?? `${fingerprint(secret)}  route`}\n`
  return answer(cli, { kind: 'webhook.secret', data: { name, from: 'route', secrets, others: await inForce(cli) }, text, warnings })
}
