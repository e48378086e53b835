/** Plans what the setup would write. The plan is made from the answers and touches no file. */

import { dump } from 'js-yaml'
import { editDotEnv } from '../config/edit-dot-env.ts'
import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import type { Warning } from '../datadir/warning.ts'
import { withModeline } from '../edit/schema/modeline.ts'
import { bundleText, schemaFile } from '../edit/schema/schemas.ts'
import { editConfig, type ManualEdit } from './edit-config.ts'
import { configValue, type Present, type SetupFile } from './present.ts'
import type { SetupDraft, Write } from './question.ts'
import { questionsOf } from './questions.ts'

export type FileChange = {
  readonly name: SetupFile
  readonly file: string
  /** The present text of the file; `undefined` where the file does not exist. */
  readonly before: string | undefined
  readonly after: string
}

export type SetupPlan = {
  /** The files whose text would change. */
  readonly changes: readonly FileChange[]
  /** The variables that change in `.env`. */
  readonly env: readonly Extract<Write, { to: 'env' }>[]
  readonly byHand: readonly ManualEdit[]
  readonly warnings: readonly Warning[]
  /** The port on which the gateway would listen. */
  readonly port: string
  /** The origin of the secret that all routes share: the user, the setup, or the present files. */
  readonly secret: 'supplied' | 'generated' | 'kept'
}

/** Returns the values that the answers so far would write. */
export const writesOf = (draft: SetupDraft): readonly Write[] =>
  questionsOf(draft).flatMap(({ id, writes }) => (writes && Object.hasOwn(draft.answers, id) ? writes(draft.answers[id] ?? '') : []))

/** Plans the files. Throws a Fault where `.env` cannot be changed safely. */
export const planSetup = (draft: SetupDraft): SetupPlan => {
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
    warnings: overruledWarnings(values, present),
    port: values.WEBHOOK_PORT ?? String(present.loaded.config.port),
    secret: answers.secret === 'paste' ? 'supplied' : answers.secret === 'generate' ? 'generated' : 'kept',
  }
}

type Setting = Extract<Write, { to: 'config' }>

/** Returns the text of `config.yaml` after the setup, and the changes that are left to the user. */
const configAfter = (settings: readonly Setting[], { present, answers }: SetupDraft): { text: string; byHand: readonly ManualEdit[] } => {
  const text = present.texts.config
  if (text !== undefined) return editConfig(text, settings)
  const enabled: Setting = { to: 'config', path: ['platforms', 'webhook', 'enabled'], value: answers.enable === 'yes' }
  return { text: firstConfig(dataWith(present, [enabled, ...settings])), byHand: [] }
}

/**
 * Returns the text of a new `config.yaml`. Its first line names the schema, so that editors complete and check the file without further
 * settings.
 */
const firstConfig = (data: JsonObject): string => {
  const hasRoutes = configValue({ data }, ['platforms', 'webhook', 'extra', 'routes']) !== undefined
  const { platforms, ...others } = data
  const first = `# Port and secrets are in .env beside this file.\n${dump({ platforms: webhookLast(platforms) }, dumpOptions)}`
  const more = Object.keys(others).length > 0 ? dump(others, dumpOptions) : ''
  return withModeline(`${hasRoutes ? first : withExample(first)}${more}`, `./${schemaFile}`, 'yaml-language-server')
}

const dumpOptions = { lineWidth: -1, noRefs: true }

/** Puts `webhook` last under `platforms`, because `withExample` adds commented-out routes right behind, which must belong to `webhook`. */
const webhookLast = (platforms: Json | undefined): JsonObject => {
  const { webhook = {}, ...others } = isObject(platforms ?? null) ? (platforms as JsonObject) : {}
  return { ...others, webhook }
}

const withExample = (text: string): string => `${text}      # routes:
      #   pr-review:
      #     events: [pull_request]
      #     prompt: 'Review "{pull_request.title}" in {repository.full_name}.'
`

/** Returns the data of `config.yaml` with the settings. */
export const dataWith = ({ data }: Pick<Present, 'data'>, settings: readonly Setting[]): JsonObject => {
  const start: JsonObject = isObject(data) ? data : {}
  return settings.reduce((before, { path, value }) => withSetting(before, path, value), start)
}

const withSetting = (map: JsonObject, [key = '', ...rest]: Path, value: Json): JsonObject => {
  const inner = own(map, String(key))
  return { ...map, [key]: rest.length === 0 ? value : withSetting(isObject(inner ?? null) ? (inner as JsonObject) : {}, rest, value) }
}

/**
 * Warns of variables that the environment of this process sets to other values. The environment wins over `.env`, so the value in the file
 * has no effect on a gateway that is started with this environment.
 */
const overruledWarnings = (values: { readonly [name: string]: string }, { workspace: { env } }: Present): Warning[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const set = env[name]
    if (set === undefined || set === '' || set === value) return []
    return [
      {
        code: 'overruled',
        message: `${name} is set in this environment, too: where the gateway is started with it, .env has no effect`,
      },
    ]
  })
