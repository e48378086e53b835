/** Writes the table of the console's questions: the type and the check of each, and what whoever asks must be allowed to do. */

import { withRows } from '../in-markdown.ts'
import { createAjv, renderChecks } from './checks.ts'
import { checkType, questionMember } from './control.ts'
import { comment, indented, type Node, typeOf } from './types.ts'

type AuditRow = 'none' | 'own' | { readonly action: string; readonly on: { readonly [member: string]: string }; readonly unless?: string }
type Question = {
  readonly description: string
  readonly right: string
  readonly audit?: AuditRow
  readonly quotes?: readonly string[]
  readonly question?: Node
  readonly maxQuestionBytes?: number
}
type ScreenRow = { readonly name: string; readonly path: string; readonly shows: string }
export type ConsoleSchema = {
  readonly 'x-screens': readonly ScreenRow[]
  readonly 'x-questions': { readonly [name: string]: Question }
}

const nothing: Node = { type: 'object', properties: {} }

/** Returns the texts of the generated modules, by their file names. */
export const renderConsole = async (schema: ConsoleSchema, banner: string, root: string): Promise<{ [file: string]: string }> => {
  const questions = Object.entries(schema['x-questions'])
  const ajv = createAjv({ messages: false, strictRequired: false })
  for (const [name, { question = nothing }] of questions)
    ajv.addSchema({ $id: `${name}Question`, ...question, additionalProperties: false })
  const names = questions.map(([name]) => `${name}Question`)
  const js = await renderChecks(ajv, Object.fromEntries(names.map((name) => [name, name])), root)
  for (const [name, question] of questions) checkAudit(name, question)
  const rows = questions.map(
    ([name, { right, audit, quotes = [], question = nothing, maxQuestionBytes }]) => `${name}: {
right: '${right}',${audit ? ` audit: ${JSON.stringify(audit)},` : ''} quotes: ${JSON.stringify(quotes)},${maxQuestionBytes ? ` maxQuestionBytes: ${maxQuestionBytes},` : ''}
${questionMember(name, question)}
},`,
  )
  const types = questions.map(
    ([name, { description, question = nothing }]) => `${comment({ description })}readonly ${name}: ${typeOf(question)}\n`,
  )
  const source = `
/** How each question is asked, the right that it takes, what the audit has of it, and the members of the answer that only the right to payloads shows. */
export const consoleQuestions = {\n${rows.join('\n')}\n} as const\n
/** The members of each question. */
export type ConsoleQuestions = {\n${types.join('')}}
`
  return {
    'src/generated/console-screens.ts': `${banner}${renderScreens(schema['x-screens'])}`,
    'src/generated/console.ts': `${banner}import * as checks from './console-checks.js'\n${indented(source)}`,
    'src/generated/console-checks.js': `${banner}${js}`,
    'src/generated/console-checks.d.ts': `${banner}${checkType}${names.map((name) => `export const ${name}: Check\n`).join('')}`,
  }
}

/** Throws where a question that may change something does not say what the audit has of it, or says it of members that it has not. */
const checkAudit = (name: string, { right, audit, question = nothing }: Question): void => {
  if ((right === 'operate') !== (audit !== undefined))
    throw new Error(`console.schema.json: ${name}: what takes the right "operate" says its "audit", and nothing else does`)
  if (typeof audit !== 'object') return
  for (const member of [...Object.values(audit.on), audit.unless ?? []].flat())
    if (!Object.hasOwn(question.properties ?? {}, member.replace(/\?$/, '')))
      throw new Error(`console.schema.json: ${name}: its "audit" names a member that it has not: ${member}`)
}

const isInBar = ({ path }: ScreenRow): boolean => /^\/[^/]*$/.test(path)

/** A module of its own: the pages load it, and must not load the checks of questions with it. */
const renderScreens = (screens: readonly ScreenRow[]): string => {
  const list = (shown: readonly ScreenRow[]) => shown.map(({ name, path }) => `  { name: '${name}', path: '${path}' },\n`).join('')
  return `
/** The screens that stand in the bar, in its order. */
export const barScreens = [\n${list(screens.filter(isInBar))}] as const\n
/** The screens that links lead to. A segment with a colon stands for any. */
export const linkedScreens = [\n${list(screens.filter((screen) => !isInBar(screen)))}] as const
`
}

/** Returns docs/console.md with its table of screens written anew. */
export const withScreens = (page: string, { 'x-screens': screens }: ConsoleSchema): string =>
  withRows(
    page,
    '| screen | what it shows |\n|---|---|\n',
    screens.map(({ name, shows }) => `| ${name} | ${shows} |`),
  )
