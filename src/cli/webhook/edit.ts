/**
 * `webhook edit <name>`: opens a route in the user's editor. A subscription is edited as a draft, and the draft is checked before it
 * replaces the stored subscription.
 */

import { readFile } from 'node:fs/promises'
import { exit, Fault, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { findRoute, type RouteEntry, readRoutes } from '../../datadir/routes.ts'
import { configFile } from '../../datadir/workspace.ts'
import { readSubscriptionContext, type SubscriptionContext } from '../../operate/routes/check-subscription.ts'
import { readSubscriptionDraft, type SavedSubscription, type SubscriptionDraft, saveDraft } from '../../operate/routes/edit-subscription.ts'
import { wantsAgain, withDrafts } from '../shell/draft.ts'
import { inForce } from '../shell/in-force.ts'
import { answer, type Cli, note } from '../shell/output.ts'
import { printRefusal } from '../shell/refuse.ts'
import { validateFiles } from '../validate/validate.ts'

type Edit = NonNullable<Cli['io']['edit']>

export const webhookEdit = async (asked: string, cli: Cli): Promise<number> => {
  const { edit } = cli.io
  const { self } = cli.workspace
  if (!edit) throw usage('an editor needs a terminal', `without one: ${self} webhook subscribe ${asked} with the options to change`)
  const route = findRoute(readRoutes(cli.workspace), asked)
  if (route.source === 'config') return editConfigured(route, edit, cli)
  const served = await readSubscriptionContext(cli.workspace)
  if (!served.ok) return printRefusal(cli, served)
  note(cli, ...served.notices)
  const draft = readSubscriptionDraft(cli.workspace, route.name)
  return withDrafts(cli, async (open) => {
    const file = await open({ ...draft, extension: 'yaml' })
    for (;;) {
      await edit(file)
      const code = await saveEdited(served, draft, file, cli)
      if (code !== undefined) return { done: code === exit.ok, result: code }
    }
  })
}

/** Opens `config.yaml` in the editor at the route, and validates the file afterwards. Returns the exit code of `validate`. */
const editConfigured = async ({ route }: RouteEntry, edit: Edit, cli: Cli): Promise<number> => {
  const place = route?.place(route.base, 'key')
  await edit(place?.file ?? configFile(cli.workspace), place?.line)
  const code = await validateFiles([], {}, cli)
  note(cli, `a running gateway takes it over by: ${cli.workspace.self} gateway reload`)
  return code
}

/** Saves the edited draft and returns the exit code. `undefined`: the draft was refused, and the user wants to go on editing it. */
const saveEdited = async (served: SubscriptionContext, draft: SubscriptionDraft, file: string, cli: Cli): Promise<number | undefined> => {
  const text = await readFile(file, 'utf8')
  try {
    const done = await saveDraft(served, draft, file, text)
    if (done.ok) return answerEdited(draft, done, await inForce(cli), cli)
    const code = printRefusal(cli, done)
    return (await wantsAgain(cli)) ? undefined : code
  } catch (error) {
    // Further editing does not mend a conflict: the subscription that the draft was made from is not the stored one any more.
    if (!(error instanceof Fault) || error.exitCode !== exit.no || cli.json || !cli.io.ask) throw error
    cli.io.stderr(`error: ${printable(error.message)}\n`)
    if (await wantsAgain(cli)) return undefined
    throw error
  }
}

const answerEdited = (
  { name }: SubscriptionDraft,
  { changed, newSecret, warnings }: SavedSubscription,
  others: string[],
  cli: Cli,
): number => {
  const lines = changed.length === 0 ? [`no change: ${name}`] : [`updated  ${name} (${changed.join(', ')})`]
  if (newSecret !== undefined)
    lines.push(`secret   ${newSecret}`, 'it is bound to another profile: senders that hold the old secret are refused')
  return answer(cli, {
    kind: 'webhook.edit',
    data: { name, changed: [...changed], secret: newSecret ?? null, others },
    text: lines.map((line) => `${line}\n`).join(''),
    warnings,
  })
}
