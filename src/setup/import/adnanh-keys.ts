/** Reports the keys of a hook of adnanh/webhook that an import cannot carry over. The trigger rule has files of its own. */

import { definition } from '../../config/schema-walk.ts'
import { type JsonObject, own } from '../../core/json.ts'
import type { ReportLeftOut } from './imported.ts'

const answerReason = 'headgate answers what docs/rules.md says, and starts its work after that'
const commandTodo =
  'give the route a "script", an agent of its own ("agent: { runner: command }" for all routes), or "deliver: http" to what runs the command'
const promptTodo = 'write what the agent shall see into "prompt": {head_commit.id} is a value of the payload'

/** The reports for keys that do not decide which requests a hook takes. A route without such a key takes the same requests. */
const reportsByKey: { readonly [key: string]: readonly [reason: string, todo: string] } = {
  'execute-command': ['headgate runs an agent or delivers a message, and no command for each event', commandTodo],
  'command-working-directory': ['headgate runs no command for each event', 'a script runs in the folder of its own file'],
  'response-message': [answerReason, 'nothing, unless the sender reads it'],
  'response-headers': [answerReason, 'let the proxy add them (CORS too)'],
  'success-http-response-code': [answerReason, 'nothing, unless the sender reads it'],
  'trigger-rule-mismatch-http-response-code': [answerReason, 'nothing, unless the sender reads it'],
  'include-command-output-in-response': [answerReason, 'give the route a "deliver" target for what comes of an event'],
  'include-command-output-in-response-on-error': [answerReason, 'give the route a "deliver" target for what comes of an event'],
  'pass-arguments-to-command': ['headgate runs no command for each event', promptTodo],
  'pass-environment-to-command': ['headgate runs no command for each event', promptTodo],
  'pass-file-to-command': ['headgate runs no command for each event', 'a script has the payload on its standard input'],
  'stream-command-output': [answerReason, 'give the route a "deliver" target for what comes of an event'],
  'keep-file-environment': ['headgate runs no command for each event', 'nothing'],
}

/** The keys that are carried over, or that another function reports. */
const keysWithoutReport = new Set([
  'id',
  'trigger-rule',
  'trigger-signature-soft-failures',
  'http-methods',
  'incoming-payload-content-type',
  'parse-parameters-as-json',
])

/** Reports each key of the hook that is not carried over. */
export const reportHookKeys = (hook: JsonObject, report: ReportLeftOut): void => {
  for (const [key, value] of Object.entries(hook)) {
    if (keysWithoutReport.has(key) || value === null || value === '' || value === false || (Array.isArray(value) && value.length === 0))
      continue
    const [reason, todo] = own(reportsByKey, key) ?? ['headgate has nothing like it', 'see the reference of routes: docs/reference.md']
    // An unknown key may name a command that refuses requests before the hook runs. So the route without it may accept more.
    report([key], reason, todo, !Object.hasOwn(reportsByKey, key))
  }
  reportContentType(hook, report)
  reportInnerJson(hook, report)
}

const routeMethods = (definition('Route').properties as { readonly methods: { readonly items: { readonly enum: string[] } } }).methods.items
  .enum

/** Returns the key `methods` of the route, and reports methods that no route takes; no key where the hook takes posts alone. */
export const methodsKey = ({ 'http-methods': list }: JsonObject, report: ReportLeftOut): JsonObject => {
  if (!Array.isArray(list)) return {}
  const names = [...new Set(list.map((name) => String(name).trim().toUpperCase()))]
  const [taken, others] = [true, false].map((isTaken) => names.filter((name) => routeMethods.includes(name) === isTaken)) as [
    string[],
    string[],
  ]
  const todo = `let the sender use one of ${routeMethods.join(', ')}`
  // Without `methods` the route would take posts, which the hook does not.
  if (others.length > 0) report(['http-methods'], `no route takes ${others.join(' or ')}`, todo, taken.length === 0)
  return taken.length === 0 || taken.join() === 'POST' ? {} : { methods: taken }
}

const reportContentType = ({ 'incoming-payload-content-type': type }: JsonObject, report: ReportLeftOut): void => {
  if (typeof type !== 'string' || type === '' || /^application\/json\b/i.test(type)) return
  const todo = 'let the sender post JSON, or say in Content-Type that it is a form'
  report(['incoming-payload-content-type'], 'headgate goes by the Content-Type of the request: a form, else JSON', todo)
}

/** Reports parameters that the hook parses as JSON. The field "payload" of a form is not reported, because headgate parses it, too. */
const reportInnerJson = ({ 'parse-parameters-as-json': list }: JsonObject, report: ReportLeftOut): void => {
  if (!Array.isArray(list)) return
  for (const [i, each] of list.entries()) {
    const { source, name } = typeof each === 'object' && each !== null && !Array.isArray(each) ? each : {}
    if (source === 'payload' && name === 'payload') continue
    report(
      ['parse-parameters-as-json', i],
      'JSON inside a text is not read, but for the field "payload" of a form',
      'let the sender post it as JSON',
    )
  }
}
