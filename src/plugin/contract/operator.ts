/** The contract of an operator: its examples hold as they say, and no value of a payload makes it fail. */

import type { Json } from '../../core/json.ts'
import type { Adopt } from '../../core/owner.ts'
import type { Event } from '../../core/request.ts'
import type { OperatorPart, Test } from '../../parts/operators/operator.ts'
import { attempt, type ContractOptions, problemsOf, type Say, settled } from './problems.ts'

export type OperatorOptions = ContractOptions & {
  /** The folder that files of its operand are read from. */
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
  eventType: 'push',
  eventAlias: undefined,
  deliveryId: 'd',
  at: 0,
}
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

/** What is wrong with an operator, in sentences; none: it keeps the contract. */
export const checkOperator = (operator: OperatorPart, options: OperatorOptions = {}): Promise<readonly string[]> =>
  problemsOf('operator', operator, options, async (say, adopt) => {
    const { examples = [] } = operator
    if (!examples.some(({ holds }) => holds)) say('there is no example that holds')
    if (!examples.some(({ holds }) => !holds)) say('there is no example that does not hold')
    for (const { operand, value, holds } of examples) {
      const test = compiled(operator, operand, options, { say, adopt })
      if (typeof test !== 'function') return
      const found = await answerOf(test, value, `the example ${JSON.stringify({ operand, value })}`, say)
      if (found !== undefined && found !== holds) say(`the example ${JSON.stringify({ operand, value })} gives ${found}`)
      for (const other of values) await answerOf(test, other, `the operand ${JSON.stringify(operand)} with ${shown(other)}`, say)
    }
  })

const shown = (value: Json | undefined): string => (value === undefined ? 'no value' : JSON.stringify(value).slice(0, 20))

const answerOf = async (test: Test, value: Json | undefined, what: string, say: Say): Promise<boolean | undefined> => {
  const answer: unknown = await settled(what, say, async () => [await test(value, event)])
  const [holds] = Array.isArray(answer) ? answer : []
  if (typeof holds === 'boolean') return holds
  if (answer !== undefined) say(`${what} gives neither true nor false`)
  return undefined
}

type Asker = { readonly say: Say; readonly adopt: Adopt }

const compiled = (operator: OperatorPart, operand: Json, { profileDir = '' }: OperatorOptions, { say, adopt }: Asker) => {
  const compile = () =>
    operator.compile(operand, {
      profileDir,
      looksOutside: () => {},
      report: (_code, _path, message) => say(`the operand ${JSON.stringify(operand)} of an example is refused: ${message}`),
    })
  const test = attempt('compile', say, () => adopt(compile()))
  if (typeof test !== 'function') say('compile gives no function')
  return test
}
