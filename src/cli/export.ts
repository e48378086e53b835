/** `export asyncapi [routes...]`: prints an AsyncAPI document of the routes. */

import { dump } from 'js-yaml'
import { describeAsyncApi } from '../operate/asyncapi.ts'
import { answer, type Cli } from './shell/output.ts'

export const exportAsyncApi = async (routes: readonly string[], cli: Cli): Promise<number> => {
  const document = await describeAsyncApi(cli.workspace, routes)
  return answer(cli, { kind: 'export.asyncapi', data: document, text: dump(document, { lineWidth: 120, noRefs: true }) })
}
