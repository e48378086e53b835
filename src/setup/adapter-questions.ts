/** Questions about the webhook adapter: whether it is on, where it listens, and the secret that its routes share. */

import { isUsableSecret as isSecret } from '../config/adapter.ts'
import type { Config } from '../config/config.ts'
import { newSecret } from '../datadir/subscription-record.ts'
import { fingerprint } from '../secrets/mask.ts'
import { checkHost, checkPort, checkSigningSecret } from './checks.ts'
import { adapterPath, configValue, type Present } from './present.ts'
import { error, type Question, type SetupDraft, type Write, yesNo } from './question.ts'

const env = (name: string, value: string): Write => ({ to: 'env', name, value })
const secretName = 'WEBHOOK_SECRET'

export const adapterQuestions = ({ present, answers }: SetupDraft): readonly Question[] => {
  const { config } = present.loaded
  return [
    yesNo({
      id: 'enable',
      flag: '--enable',
      text: 'Enable the webhook adapter?',
      initial: 'yes',
      writes: (answer) => [env('WEBHOOK_ENABLED', answer === 'yes' ? 'true' : 'false')],
    }),
    hostQuestion(present, config),
    portQuestion(present, config, answers.host ?? config.host),
    ...secretQuestions(present, config, answers.secret),
  ]
}

const hostQuestion = (present: Present, { host }: Config): Question => {
  const path = adapterPath(present, 'host')
  return {
    id: 'host',
    flag: '--host <address>',
    kind: 'text',
    text: 'Which address should it listen on?',
    initial: host,
    check: (answer) => (answer === host ? undefined : checkHost(path, answer)),
    // A new `config.yaml` gets the address in any case, so that a reader sees where the gateway listens. In a file that exists, only a
    // changed address is written.
    writes: (answer) => (answer === host && present.texts.config !== undefined ? [] : [{ to: 'config', path, value: answer }]),
  }
}

const portQuestion = (present: Present, { port }: Config, host: string): Question => {
  const path = adapterPath(present, 'port')
  const isOurs = (answer: string): boolean => present.status !== undefined && new URL(present.status.url).port === answer
  const isSet = present.env.WEBHOOK_PORT !== undefined || configValue(present, path) !== undefined
  return {
    id: 'port',
    flag: '--port <number>',
    kind: 'text',
    text: 'Which port should it listen on? 0 takes any free one.',
    initial: String(port),
    check: (answer) => (isOurs(answer) ? undefined : checkPort(path, answer, host)),
    writes: (answer) => (isSet && Number(answer) === port ? [] : [env('WEBHOOK_PORT', String(Number(answer)))]),
  }
}

const secretQuestions = (present: Present, { globalSecret }: Config, chosen: string | undefined): readonly Question[] => {
  const isSet = isSecret(globalSecret)
  const keep = { value: 'keep', label: 'keep the one that is set', hint: `fingerprint ${fingerprint(globalSecret ?? '')}` }
  const choice: Question = {
    id: 'secret',
    flag: '--secret-file <file> or --generate-secret',
    kind: 'choice',
    text: 'Which secret should senders sign with, where a route has none of its own?',
    choices: [
      ...(isSet ? [keep] : []),
      { value: 'generate', label: 'generate a new one', ...(isSet ? { hint: 'senders must be told' } : {}) },
      { value: 'paste', label: 'paste one' },
    ],
    initial: isSet ? 'keep' : 'generate',
    writes: (answer) => (answer === 'generate' ? [{ to: 'env', name: secretName, value: newSecret(), isSecret: true }] : []),
  }
  const value: Question = {
    id: 'secret.value',
    flag: '--secret-file <file>',
    kind: 'secret',
    text: 'What is the secret?',
    check: (answer) => (answer === '' ? error('the secret is empty') : checkSigningSecret(secretName, answer)),
    writes: (answer) => (answer === present.env[secretName] ? [] : [{ to: 'env', name: secretName, value: answer, isSecret: true }]),
  }
  return chosen === 'paste' ? [choice, value] : [choice]
}
