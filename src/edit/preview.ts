/**
 * Previews a draft: the findings about its route, and what the route would do with a payload. The findings come from the code that checks
 * a configuration, the trace from the code that serves requests; both run without effects here.
 */

import type { RouteSource } from '../config/config.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { withoutConsequences } from '../config/partial-route.ts'
import { readSubscription } from '../config/subscriptions.ts'
import { type ParsedYaml, parseYaml, sourceOf } from '../config/yaml/source.ts'
import { systemClock } from '../core/clock.ts'
import { type Diagnostic, pointerOf } from '../core/diagnostic.ts'
import { Fault, messageOf } from '../core/fault.ts'
import { isObject, valueAt } from '../core/json.ts'
import { maskLines } from '../datadir/mask-lines/mask-lines.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { listSamples } from '../dryrun/samples/gallery.ts'
import { withDryEffects } from '../dryrun/trace/dry-effects.ts'
import { trace } from '../dryrun/trace/trace.ts'
import { requestToTrace } from '../dryrun/trace/trace-route.ts'
import { editedEntry, readSubscriptionDraft } from '../operate/routes/edit-subscription.ts'
import { catalogueOf } from '../plan/catalogue.ts'
import { quietBook } from '../plan/check.ts'
import { type Catalogue, checkRoute } from '../plan/compile.ts'
import { reviewRoute } from '../plan/review/review.ts'
import { reviewContext, sectionsAround } from '../plan/review/review-context.ts'
import { type AnswerMask, answerMask } from './answer-mask.ts'
import type { DraftText, DraftTexts } from './draft/draft-text.ts'
import { stepsOfFixes } from './draft/fix-steps.ts'
import type { OpenedRoute, RouteDraft } from './draft/route-draft.ts'
import { textPlaces } from './draft/text-places.ts'
import { lackingFields } from './form.ts'
import { contentOfChoice } from './payload/payload-choice.ts'
import type { SampleReader } from './payload/sample-reader.ts'
import { seenBy } from './saving/draft-findings.ts'
import type { PayloadChoice, Preview, PreviewRequest } from './service.ts'
import { shownTrace, type TraceShown } from './shown-trace.ts'
import { talliesOf } from './tallies.ts'

/**
 * A draft's route as the server would load it, with the configuration around it and the findings about the route. `source`: absent where
 * the route cannot be read, or its shape or its secret is wrong; a route with other errors is there.
 */
type LoadedDraft = {
  readonly source?: RouteSource
  readonly loaded: Loaded
  readonly catalogue: Catalogue
  readonly findings: readonly Diagnostic[]
}

/** Returns the preview of a draft. A mistake in the draft is part of the preview, and is not thrown. Throws a Fault as `loadDraft` does. */
export const previewOf = async (
  workspace: Workspace,
  textOf: DraftTexts,
  read: SampleReader,
  { draft, payload, revision }: PreviewRequest,
): Promise<Preview> => {
  const { opened } = draft
  const made = textOf(draft)
  const parsed = parsedDraft(opened, made)
  const draftLoaded = await loadDraft(workspace, opened, parsed)
  const { source, loaded, catalogue } = draftLoaded
  const findings = seenBy(workspace, draftLoaded.findings)
  const traced = await tracePayload(workspace, source, loaded, catalogue, payload)
  const masked = answerMask(workspace, draft, draftLoaded)
  return {
    revision,
    fixes: stepsOfFixes(findings, parsed, opened),
    places: textPlaces(findings, opened, made, parsed),
    ...masked({
      ...(made.ok ? {} : { refused: made.why }),
      findings,
      lacking: lackingFields(draft.spec, sectionsAround(loaded)),
      yaml: routeLines(opened, parsed),
      ...traced,
      ...(await countTallies(workspace, read, source, loaded, catalogue)),
    }),
  }
}

/** Returns the function that masks what is answered about a draft. Throws a Fault as `loadDraft` does. */
export const maskOfDraft = async (workspace: Workspace, textOf: DraftTexts, draft: RouteDraft): Promise<AnswerMask> =>
  answerMask(workspace, draft, await loadDraft(workspace, draft.opened, parsedDraft(draft.opened, textOf(draft))))

/** Returns the parsed text of a draft. The text is parsed only where this has not been done yet. */
export const parsedDraft = ({ source, file, name }: OpenedRoute, made: DraftText): ParsedYaml =>
  (made.ok ? made.parsed : undefined) ?? parseYaml(source === 'config' ? file : name, made.text)

/**
 * Loads the configuration with the draft in its place, compiles the route without effects, and collects the findings about it. Throws a
 * Fault where the draft is of a subscription that is gone.
 */
export const loadDraft = async (workspace: Workspace, opened: OpenedRoute, parsed: ParsedYaml): Promise<LoadedDraft> => {
  const isConfig = opened.source === 'config'
  const loaded = loadConfig({ ...workspace, ...(isConfig ? { texts: new Map([[opened.file, parsed]]) } : {}) })
  const { config } = loaded
  const { catalogue } = await catalogueOf(config)
  const { source, found } = isConfig ? configuredRoute(loaded, opened) : subscribedRoute(workspace, loaded, opened, parsed)
  if (!source) return { loaded, catalogue, findings: found }
  const compiled = await withDryEffects(async (effects) =>
    checkRoute(source, config, catalogue, { ...effects, jobs: quietBook(config, catalogue) }),
  )
  const errors = [...found, ...compiled]
  const salvaged = loaded.salvaged.find(({ route }) => route.name === opened.name)
  const likely = reviewRoute(source, reviewContext(config, catalogue, loaded.texts, errors), errors)
  const all = [...errors, ...likely]
  // A route whose shape or secret is wrong cannot be served, so it is not returned. Its partial route was checked all the same.
  if (salvaged && isConfig) return { loaded, catalogue, findings: [...found, ...withoutConsequences(salvaged, [...compiled, ...likely])] }
  return { source, loaded, catalogue, findings: all }
}

