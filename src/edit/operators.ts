/**
 * Says which operators an editor offers for a condition, and turns what the user types into their operands. The operators are read from the
 * schema.
 */

import { definition, typeOf } from '../config/schema-walk.ts'
import { carriedJson, writeCarriedNumbers } from '../core/carried-numbers.ts'
import { isObject, type Json, own } from '../core/json.ts'
import { pluginNamePattern } from '../core/names.ts'

const condition = definition('Condition')
const operatorNames = [condition['x-operators'], condition['x-on-items']].flat() as readonly string[]

const nodeOf = (operator: string) => {
  const node = isObject(condition.properties) ? own(condition.properties, operator) : undefined
  return isObject(node) ? node : {}
}

/**
 * What an operator takes as its operand. `flag`: only `true`, or `true` and `false`. `list`: a list of values. `text`: a text. `value`: any
 * JSON.
 */
type OperandForm = 'flag' | 'list' | 'text' | 'value'

const forms: ReadonlyMap<Json | undefined, OperandForm> = new Map([
  ['boolean', 'flag'],
  ['array', 'list'],
  ['string', 'text'],
])

/** Returns what an operator takes. An operator of a plugin takes any value. */
export const operandForm = (operator: string): OperandForm => forms.get(nodeOf(operator).type) ?? 'value'

/** Whether the operand of an operator is `true` or `false`, so that the user can switch it. */
export const isSwitch = (operator: string): boolean => nodeOf(operator).type === 'boolean' && nodeOf(operator).const === undefined

/** Returns the description of an operator; empty for an operator of a plugin. */
export const describeOperator = (operator: string): string => String(nodeOf(operator).description ?? '')

/** The operator that takes no field. Its operand is an expression over the whole event. */
export const expressionOperator = 'jsonata'

/** Whether the name is a built-in operator that takes a field, or may be an operator of a plugin. */
export const canBeOperator = (name: string): boolean =>
  name !== expressionOperator && (operatorNames.includes(name) || pluginNamePattern.test(name))

/** Whether an operator can judge a value of a type. An operator whose schema names no types (`x-fits`) can judge any value. */
const canJudge = (operator: string, type: string): boolean => {
  const types = nodeOf(operator)['x-fits']
  return !Array.isArray(types) || types.includes(type)
}

/**
 * Returns the operators that can judge a field of a type. Operators that compare the field with a value come first, then operators with a
 * flag, as `exists`. `type`: the type's name in schemas; `undefined` if unknown.
 */
export const operatorsFor = (type: string | undefined): readonly string[] => {
  const known = operatorNames.filter((name) => name !== expressionOperator && (type === undefined || canJudge(name, type)))
  return [...known.filter((name) => operandForm(name) !== 'flag'), ...known.filter((name) => operandForm(name) === 'flag')]
}

/**
 * Reads a user's text as the operand of an operator; `undefined` for an empty text. `type`: the type of the field. A field of type `string`
 * is compared with texts, so `5` is read as a text for it. Whole numbers past 2^53 are carried.
 */
export const readOperand = (operator: string, text: string, type: string | undefined): Json | undefined => {
  const form = operandForm(operator)
  if (text.trim() === '') return undefined
  if (form === 'text') return text
  if (form === 'flag') return text.trim() !== 'false'
  // Such an operand is a map of keys that the operator knows, or a number, also where the field is a text.
  const isKnownMap = nodeOf(operator).properties !== undefined
  return form === 'list' ? readList(text, type) : readValue(text, isKnownMap ? undefined : type)
}

const readValue = (text: string, type: string | undefined): Json => {
  const json = jsonOrUndefined(text)
  return json === undefined || (type === 'string' && typeof json !== 'string') ? text : carriedJson(text)
}

/** Reads a list in JSON, or values with commas between them: `[1, 2]`, `opened, closed`. */
const readList = (text: string, type: string | undefined): Json => {
  const whole = jsonOrUndefined(text) === undefined ? `[${text}]` : text
  const list = jsonOrUndefined(whole)
  if (Array.isArray(list) && (type !== 'string' || list.every((item) => typeof item === 'string'))) return carriedJson(whole)
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

/** Converts the operand of the operator `from` for the operator `to`; `undefined` where the user must write a new operand. */
export const convertOperand = (operand: Json | undefined, from: string, to: string): Json | undefined => {
  const [old, form] = [operandForm(from), operandForm(to)]
  if (form === 'flag') return true
  if (operand === undefined || old === 'flag' || old === 'text' || form === 'text') return undefined
  if (form === 'list') return old === 'list' ? operand : [operand]
  return old === 'list' && Array.isArray(operand) ? (operand.length === 1 ? operand[0] : undefined) : operand
}

/**
 * Returns an operand as a user would type it. In a list, a text has no quotes if `readOperand` reads the same text back without them.
 */
export const writtenOperand = (operator: string, operand: Json | undefined): string => {
  if (operand === undefined) return ''
  if (operandForm(operator) === 'text' && typeof operand === 'string') return operand
  const isList = Array.isArray(operand) && operandForm(operator) === 'list'
  return writeCarriedNumbers(isList ? operand.map(operandWord).join(', ') : JSON.stringify(operand))
}

const operandWord = (item: Json): string =>
  typeof item === 'string' && /^[\w./:@#-]+$/.test(item) && jsonOrUndefined(item) === undefined ? item : JSON.stringify(item)

/** Reads a value that the editor shows as JSON, and its type; `undefined` where the shown text is cut, so that it is not JSON. */
export const parseShownValue = (json: string): { readonly value: Json; readonly type: string } | undefined => {
  const value = jsonOrUndefined(json)
  return value === undefined ? undefined : { value: carriedJson(json), type: typeOf(value) }
}
