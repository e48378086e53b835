/** The operators as the registry has them: their names, and their examples in conditions of routes. */

import t from 'tap'
import type { JsonObject } from '../../src/core/json.ts'
import { schema } from '../../src/generated/schema.ts'
import { operators, operatorsByName } from '../../src/parts/operators/index.ts'
import { startGateway } from '../fakes/gateway.ts'

const condition = (schema.definitions as JsonObject).Condition as JsonObject

t.test('the registry and the schema name the same operators, in one order', async (t) => {
  t.same(
    operators.map(({ name }) => name),
    condition['x-operators'],
  )
  t.equal(operatorsByName.size, operators.length)
  for (const { name } of operators) t.ok(name in (condition.properties as JsonObject), name)
})

t.test('a condition of a route holds as the examples of its operator say', async (t) => {
  // The operand of `in_file` is a file, and `jsonata` stands without a field. Both have tests of their own in test/spec/filters.test.ts.
  const tried = operators
    .filter(({ name, fieldless }) => name !== 'in_file' && !fieldless)
    .flatMap(({ name, examples }) => examples.map((example) => ({ name, ...example })))
    .filter(({ name, operand }) => name !== 'regex' || operand !== '')
  const routes = Object.fromEntries(tried.map(({ name, operand }, i) => [`r${i}`, { filters: { field: 'v', [name]: operand } }]))
  const gateway = await startGateway(t, { routes, files: { 'lists.json': '{"allowed":{"values":["ann"]}}' } })
  for (const [i, { name, operand, value, holds }] of tried.entries()) {
    const { status } = await gateway.post(`r${i}`, { body: value === undefined ? {} : { v: value } })
    t.equal(status === 202, holds, `${name}: ${JSON.stringify(operand)} on ${JSON.stringify(value)}`)
  }
})
