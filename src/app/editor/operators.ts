/** The operators that a condition can have, and what each takes as its value: as the schema has them. */

import { definition, typeOf } from '../../config/schema-walk.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { pluginName } from '../../core/names.ts'

const condition = definition('Condition')
const names = condition['x-operators'] as readonly string[]

const nodeOf = (operator: string) => {
  const node = isObject(condition.properties) ? own(condition.properties, operator) : undefined
  return isObject(node) ? node : {}
}

/** `flag`: true, or true and false. `value`: any JSON. */
type OperandForm = 'flag' | 'list' | 'text' | 'value'

const forms: ReadonlyMap<Json | undefined, OperandForm> = new Map([
  ['boolean', 'flag'],
  ['array', 'list'],
  ['string', 'text'],
])

export const operandForm = (operator: string): OperandForm => forms.get(nodeOf(operator).type) ?? 'value'

/** It takes true and false, so that its value can be turned over. */
export const isSwitch = (operator: string): boolean => nodeOf(operator).type === 'boolean' && nodeOf(operator).const === undefined

export const describeOperator = (operator: string): string => String(nodeOf(operator).description ?? '')

/** One that stands alone, as an expression over the whole event. */
export const expression = 'jsonata'

/** Whether it is one of ours, or may be one of a plugin. */
export const canBeOperator = (name: string): boolean => name !== expression && (names.includes(name) || pluginName.test(name))

/** Whether an operator can say something of a value of a type; one that does not tell can. */
const fits = (operator: string, type: string): boolean => {
  const types = nodeOf(operator)['x-fits']
  return !Array.isArray(types) || types.includes(type)
}

/** Those that can say something of a field; the ones that compare it come first. `type`: as schemas call it, where it is known. */
export const operatorsFor = (type: string | undefined): readonly string[] => {
  const known = names.filter((name) => name !== expression && (type === undefined || fits(name, type)))
  return [...known.filter((name) => operandForm(name) !== 'flag'), ...known.filter((name) => operandForm(name) === 'flag')]
}

/** What a text that a user wrote means as the value of an operator; `undefined` for none. Fields that are texts are compared with texts. */
export const readOperand = (operator: string, text: string, type: string | undefined): Json | undefined => {
  const form = operandForm(operator)
  if (text.trim() === '') return undefined
  if (form === 'text') return text
  if (form === 'flag') return text.trim() !== 'false'
  return form === 'list' ? readList(text, type) : readValue(text, type)
}

const readValue = (text: string, type: string | undefined): Json => {
  const json = parsed(text)
  return json === undefined || (type === 'string' && typeof json !== 'string') ? text : json
}

/** A JSON list, or values with commas between them. */
const readList = (text: string, type: string | undefined): Json => {
  const list = parsed(text) ?? parsed(`[${text}]`)
  if (Array.isArray(list) && (type !== 'string' || list.every((item) => typeof item === 'string'))) return list
  const inner = text.trim().replace(/^\[(.*)\]$/s, '$1')
  return inner
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => readValue(each, type))
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The value of one operator as the value of another; `undefined` where somebody must say. */
export const operandAs = (operand: Json | undefined, from: string, to: string): Json | undefined => {
  const [old, form] = [operandForm(from), operandForm(to)]
  if (form === 'flag') return true
  if (operand === undefined || old === 'flag' || old === 'text' || form === 'text') return undefined
  if (form === 'list') return old === 'list' ? operand : [operand]
  return old === 'list' && Array.isArray(operand) ? (operand.length === 1 ? operand[0] : undefined) : operand
}

/** A value as a user would write it: a word is left without quotes where it can be nothing else. */
export const writtenOperand = (operator: string, operand: Json | undefined): string => {
  if (operand === undefined) return ''
  if (operandForm(operator) === 'text' && typeof operand === 'string') return operand
  return Array.isArray(operand) && operandForm(operator) === 'list' ? operand.map(word).join(', ') : JSON.stringify(operand)
}

const word = (item: Json): string =>
  typeof item === 'string' && /^[\w./:@#-]+$/.test(item) && parsed(item) === undefined ? item : JSON.stringify(item)

/** A value that JSON text stands for, with its type; `undefined` for what is no JSON, such as a text that was cut. */
export const readSeen = (json: string): { readonly value: Json; readonly type: string } | undefined => {
  const value = parsed(json)
  return value === undefined ? undefined : { value, type: typeOf(value) }
}