/** The draft's route in a configuration or a subscription, and the findings of reading it. */
type FoundRoute = { readonly source: RouteSource | undefined; readonly found: readonly Diagnostic[] }

const configuredRoute = ({ config, diagnostics, salvaged }: Loaded, { name, base }: OpenedRoute): FoundRoute => {
  const pointer = pointerOf(base)
  const isOurs = (each: Diagnostic): boolean => each.route === name || each.pointer === pointer || each.pointer.startsWith(`${pointer}/`)
  return {
    source: config.routes.get(name) ?? salvaged.find(({ route }) => route.name === name)?.route,
    // A file with the finding WH001 or WH002 is not served, so these findings concern each of its routes.
    found: diagnostics.filter((each) => isOurs(each) || each.code === 'WH001' || each.code === 'WH002'),
  }
}

/** Reads the subscription from its text, and puts back the secrets that the text hides. */
const subscribedRoute = (workspace: Workspace, { config }: Loaded, { name }: OpenedRoute, parsed: ParsedYaml): FoundRoute => {
  const { source, diagnostics } = sourceOf(name, parsed)
  if (!source) return { source: undefined, found: diagnostics }
  const { entry } = editedEntry(readSubscriptionDraft(workspace, name), source.data)
  const { route, diagnostics: shape } = readSubscription(name, entry, config, { place: source.place })
  return { source: route && { ...route, base: [] }, found: shape }
}

type TracedPart = Pick<Preview, 'trace' | 'untraced' | 'prompt' | 'extra'>

/**
 * Traces a payload through a route, and fills in the route's prompt and the settings of its targets. Where the route stops the payload, a
 * second trace of the route `withoutGates` fills in prompt and settings. Never throws: `untraced` says why there is no trace.
 */
export const tracePayload = async (
  workspace: Workspace,
  source: RouteSource | undefined,
  { config }: Loaded,
  catalogue: Catalogue,
  payload: PayloadChoice | undefined,
): Promise<TracedPart> => {
  if (!source) return { untraced: 'the route is not valid as it is now' }
  if (!payload) return { untraced: 'no payload is chosen' }
  const effects = { jobs: quietBook(config, catalogue), clock: systemClock }
  try {
    const traced = await requestToTrace(workspace, source, { config, catalogue }, { of: contentOfChoice(payload), set: [], unset: [] })
    const whole = await trace(traced, { source, config, catalogue, effects })
    const open = whole.starts ? whole : await trace(traced, { source: withoutGates(source), config, catalogue, effects })
    return { trace: shownTrace(whole), ...tracedPrompt(open) }
  } catch (error) {
    return { untraced: messageOf(error) }
  }
}

const countTallies = async (
  workspace: Workspace,
  read: SampleReader,
  source: RouteSource | undefined,
  { config }: Loaded,
  catalogue: Catalogue,
): Promise<Pick<Preview, 'tallies' | 'untallied'>> => {
  if (!source) return { tallies: {} }
  try {
    const effects = { jobs: quietBook(config, catalogue), clock: systemClock }
    return await talliesOf(listSamples(workspace), read, { source, config, catalogue, effects })
  } catch (error) {
    // The findings say why the route is not valid.
    if (error instanceof Fault) return { tallies: {} }
    throw error
  }
}

/** Returns the route switched on, without `filters`, `events` and `script`, which may stop a payload, and `coalesce`, which may hold it. */
const withoutGates = (source: RouteSource): RouteSource => {
  const { filters: _, events: __, script: ___, coalesce: ____, ...spec } = source.spec
  return { ...source, enabled: true, spec }
}

const tracedPrompt = ({ starts, placeholders }: Pick<TraceShown, 'starts' | 'placeholders'>): TracedPart =>
  starts
    ? {
        prompt: {
          text: starts.prompt,
          unresolved: placeholders.filter(({ missing }) => missing).map(({ written }) => written),
          cuts: placeholders.flatMap(({ written, cut }) => (cut ? [`${written} ${cut.from} → ${cut.to}`] : [])),
        },
        extra: starts.extra,
      }
    : {}

/** Returns the lines of the draft's text that belong to the route, with stars for secrets. */
const routeLines = ({ base, source: origin }: OpenedRoute, parsed: ParsedYaml): string => {
  const { text } = parsed
  if (origin === 'subscription') return maskedText(text)
  const { source } = sourceOf('', parsed)
  if (!source || !isObject(valueAt(source.data, base))) return ''
  const key = source.place(base, 'key')
  const value = source.place(base, 'value')
  const last = value.endColumn === 1 ? value.endLine - 1 : value.endLine
  return maskedText(text, key.line - 1, last)
}

const maskedText = (text: string, from = 0, to?: number): string =>
  maskLines(text)
    .slice(from, to)
    .map((line) => line.text)
    .join('\n')
