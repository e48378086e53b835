/** `samples show <name>`: prints the body of a sample, or the whole sample with its headers. */

import { isJson } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { prettyJson } from '../../datadir/json-text.ts'
import { findSample, readSample } from '../../dryrun/samples/gallery.ts'
import { renderSample } from '../../dryrun/samples/sample-file.ts'
import { answer, type Cli } from '../shell/output.ts'

export type SamplesShowOptions = { readonly headers?: boolean }

export const samplesShow = async (asked: string, { headers: whole = false }: SamplesShowOptions, cli: Cli): Promise<number> => {
  const sample = findSample(cli.workspace, asked)
  const { headers, body, ...about } = readSample(sample)
  const text = whole
    ? renderSample(about, { headers, body: Buffer.from(body) })
    : isJson(body)
      ? `${prettyJson(body)}\n`
      : `${printable(body, body.length)}\n`
  const { provider = null, event = null, description = null } = about
  return answer(cli, {
    kind: 'samples.show',
    data: { name: sample.name, source: sample.source, provider, event, description, headers, body },
    text,
  })
}
