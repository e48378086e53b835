/** Questions about the agent: which runner asks it, and which settings that runner needs. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { defaultAgentOf } from '../parts/named-agents.ts'
import { isOwnApi } from '../parts/own-api.ts'
import { runners, runnersByName } from '../parts/runners/index.ts'
import type { RunnerPart } from '../parts/runners/runner.ts'
import { runnerSettings } from '../plan/runner.ts'
import { locateProgram, searchPathOf } from '../process/find-program.ts'
import { fingerprint } from '../secrets/mask.ts'
import { checkEnvValue, checkSettingShape } from './checks.ts'
import { configValue } from './present.ts'
import { type Choice, error, type Objection, type Question, type SetupDraft, type Write, warning, yesNo } from './question.ts'
import { splitWords, wordsText } from './words.ts'

type Api = NonNullable<RunnerPart['api']>

const setting = (key: string, value: string | string[]): Write => ({ to: 'config', path: ['agent', key], value })

export const agentQuestions = (draft: SetupDraft): readonly Question[] => {
  const { present, answers } = draft
  const { runner: before } = defaultAgentOf(present.loaded.config)
  const runner = answers.runner ?? before
  const part = runnersByName.get(runner)
  const own: Choice[] = runnersByName.has(before) ? [] : [{ value: before, label: 'the runner of a plugin, as now' }]
  const choice: Question = {
    id: 'runner',
    flag: '--runner <name>',
    kind: 'choice',
    text: 'Which agent should answer the prompts?',
    choices: [...own, ...runners.map(({ name, title }) => ({ value: name, label: name, hint: title }))],
    initial: before,
    writes: (answer) => (answer === before ? [] : [setting('runner', answer)]),
  }
  return [
    choice,
    ...(part?.program ? [commandQuestion(draft)] : []),
    ...(part?.api ? modelQuestions(part, part.api, draft) : []),
    ...(part?.standIn === undefined ? agentTrial : []),
  ]
}

const commandQuestion = ({ present }: SetupDraft): Question => {
  const now = configValue(present, ['agent', 'command'])
  const initial = Array.isArray(now) && now.every((word) => typeof word === 'string') ? wordsText(now) : undefined
  const { dataDir } = present.workspace
  return {
    id: 'command',
    flag: '--command <line>',
    kind: 'text',
    text: 'Which program is it, with its arguments? It gets the prompt on standard input.',
    ...(initial === undefined ? {} : { initial }),
    check: (answer) => checkCommand(answer, dataDir),
    writes: (answer) => (answer === initial ? [] : [setting('command', withFoundProgram(splitWords(answer) ?? [], dataDir))]),
  }
}

/**
 * Makes the path of a program absolute where it is relative to the working folder. In the file it would be relative to the data directory,
 * where the program may not be.
 */
const withFoundProgram = ([program = '', ...rest]: readonly string[], dataDir: string): string[] => {
  const isElsewhere = program.includes('/') && !existsSync(resolve(dataDir, program)) && existsSync(resolve(program))
  return [isElsewhere ? resolve(program) : program, ...rest]
}

const checkCommand = async (answer: string, dataDir: string): Promise<Objection | undefined> => {
  const words = splitWords(answer)
  if (!words) return error('a quote in it does not end')
  const shape = checkSettingShape(['agent', 'command'], words)
  const [program = ''] = words
  if (shape || program === '') return shape ?? error('it names no program')
  if (program.includes('/')) {
    const isThere = existsSync(resolve(dataDir, program)) || existsSync(resolve(program))
    return isThere ? undefined : warning(`${program} is not there`, 'a relative path is one of the data directory: give the whole path')
  }
  const isThere = (await locateProgram(program, searchPathOf(process.env))) !== undefined
  return isThere ? undefined : warning(`${program} is not on the PATH`, 'give its whole path')
}

const modelQuestions = (part: RunnerPart, api: Api, { present, answers }: SetupDraft): readonly Question[] => {
  const agent = defaultAgentOf(present.loaded.config)
  const before = agent.runner === part.name ? agent : undefined
  const url = before?.baseUrl ?? api.url
  const path = ['agent', 'base_url']
  const model: Question = {
    id: 'model',
    flag: '--model <name>',
    kind: 'text',
    text: 'Which model?',
    ...(before?.model === undefined ? {} : { initial: before.model }),
    check: (answer) => checkSettingShape(['agent', 'model'], answer.trim()),
    writes: (answer) => (answer === before?.model ? [] : [setting('model', answer.trim())]),
  }
  const address: Question = {
    id: 'base-url',
    flag: '--base-url <address>',
    kind: 'text',
    text: 'Where is its API?',
    initial: url,
    check: (answer) => (isHttpAddress(answer) ? undefined : error('that is no http or https address', 'write it like https://host/v1')),
    // An address in the file that belongs to another runner must be replaced.
    writes: (answer) => (answer === url && (configValue(present, path) === undefined || before) ? [] : [setting('base_url', answer)]),
  }
  return [address, model, keyQuestion(part, api, answers['base-url'] ?? url, present)]
}

const isHttpAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === ''

const keyQuestion = (part: RunnerPart, api: Api, baseUrl: string, present: SetupDraft['present']): Question => {
  const name = part.env?.apiKey?.[0] ?? ''
  const { profiles } = present.loaded.config
  const agent = defaultAgentOf(present.loaded.config)
  const isSame = agent.runner === part.name
  const needsNone = api.keyless?.(baseUrl) ?? false
  const { apiKey: key } = runnerSettings(part, { agent: { ...(isSame ? agent : {}), baseUrl }, profiles })
  const may = key !== undefined || needsNone
  const inFile = configValue(present, ['agent', 'api_key'])
  const reference = `\${${name}}`
  return {
    id: 'key',
    flag: '--api-key-file <file>',
    kind: 'secret',
    text: `What is the key of its API?${key === undefined && needsNone ? ' An endpoint on this machine may need none.' : ''}`,
    ...(may ? { initial: '' } : {}),
    ...(key === undefined ? {} : { shown: `fingerprint ${fingerprint(key)}` }),
    check: (answer) => (answer === '' ? (may ? undefined : error('a key is needed')) : checkEnvValue(name, answer)),
    writes: (answer) => {
      const isNew = answer !== '' && answer !== key
      // A former key in `config.yaml` is replaced by a reference: it belongs to another runner, or it would win over the new key. For an
      // API that is not the runner's own API, the reference must be in the file: otherwise a key of the environment is not sent there.
      const isOther = inFile !== undefined && (isNew || !isSame)
      const isNamed = isNew && !isOwnApi(baseUrl, api.url)
      return [
        ...(isNew ? [{ to: 'env', name, value: answer, isSecret: true } as const] : []),
        ...((isOther || isNamed) && inFile !== reference ? [setting('api_key', reference)] : []),
      ]
    },
  }
}

const agentTrial: readonly Question[] = [
  yesNo({
    id: 'agent.test',
    flag: '--test-agent',
    text: 'Try the agent now, with one short prompt?',
    initial: 'yes',
    unasked: 'no',
    trial: {
      what: 'ask the agent',
      doing: 'asking the agent …',
      about: ['runner', 'command', 'base-url', 'model', 'key', 'agent.test'],
    },
  }),
]
