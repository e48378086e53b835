/** Makes the editor service, in which each question goes to the use case that answers it. */

import { unknownEnv } from '../config/env.ts'
import { parseSource } from '../config/yaml/source.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { belongsToProfile, requireProfile } from './bound-routes.ts'
import { createDraftTexts } from './draft/draft-text.ts'
import { openRoute } from './draft/open-route.ts'
import { textAfter, textOfDraft } from './draft/text-of-draft.ts'
import { readHome } from './home.ts'
import { allOfferedNames, offeredNames } from './offered-names.ts'
import { payloadRows, readPayload, readTrialPayload } from './payload/payloads.ts'
import { createSampleReader } from './payload/sample-reader.ts'
import { maskOfDraft, previewOf } from './preview.ts'
import { curlOfRecorded, replayRecorded, sampleOfRecorded, testOfRecorded } from './recorded.ts'
import { createRoute } from './saving/create-route.ts'
import { createConfigFindings } from './saving/draft-findings.ts'
import { keepDraft, keptDrafts } from './saving/kept-drafts.ts'
import { type DraftContext, prepareSave } from './saving/plan-save.ts'
import { saveRoute } from './saving/save-route.ts'
import { dropDraft } from './saving/stored-drafts.ts'
import type { EditorService } from './service.ts'
import { sendDraftTargetTest } from './target-test.ts'
import { targetRows } from './targets.ts'
import { testSaved, traceOf } from './try-saved.ts'

/**
 * Makes the editor service of a data directory. `finder`: finds the gateway that runs on the data directory. `profile`: only the routes of
 * this profile are listed, opened and created.
 */
export const createEditorService = (workspace: Workspace, finder: GatewayFinder, profile?: string): EditorService => {
  const textOf = createDraftTexts()
  const contextIn = (each: Workspace): DraftContext => ({ workspace: each, textOf, configFindings: createConfigFindings(each) })
  const draftContext = contextIn(workspace)
  const blind = contextIn({ ...workspace, env: unknownEnv })
  const inTurn = createTurns()
  const read = createSampleReader()
  return {
    home: () => readHome(workspace, finder, profile),
    open: async (of) => requireProfile(openRoute(workspace, of), profile, workspace.self),
    reopen: async (of) => openRoute(workspace, of),
    preview: (request) => previewOf(request.isBlind ? blind.workspace : workspace, textOf, read, request),
    text: async ({ draft }) => textOfDraft(textOf, draft),
    textAfter: async ({ text, step }) => textAfter(text, step),
    masked: async ({ draft, step }) => (await maskOfDraft(workspace, textOf, draft))(step),
    line: async ({ opened: { text, base }, path }) => parseSource('', text).source?.place([...base, ...path], 'key').line ?? 1,
    create: async (of) => createRoute(workspace, of, profile),
    payloads: (of) => payloadRows(workspace, of),
    payload: (of) => readTrialPayload(workspace, of),
    recorded: (of) => readPayload(workspace, of),
    names: (of) => offeredNames(workspace, textOf, of),
    allNames: (of) => allOfferedNames(workspace, textOf, of),
    targets: ({ profile }) => targetRows(workspace, profile),
    plan: async (of) => (await prepareSave(of.isBlind ? blind : draftContext, of)).plan,
    save: (of) => saveRoute(draftContext, finder, of),
    test: ({ name, payload }) => testSaved(workspace, finder, name, payload),
    testTarget: (of) => sendDraftTargetTest(workspace, textOf, of),
    replay: ({ eventId }) => replayRecorded(finder, eventId),
    curl: ({ eventId }) => curlOfRecorded(workspace, eventId),
    addSample: ({ eventId, name }) => sampleOfRecorded(workspace, eventId, name),
    addTest: ({ eventId }) => testOfRecorded(workspace, eventId),
    traceOf: ({ route, choice }) => traceOf(workspace, route, choice),
    drafts: async ({ route }) =>
      keptDrafts(workspace, ({ name, written }) => (route ?? name) === name && belongsToProfile(written, profile)),
    keepDraft: ({ draft }) => inTurn(() => keepDraft(workspace, draft, Date.now())),
    dropDraft: (of) => inTurn(async () => dropDraft(workspace, of)),
  }
}

/**
 * Makes a function that runs the writes of drafts one after the other. If a draft were dropped while it is being written, the draft would
 * come back.
 */
const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work)
    last = next
    return next
  }
}
