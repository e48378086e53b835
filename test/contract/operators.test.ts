import t from 'tap'
import type { JsonObject } from '../../src/core/json.ts'
import type { Event } from '../../src/core/request.ts'
import { schema } from '../../src/generated/schema.ts'
import { operators, operatorsByName } from '../../src/parts/operators/index.ts'
import { adopt } from '../fakes/owner.ts'

const opened: Event = {
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
const profileDir = t.testdir({ 'allowed.txt': 'ann\n' })
const condition = (schema.definitions as JsonObject).Condition as JsonObject

t.test('the registry and the schema name the same operators, in one order', async (t) => {
  t.same(
    operators.map(({ name }) => name),
    condition['x-operators'],
  )
  t.equal(operatorsByName.size, operators.length)
  for (const { name } of operators) t.ok(name in (condition.properties as JsonObject), name)
})

for (const operator of operators)
  t.test(`${operator.name}: its examples hold`, async (t) => {
    t.ok(operator.examples.some(({ holds }) => !holds))
    t.ok(operator.name === 'in_file' || operator.examples.some(({ holds }) => holds))
    for (const { operand, value, holds } of operator.examples) {
      const compiled = operator.compile(operand, {
        profileDir,
        looksOutside: () => {},
        report: (code, _path, message) => t.fail(`${code} ${message}`),
      })
      t.equal(await adopt(compiled)(value, opened), holds, JSON.stringify({ operand, value }))
    }
  })
