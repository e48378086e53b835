/**
 * `explain [code]`: prints what a code of findings or an outcome means, without a network. Without a word, lists all codes and outcomes.
 */

import type { Example } from '../../check/explain/explanation.ts'
import { explanationOf } from '../../check/explain/index.ts'
import { type OutcomeName, outcomeMeaning, outcomeNamed, refuseOutcome } from '../../check/explain/outcomes.ts'
import { allCodes, codeNamed } from '../../check/validate/codes.ts'
import { type Code, codeCatalogue, isStopping } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import { outcomeNames } from '../../core/outcome-table.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, docsOf } from '../shell/output.ts'
import { type Paint, paintWith } from '../shell/paint.ts'

export const explain = async (written: string | undefined, cli: Cli): Promise<number> => {
  const paint = paintWith(cli.io.colour)
  if (written === undefined) {
    const data = { codes: allCodes.map(codeSummary), outcomes: [...outcomeNames] }
    return answer(cli, { kind: 'explain', data, text: `${codeList(paint)}\noutcomes: ${outcomeNames.join(', ')}\n` })
  }
  const outcome = outcomeNamed(written)
  if (outcome) return answer(cli, { kind: 'explain', data: { outcome, ...outcomeMeaning(outcome) }, text: outcomePage(outcome, paint) })
  refuseOutcome(written)
  const code = codeNamed(written)
  return answer(cli, { kind: 'explain', data: { ...codeSummary(code), ...explanationData(code) }, text: codePage(code, paint) })
}

const codeSummary = (code: Code): JsonObject => ({
  code,
  name: codeCatalogue[code].title,
  severity: codeCatalogue[code].severity,
  stops_startup: isStopping(code),
})

const explanationData = (code: Code): JsonObject => {
  const { means, why, fix, example } = explanationOf(code)
  return { means, why, fix, example: example ? { ...example } : null, docs: docsOf(code) }
}

const codeList = (paint: Paint): string => {
  const lines = aligned(allCodes.map((code) => [code, codeCatalogue[code].severity, codeCatalogue[code].title]))
  return lines.map((line, i) => `${paint[codeCatalogue[allCodes[i] as Code].severity](line.slice(0, 5))}${line.slice(5)}\n`).join('')
}

// The sentence on a code whose findings stop the start, and on any other code.
const stoppingSentence = 'It stops the start of the gateway, but not where it is about a subscription or a stored job: that one is skipped.'
const otherSentence = 'It does not stop the start of the gateway.'

const codePage = (code: Code, paint: Paint): string => {
  const { title, severity } = codeCatalogue[code]
  const { means, why, fix, example } = explanationOf(code)
  const head = `${paint[severity](`${severity}[${code}]`)} ${paint.bold(title)}\n${paint.dim(isStopping(code) ? stoppingSentence : otherSentence)}\n`
  const examples = example ? exampleOf(example, paint) : ''
  return `${head}\n${wrapped(means)}\n\n${wrapped(why)}\n\n${wrapped(fix)}\n${examples}\n${paint.dim(docsOf(code))}\n`
}

const outcomePage = (name: OutcomeName, paint: Paint): string => {
  const { means, fix } = outcomeMeaning(name)
  return `${paint.bold(name)}\n\n${wrapped(means)}\n\n${wrapped(fix)}\n`
}

const where = { route: 'keys of a route', config: 'config.yaml', env: '.env' } as const

const exampleOf = ({ of, bad, good }: Example, paint: Paint): string =>
  `\n${paint.error('wrong')} (${where[of]})\n${indented(bad)}\n${paint.info('right')}\n${indented(good)}`

const indented = (text: string): string => text.replace(/^(?=.)/gm, '    ')

/** Breaks a text at blanks into lines that any terminal has room for. */
const wrapped = (text: string): string => text.replace(/(.{1,78})(?: |$)/g, '$1\n').trimEnd()
