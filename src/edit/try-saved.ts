/** Tries a payload on a route as it is saved: traces the payload in this process, or posts it to the running gateway. */

import { queryText } from '../core/address/path-and-query.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { prepareTest, type TestInput } from '../dryrun/requests/prepare-test.ts'
import { traceRoute } from '../dryrun/trace/trace-route.ts'
import { testRoute } from '../operate/routes/test-route.ts'
import { contentOfChoice } from './payload/payload-choice.ts'
import { readRecorded } from './recorded.ts'
import type { PayloadChoice, Tested } from './service.ts'
import { shownTrace, type TraceShown } from './shown-trace.ts'

/** Traces a payload. Scripts do not run. Throws a Fault as `traceRoute` does, and for a file that cannot be used as a payload. */
export const traceOf = async (workspace: Workspace, route: string, choice: PayloadChoice): Promise<TraceShown> =>
  shownTrace(await traceRoute(workspace, route, { of: contentOfChoice(choice), set: [], unset: [], runScripts: false }))

/**
 * Posts a signed test request with a payload, or with a small payload of our own if none is chosen. Throws a Fault where there is no such
 * route or payload, and (exit 4) where no gateway runs.
 */
export const testSaved = async (
  workspace: Workspace,
  finder: GatewayFinder,
  name: string,
  choice: PayloadChoice | undefined,
): Promise<Tested> => {
  const of = await postContent(workspace, choice)
  const prepared = await prepareTest(workspace, finder, name, { of, set: [], unset: [] })
  const { answer, known, ok } = await testRoute(workspace, finder, prepared, { wait: false, timeoutMs: 2_000 })
  const why = known?.event.reason
  return {
    ok,
    message: `${answer.status} ${answer.summary}${why === undefined || answer.summary.includes(why) ? '' : `: ${why}`}`,
    ...(answer.eventId === undefined ? {} : { eventId: answer.eventId }),
  }
}

/**
 * Returns the content of the post: of a recorded event, its query, body and headers, which are then signed anew. Without a choice, the
 * content is a short test payload.
 */
const postContent = async (workspace: Workspace, choice: PayloadChoice | undefined): Promise<TestInput['of']> => {
  if (!choice) return { payload: '{"test":true,"message":"Hello from headgate edit"}' }
  const request = contentOfChoice(choice)
  if (!('eventId' in request)) return request
  const { method, pathAndQuery = '', headers, body } = (await readRecorded(workspace, request.eventId)).request
  const texts = Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string')
  return {
    ...(method === undefined ? {} : { method }),
    query: queryText(pathAndQuery).slice(1),
    headers: Object.fromEntries(texts),
    body: body.toString('utf8'),
  }
}
