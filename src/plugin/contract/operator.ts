/**
 * The contract suite for operators: an operator's examples hold or do not hold as they say, no value of a payload makes the operator fail,
 * and its answers agree with the domain that it gives.
 */

import { equalJson, type Json } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import type { Adopt } from '../../core/scope.ts'
import { openStoredList } from '../../expr/named-lists.ts'
import type { Domain, OperatorPart, Test } from '../../parts/operators/operator.ts'
import { isDomain } from '../shape.ts'
import { attempt, type ContractOptions, problemsOf, type ReportProblem, settleOrReport } from './problems.ts'

export type OperatorOptions = ContractOptions & {
  /** The folder from which the operator reads files that its operand names. */
  readonly profileDir?: string
}

/** The event of all examples. It arrived at 1970-01-01T00:00:00Z. */
const event: Event = {
  eventId: 'e',
  route: 'r',
  profile: 'default',
  headers: {},
  text: '{}',
  payload: {},
  pathAndQuery: '/webhooks/r',
  eventType: 'push',
  eventAlias: undefined,
  deliveryId: 'd',
  at: 0,
}
/** Values of all types, with which each operand of an example is tried. */
const values: readonly (Json | undefined)[] = [
  undefined,
  null,
  true,
  -1.5,
  '',
  'text',
  'ž'.repeat(10_000),
  [],
  [[null]],
  {},
  { a: { b: [1] } },
]

/** Resolves to what is wrong with an operator, in sentences; empty when it keeps the contract. */
export const checkOperator = (operator: OperatorPart, options: OperatorOptions = {}): Promise<readonly string[]> =>
  problemsOf('operator', operator, options, async (say, adopt) => {
    const { examples = [] } = operator
    if (!examples.some(({ holds }) => holds)) say('there is no example that holds')
    if (!examples.some(({ holds }) => !holds)) say('there is no example that does not hold')
    for (const { operand, value, holds } of examples) {
      const test = compileExample(operator, operand, options, { say, adopt })
      if (typeof test !== 'function') return
      const found = await answerOf(test, value, `the example ${JSON.stringify({ operand, value })}`, say)
      if (found !== undefined && found !== holds) say(`the example ${JSON.stringify({ operand, value })} gives ${found}`)
      const domain = domainOf(operator, operand, say)
      for (const other of [value, ...values]) await checkAnswer(test, { operand, value: other, domain }, say)
    }
  })

type OperatorCase = { readonly operand: Json; readonly value: Json | undefined; readonly domain: Domain | undefined }

/** Checks that the operator's answer is true or false, and that its domain allows this answer. */
const checkAnswer = async (test: Test, { operand, value, domain }: OperatorCase, say: ReportProblem): Promise<void> => {
  const what = `the operand ${JSON.stringify(operand)} with ${shortJson(value)}`
  const answer = await answerOf(test, value, what, say)
  if (domain && answer !== undefined && !isAllowedBy(answer, value, domain)) say(`${what} gives ${answer}, which is not its domain`)
}

/** Returns the domain that the operator gives for an operand. A value that is no domain is reported. */
const domainOf = (operator: OperatorPart, operand: Json, say: ReportProblem): Domain | undefined => {
  const domain = attempt('domain', say, () => operator.domain?.(operand))
  if (domain === undefined || isDomain(domain)) return domain
  say(`the domain of the operand ${JSON.stringify(operand)} is none`)
  return undefined
}

/** Whether a domain allows the answer `holds` for a value. */
const isAllowedBy = (holds: boolean, value: Json | undefined, domain: Domain): boolean => {
  const isIn = (list: readonly Json[]): boolean => value !== undefined && list.some((each) => equalJson(each, value))
  if (domain.kind === 'one_of') return holds === isIn(domain.values)
  if (domain.kind === 'none_of') return holds !== isIn(domain.values)
  if (domain.kind === 'present' || domain.kind === 'absent') return holds === ((value === undefined) === (domain.kind === 'absent'))
  return !(holds && value === undefined)
}

const shortJson = (value: Json | undefined): string => (value === undefined ? 'no value' : JSON.stringify(value).slice(0, 20))

/** Resolves to the answer of a test; `undefined` when it is neither true nor false, which is reported. `what`: the case, for the report. */
const answerOf = async (test: Test, value: Json | undefined, what: string, say: ReportProblem): Promise<boolean | undefined> => {
  const answer: unknown = await settleOrReport(what, say, async () => [await test(value, event)])
  const [holds] = Array.isArray(answer) ? answer : []
  if (typeof holds === 'boolean') return holds
  if (answer !== undefined) say(`${what} gives neither true nor false`)
  return undefined
}

type Asker = { readonly say: ReportProblem; readonly adopt: Adopt }

/** Compiles the operand of an example. A refusal of the operand is reported. */
const compileExample = (operator: OperatorPart, operand: Json, { profileDir = '' }: OperatorOptions, { say, adopt }: Asker) => {
  const compile = () =>
    operator.compile(operand, {
      profileDir,
      openList: (spec) => openStoredList(profileDir, 'store' in spec ? spec.store : ''),
      recompileAtReload: () => {},
      report: (_code, _path, message) => say(`the operand ${JSON.stringify(operand)} of an example is refused: ${message}`),
    })
  const test = attempt('compile', say, () => adopt(compile()))
  if (typeof test !== 'function') say('compile gives no function')
  return test
}
