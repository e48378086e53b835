/**
 * `webhook subscribe <name>`: creates or updates a subscription, and says how to post to it. A subscription that a gateway would not serve
 * is refused.
 */

import { subscriptionNameOf } from '../../config/subscriptions.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { yamlText } from '../../datadir/yaml-text.ts'
import { entryDiff } from '../../operate/routes/entry-diff.ts'
import { type Subscribed, subscribe } from '../../operate/routes/subscribe.ts'
import { maskJson } from '../../secrets/mask.ts'
import { inForce } from '../shell/in-force.ts'
import { answer, type Cli, warn } from '../shell/output.ts'
import { printRefusal } from '../shell/refuse.ts'
import { subscribeDialogue } from './subscribe-dialogue.ts'
import { readSubscriptionInput, type SubscribeOptions } from './subscribe-options.ts'

export const webhookSubscribe = async (asked: string, options: SubscribeOptions, cli: Cli): Promise<number> => {
  const done = await subscribe(cli.workspace, subscriptionNameOf(asked), {
    ...subscribeDialogue(cli),
    readInput: () => readSubscriptionInput(options, cli),
    dryRun: options.dryRun === true,
  })
  if (!done.ok) return printRefusal(cli, done)
  return answerSubscribed({ ...done, options, others: options.dryRun ? [] : await inForce(cli) }, cli)
}

type SubscribeReport = Subscribed & { readonly options: SubscribeOptions; readonly others: string[] }

const answerSubscribed = (done: SubscribeReport, cli: Cli): number => {
  const { name, options, warnings, change, url, newSecret, curl } = done
  if (options.print) {
    for (const warning of warnings) warn(cli, warning)
    cli.io.stdout(`${printedValue(done, options.print, options.dryRun === true)}\n`)
    return exit.ok
  }
  const data: JsonObject = {
    name,
    created: change.created,
    changed: [...change.changed],
    url,
    secret: newSecret ?? null,
    secret_generated: change.secret === 'generated',
    shadowed: done.shadowed,
    curl: curl ?? null,
    dry_run: options.dryRun === true,
    others: done.others,
  }
  return answer(cli, { kind: 'webhook.subscribe', data, warnings, text: subscriptionText(done, cli) })
}

/**
 * Returns the single value that `--print` asks for. The YAML has stars in the place of secrets. Where `--from` reads stars as the `secret`,
 * the stored secret stays.
 */
const printedValue = (
  { name, url, secret, curl, scheme, change }: SubscribeReport,
  what: NonNullable<SubscribeOptions['print']>,
  isDryRun: boolean,
): string => {
  if (what === 'url') return url
  if (what === 'secret') return secret
  if (what === 'yaml') return yamlText(maskJson(change.entry), { lineWidth: -1, noRefs: true }).trimEnd()
  if (curl !== undefined) return curl
  const hint = `${scheme} cannot be signed in a shell: webhook test ${name} --print-curl`
  throw new Fault('no_curl', `"${name}" is ${isDryRun ? 'right' : 'saved'}, but there is no line for it`, { exitCode: exit.no, hint })
}

const subscriptionText = ({ name, options, change, url, newSecret, scheme, how, curl }: SubscribeReport, cli: Cli): string => {
  const changeWord = change.created ? 'created' : 'updated'
  if (!change.created && change.changed.length === 0) return `no change: ${name}\nurl      ${url}\n`
  const { before, entry } = change
  const diff = before && !cli.quiet ? entryDiff(before, entry).map((line) => `  ${printable(line, maxLine)}`) : []
  if (options.dryRun) return [`would be ${changeWord}: ${name} (${change.changed.join(', ')})`, ...diff, `url      ${url}\n`].join('\n')
  const secretLine = { generated: newSecret ?? '', supplied: '(as given)', kept: '(unchanged)', none: '(none: a public key checks)' }[
    change.secret
  ]
  const lines = [
    `${changeWord}  ${name}${change.created ? '' : ` (${change.changed.join(', ')})`}`,
    ...diff,
    `url      ${url}`,
    `secret   ${secretLine}`,
    `sign     ${signHint(scheme, how, entry.verify !== undefined)}`,
    ...(curl === undefined ? [] : [`try      ${curl}`]),
    `next     ${cli.workspace.self} webhook test ${name}`,
  ]
  return `${(cli.quiet ? lines.slice(0, 3) : lines).join('\n')}\n`
}

const maxLine = 1_024

const signHint = (scheme: string, how: string | undefined, isOnly: boolean): string => {
  if (scheme === 'none') return 'nothing: requests are not verified'
  if (how === undefined) return `only ${scheme} counts`
  return isOnly ? `only ${scheme} counts: ${how}` : `${how}; GitHub, GitLab and Standard Webhooks headers work too`
}
