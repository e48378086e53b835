/** The operators of conditions and the operands that they take, read from the schema. */

import { definition, typeOf } from '../../config/schema-walk.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { pluginNamePattern } from '../../core/names.ts'

const condition = definition('Condition')
const operatorNames = condition['x-operators'] as readonly string[]

const nodeOf = (operator: string) => {
  const node = isObject(condition.properties) ? own(condition.properties, operator) : undefined
  return isObject(node) ? node : {}
}

/** The form of an operand. `flag`: only `true`, or `true` and `false`. `value`: any JSON. */
type OperandForm = 'flag' | 'list' | 'text' | 'value'

const forms: ReadonlyMap<Json | undefined, OperandForm> = new Map([
  ['boolean', 'flag'],
  ['array', 'list'],
  ['string', 'text'],
])

export const operandForm = (operator: string): OperandForm => forms.get(nodeOf(operator).type) ?? 'value'

/** Whether the operator takes `true` and `false`, so that its operand can be switched. */
export const isSwitch = (operator: string): boolean => nodeOf(operator).type === 'boolean' && nodeOf(operator).const === undefined

export const describeOperator = (operator: string): string => String(nodeOf(operator).description ?? '')

/** The operator that takes no field: an expression over the whole event. */
export const expression = 'jsonata'

/** Whether the name is a built-in operator, or may be an operator of a plugin. */
export const canBeOperator = (name: string): boolean =>
  name !== expression && (operatorNames.includes(name) || pluginNamePattern.test(name))

/** Whether an operator can judge a value of a type. An operator without `x-fits` can judge any value. */
const fits = (operator: string, type: string): boolean => {
  const types = nodeOf(operator)['x-fits']
  return !Array.isArray(types) || types.includes(type)
}

/**
 * Returns the operators that can judge a field of a type. Those that compare the field come first. `type`: as in schemas, or `undefined`
 * if unknown.
 */
export const operatorsFor = (type: string | undefined): readonly string[] => {
  const known = operatorNames.filter((name) => name !== expression && (type === undefined || fits(name, type)))
  return [...known.filter((name) => operandForm(name) !== 'flag'), ...known.filter((name) => operandForm(name) === 'flag')]
}

/** Reads a user's text as the operand of an operator; `undefined` for an empty text. Fields that are texts are compared with texts. */
export const readOperand = (operator: string, text: string, type: string | undefined): Json | undefined => {
  const form = operandForm(operator)
  if (text.trim() === '') return undefined
  if (form === 'text') return text
  if (form === 'flag') return text.trim() !== 'false'
  return form === 'list' ? readList(text, type) : readValue(text, type)
}

const readValue = (text: string, type: string | undefined): Json => {
  const json = jsonOrUndefined(text)
  return json === undefined || (type === 'string' && typeof json !== 'string') ? text : json
}

/** Reads a JSON list, or values with commas between them. */
const readList = (text: string, type: string | undefined): Json => {
  const list = jsonOrUndefined(text) ?? jsonOrUndefined(`[${text}]`)
  if (Array.isArray(list) && (type !== 'string' || list.every((item) => typeof item === 'string'))) return list
  const inner = text.trim().replace(/^\[(.*)\]$/s, '$1')
  return inner
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => readValue(each, type))
}

const jsonOrUndefined = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Converts the operand of one operator for another operator; `undefined` where the user must write a new operand. */
export const operandAs = (operand: Json | undefined, from: string, to: string): Json | undefined => {
  const [old, form] = [operandForm(from), operandForm(to)]
  if (form === 'flag') return true
  if (operand === undefined || old === 'flag' || old === 'text' || form === 'text') return undefined
  if (form === 'list') return old === 'list' ? operand : [operand]
  return old === 'list' && Array.isArray(operand) ? (operand.length === 1 ? operand[0] : undefined) : operand
}

/** Returns an operand as a user would write it. A word that can be read only as a text has no quotes. */
export const writtenOperand = (operator: string, operand: Json | undefined): string => {
  if (operand === undefined) return ''
  if (operandForm(operator) === 'text' && typeof operand === 'string') return operand
  return Array.isArray(operand) && operandForm(operator) === 'list' ? operand.map(operandWord).join(', ') : JSON.stringify(operand)
}

const operandWord = (item: Json): string =>
  typeof item === 'string' && /^[\w./:@#-]+$/.test(item) && jsonOrUndefined(item) === undefined ? item : JSON.stringify(item)

/** Reads a value and its type from JSON; `undefined` for a text that is not JSON, such as a text that was cut. */
export const parseShownValue = (json: string): { readonly value: Json; readonly type: string } | undefined => {
  const value = jsonOrUndefined(json)
  return value === undefined ? undefined : { value, type: typeOf(value) }
}
