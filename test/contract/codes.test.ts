/** Every code is explained, and its examples are true: the wrong one gives the finding, the right one does not. */

import t from 'tap'
import type { Example } from '../../src/check/explain/explanation.ts'
import { codeRanges, explanationOf } from '../../src/check/explain/index.ts'
import { allCodes } from '../../src/check/validate/codes.ts'
import { codeCatalogue } from '../../src/core/diagnostic.ts'
import { fakeCli } from '../fakes/cli.ts'

const indented = (text: string): string => text.replace(/^(?=.)/gm, '          ')
const around = (route: string): string =>
  `platforms:\n  webhook:\n    enabled: true\n    extra:\n      secret: 4b1f70c29de8\n      routes:\n        example:\n${indented(route)}`

/** The files of a data directory that shows an example. */
const filesOf = (of: Example['of'], text: string): { [name: string]: string } => {
  if (of === 'config') return { 'config.yaml': text }
  if (of === 'env') return { 'config.yaml': around('events: [push]\n'), '.env': text }
  return { 'config.yaml': around(text) }
}

t.test('each code has a text, in a range that is listed', async (t) => {
  for (const code of allCodes) {
    const { means, why, fix } = explanationOf(code)
    for (const text of [means, why, fix]) t.match(text, /^[A-Za-z].{10,}[^ ]$/, `${code}: ${text}`)
    t.ok(
      codeRanges.some(({ start }) => code.startsWith(start)),
      code,
    )
  }
})

for (const code of allCodes) {
  const { example } = explanationOf(code)
  if (!example) continue
  t.test(`${code}: the wrong example gives it, the right one does not`, async (t) => {
    const codesIn = async (text: string): Promise<string[]> => {
      const cli = fakeCli(t, filesOf(example.of, text))
      const { out } = await cli.run('validate', '--format', 'json', ...('onDemand' in codeCatalogue[code] ? ['--sample', 'github'] : []))
      return JSON.parse(out).data.diagnostics.map((each: { code: string }) => each.code)
    }
    t.ok((await codesIn(example.bad)).includes(code), `wrong: ${example.bad}`)
    t.notOk((await codesIn(example.good)).includes(code), `right: ${example.good}`)
  })
}
