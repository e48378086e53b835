/**
 * Masks what is answered about a draft by the values of its secrets. In the text of a draft, stars and references stand for secrets. While
 * the draft is checked and tried, the secrets take their places, so an answer that quotes the draft could show them.
 */

import type { RouteSource } from '../config/config.ts'
import type { Loaded } from '../config/load.ts'
import { parseYaml } from '../config/yaml/source.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { readSubscriptionDraft } from '../operate/routes/edit-subscription.ts'
import { knownSecrets, secretsOfRoute } from '../plan/known-secrets.ts'
import { maskJson } from '../secrets/mask.ts'
import { createRedactor, redactTexts } from '../secrets/redact.ts'
import { hiddenTexts } from '../secrets/settings-secrets.ts'
import type { RouteDraft } from './draft/route-draft.ts'
import { routeTextIn } from './draft/route-text.ts'

/** Returns a copy of an answer in which each text is masked. */
export type AnswerMask = <Answer>(answer: Answer) => Answer

/** Makes the mask for answers about a draft. `source`, `loaded`: the draft as a gateway would load it. */
export const answerMask = (
  workspace: Workspace,
  { opened, spec }: RouteDraft,
  { source, loaded }: { readonly source?: RouteSource | undefined; readonly loaded: Pick<Loaded, 'config'> },
): AnswerMask => {
  const { real, shown } = opened.source === 'config' ? configured(opened) : subscribed(workspace, opened.name)
  const redact = createRedactor([
    ...knownSecrets(loaded.config),
    ...(source
      ? [...secretsOfRoute(source, loaded.config.profiles.get(source.profile)?.env ?? {}), ...hiddenTexts(source.spec as JsonObject, spec)]
      : []),
    ...hiddenTexts(real, shown),
  ])
  return (answer) => redactTexts(answer, redact)
}

type Shown = { readonly real: JsonObject; readonly shown: Json }

const configured = ({ text, base, written }: RouteDraft['opened']): Shown => {
  const routeText = routeTextIn(text, base)
  const data = typeof routeText === 'string' ? parseYaml('', routeText).data : undefined
  return { real: written, shown: data ?? maskJson(written) }
}

const subscribed = (workspace: Workspace, name: string): Shown => {
  const { entry } = readSubscriptionDraft(workspace, name)
  return { real: entry, shown: maskJson(entry) }
}
