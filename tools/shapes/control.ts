/**
 * Writes the table of control operations: the types of questions and answers, method and path of each operation, and the checks of both.
 */

import { codeCatalogue } from '../../src/core/diagnostic.ts'
import { createAjv, renderChecks } from './checks.ts'
import { comment, indented, type Node, type Nodes, typeOf } from './types.ts'

type Operation = {
  readonly description: string
  readonly method: string
  readonly path: string
  readonly question?: Node
  readonly answer: Node
  readonly isStream?: true
  readonly maxQuestionBytes?: number
}
export type ControlSchema = { readonly definitions: Nodes; readonly 'x-operations': { readonly [name: string]: Operation } }

const nothing: Node = { type: 'object', properties: {} }

/** Returns the texts of the generated modules, by their file names. */
export const renderControl = async (schema: ControlSchema, banner: string, root: string): Promise<{ [file: string]: string }> => {
  const operations = Object.entries(schema['x-operations'])
  const checked: [name: string, node: Node][] = operations.flatMap(([name, { question = nothing, answer }]) => [
    [`${name}Question`, { ...question, additionalProperties: false }],
    [`${name}Answer`, answer],
  ])
  const ajv = createAjv({ messages: false, strictRequired: false, inlineRefs: false })
  ajv.addSchema({
    $id: 'control',
    definitions: Object.fromEntries(Object.entries(schema.definitions).map(([name, node]) => [name, checkable(node)])),
  })
  for (const [name, node] of checked) ajv.addSchema({ $id: name, ...checkable(node, 'control') })
  const names = checked.map(([name]) => name)
  const js = await renderChecks(ajv, Object.fromEntries(names.map((name) => [name, name])), root)
  const declared = names.map((name) => `export const ${name}: Check\n`).join('')
  return {
    'src/generated/control.ts': `${banner}${head}${indented(`${operationTable(operations)}\n${typesOf(schema, operations)}`)}`,
    'src/generated/control-checks.js': `${banner}${js}`,
    'src/generated/control-checks.d.ts': `${banner}${checkType}${declared}`,
  }
}

const head = `import type { Code } from '../core/diagnostic.ts'
import type { Json } from '../core/json.ts'
import * as checks from './control-checks.js'
`

/** The declaration of the type that the generated checks have. */
export const checkType = `type Problem = { readonly keyword: string; readonly instancePath: string; readonly params: { readonly [name: string]: unknown } }
/** Whether a value has its shape. \`errors\`: the first that is wrong with the value that was checked last. */
export type Check = { (data: unknown): boolean; readonly errors?: readonly Problem[] | null }
`

/**
 * Returns a node for the compiler: with the codes of diagnostics, and without texts for people. `refs`: the schema that has its
 * definitions.
 */
const checkable = (node: Node, refs = ''): Node =>
  JSON.parse(JSON.stringify(node), (key, value) => {
    if (key === '$ref') return `${refs}${value}`
    if (key === 'description' && typeof value === 'string') return undefined
    return value?.['x-names'] === 'codes' ? { enum: Object.keys(codeCatalogue) } : value
  })

const operationTable = (operations: readonly [string, Operation][]): string => {
  const rows = operations.map(([name, { method, path, question = nothing, isStream, maxQuestionBytes }]) => {
    const more = [...(isStream ? ['isStream: true'] : []), ...(maxQuestionBytes ? [`maxQuestionBytes: ${maxQuestionBytes}`] : [])]
    return `${name}: {
${[`method: '${method}'`, `path: '${path}'`, ...more].join(', ')},
${questionMember(name, question)}
checkAnswer: checks.${name}Answer,
},`
  })
  return `\n/** How each operation is asked. A member of the question that stands in the path is not in the body. */
export const controlOperations = {\n${rows.join('\n')}\n} as const\n`
}

/**
 * Returns the source text of the member `question` in a row of a generated table: the check of the question, and what each of its members
 * must be.
 */
export const questionMember = (name: string, question: Node): string => {
  const members = Object.entries((question.properties ?? {}) as Nodes).map(
    ([member, node]) => `${member}: { must: '${mustOf(node)}'${typeof node.maxItems === 'number' ? `, maxItems: ${node.maxItems}` : ''} }`,
  )
  return `question: { check: checks.${name}Question, members: {${members.join(', ')}}, required: ${JSON.stringify(question.required ?? [])} },`
}

/** Says in words what the value of a member of a question must be. */
const mustOf = (node: Node): string => {
  switch (node.type) {
    case 'integer':
      return 'a whole number'
    case 'array':
      return `a list of at most ${Number(node.maxItems).toLocaleString('en')} ${(node.items as Node).type}s`
    default:
      return `a ${node.type}`
  }
}

const typesOf = ({ definitions }: ControlSchema, operations: readonly [string, Operation][]): string => {
  const questions = operations.map(([name, { question = nothing }]) => `readonly ${name}: ${typeOf(question)}\n`)
  const answers = operations.map(([name, { description, answer, isStream }]) => {
    const type = isStream ? `AsyncIterableIterator<${typeOf(answer)}>` : typeOf(answer)
    return `${comment({ description })}readonly ${name}: ${type}\n`
  })
  const named = Object.entries(definitions).map(([name, node]) => `${comment(node)}export type ${name} = ${typeOf(node)}\n`)
  return `export type ControlQuestions = {\n${questions.join('')}}\n
/** What each operation does and answers. */
export type ControlAnswers = {\n${answers.join('')}}\n\n${named.join('\n')}`
}
