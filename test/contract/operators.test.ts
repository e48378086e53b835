import t from 'tap'
import type { JsonObject } from '../../src/core/json.ts'
import { schema } from '../../src/generated/schema.ts'
import { operators, operatorsByName } from '../../src/parts/operators/index.ts'

const condition = (schema.definitions as JsonObject).Condition as JsonObject

t.test('the registry and the schema name the same operators, in one order', async (t) => {
  t.same(
    operators.map(({ name }) => name),
    condition['x-operators'],
  )
  t.equal(operatorsByName.size, operators.length)
  for (const { name } of operators) t.ok(name in (condition.properties as JsonObject), name)
})
