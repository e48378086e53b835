/** What setting up would write: made from the answers, and nothing is touched for it. */

import { dump } from 'js-yaml'
import { editDotEnv } from '../../config/edit-dot-env.ts'
import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { withModeline } from '../schema/modeline.ts'
import { bundleText, schemaFile } from '../schema/schemas.ts'
import type { Warning } from '../warning.ts'
import { type ByHand, editConfig } from './edit-config.ts'
import { type Present, type SetupFile, written } from './present.ts'
import type { Draft, Write } from './question.ts'
import { questionsOf } from './questions.ts'

export type FileChange = {
  readonly name: SetupFile
  readonly file: string
  /** `undefined`: there is no such file. */
  readonly before: string | undefined
  readonly after: string
}

export type SetupPlan = {
  /** What differs from today, and nothing else. */
  readonly changes: readonly FileChange[]
  /** Variables that change in `.env`. */
  readonly env: readonly Extract<Write, { to: 'env' }>[]
  readonly byHand: readonly ByHand[]
  readonly warnings: readonly Warning[]
  readonly port: string
  readonly secret: 'supplied' | 'generated' | 'kept'
}

/** What the answers so far come to. */
export const writesOf = (draft: Draft): readonly Write[] =>
  questionsOf(draft).flatMap(({ id, writes }) => (writes && Object.hasOwn(draft.answers, id) ? writes(draft.answers[id] ?? '') : []))

/** Throws a Fault where `.env` cannot be changed safely. */
export const planSetup = (draft: Draft): SetupPlan => {
  const { present, answers } = draft
  const { texts, files } = present
  const writes = writesOf(draft)
  const env = writes.flatMap((each) => (each.to === 'env' && present.env[each.name] !== each.value ? [each] : []))
  const settings = writes.flatMap((each) => (each.to === 'config' ? [each] : []))
  const values = Object.fromEntries(env.map(({ name, value }) => [name, value]))
  const config = configAfter(settings, draft)
  const after: { readonly [name in SetupFile]: string } = {
    env: editDotEnv(texts.env ?? '', present.env, values),
    config: config.text,
    schema: bundleText(),
  }
  const names: readonly SetupFile[] = ['env', 'config', 'schema']
  return {
    changes: names.flatMap((name) =>
      after[name] === texts[name] ? [] : [{ name, file: files[name], before: texts[name], after: after[name] }],
    ),
    env,
    byHand: config.byHand,
    warnings: overruled(values, present),
    port: values.WEBHOOK_PORT ?? String(present.loaded.config.port),
    secret: answers.secret === 'paste' ? 'supplied' : answers.secret === 'generate' ? 'generated' : 'kept',
  }
}

type Setting = Extract<Write, { to: 'config' }>

const configAfter = (settings: readonly Setting[], { present, answers }: Draft): { text: string; byHand: readonly ByHand[] } => {
  const text = present.texts.config
  if (text !== undefined) return editConfig(text, settings)
  const enabled: Setting = { to: 'config', path: ['platforms', 'webhook', 'enabled'], value: answers.enable === 'yes' }
  return { text: firstConfig(dataWith(present, [enabled, ...settings])), byHand: [] }
}

/** The first line names the schema, so that editors complete and check the file without further settings. */
const firstConfig = (data: JsonObject): string => {
  const hasRoutes = written({ data }, ['platforms', 'webhook', 'extra', 'routes']) !== undefined
  const { platforms, ...others } = data
  const first = `# Port and secrets are in .env beside this file.\n${dump({ platforms: webhookFirst(platforms) }, dumping)}`
  const more = Object.keys(others).length > 0 ? dump(others, dumping) : ''
  return withModeline(`${hasRoutes ? first : withExample(first)}${more}`, `./${schemaFile}`, 'yaml-language-server')
}

const dumping = { lineWidth: -1, noRefs: true }

/** The other platforms come before it, so that what is commented out below it belongs to it. */
const webhookFirst = (platforms: Json | undefined): JsonObject => {
  const { webhook = {}, ...others } = isObject(platforms ?? null) ? (platforms as JsonObject) : {}
  return { ...others, webhook }
}

const withExample = (text: string): string => `${text}      # routes:
      #   pr-review:
      #     events: [pull_request]
      #     prompt: 'Review "{pull_request.title}" in {repository.full_name}.'
`

/** The data of `config.yaml` with these settings. */
export const dataWith = ({ data }: Pick<Present, 'data'>, settings: readonly Setting[]): JsonObject => {
  const start: JsonObject = isObject(data) ? data : {}
  return settings.reduce((before, { path, value }) => merged(before, path, value), start)
}

const merged = (map: JsonObject, [key = '', ...rest]: Path, value: Json): JsonObject => {
  const inner = own(map, String(key))
  return { ...map, [key]: rest.length === 0 ? value : merged(isObject(inner ?? null) ? (inner as JsonObject) : {}, rest, value) }
}

/** The environment wins over `.env`: what is written there has no effect where this process's environment goes on to the gateway. */
const overruled = (values: { readonly [name: string]: string }, { workspace: { env } }: Present): Warning[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const set = env[name]
    if (set === undefined || set === '' || set === value) return []
    return [
      { code: 'overruled', message: `${name} is set in this environment, too: where the gateway is started with it, .env has no effect` },
    ]
  })
