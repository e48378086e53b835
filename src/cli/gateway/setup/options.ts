/** The options of `gateway setup`, and the answers to its questions that these options give. */

import { usage } from '../../../core/fault.ts'
import { targetName } from '../../../parts/written-names.ts'
import type { PresetAnswers } from '../../../setup/question.ts'
import { readSecret, readSecretFile } from '../../shell/input.ts'
import type { Io } from '../../shell/io.ts'

export type SetupOptions = {
  readonly yes?: boolean
  readonly enable?: boolean
  readonly host?: string
  readonly port?: number
  readonly secretFile?: string
  readonly generateSecret?: boolean
  readonly route?: string
  readonly routeSecretFile?: string
  readonly runner?: string
  readonly command?: string
  readonly baseUrl?: string
  readonly model?: string
  readonly apiKeyFile?: string
  readonly testAgent?: boolean
  readonly target?: string
  readonly targetSetting?: readonly string[]
  readonly routePublicKey?: string
  readonly targetSecretFile?: readonly string[]
  readonly testTarget?: boolean
  readonly start?: boolean
  readonly sendFirst?: boolean
  readonly screenReader?: boolean
}

/** The id of a question, the option that answers the question, and the answer; `undefined` if the option was not given. */
type GivenAnswer = readonly [id: string, flag: string, answer: string | undefined]

/**
 * Returns the answers that the options give, by the id of their question. Throws a usage Fault for options that contradict each other, and
 * for files that cannot be read.
 */
export const answersGiven = async (options: SetupOptions, io: Pick<Io, 'stdin'>): Promise<PresetAnswers> => {
  const { secretFile, generateSecret, port, route } = options
  if (secretFile !== undefined && generateSecret) throw usage('give one of --secret-file and --generate-secret')
  const [provider, name] = route === undefined ? [] : splitPair('--route', route, false)
  const secretOf = (flag: string, file: string | undefined) => (file === undefined ? undefined : readSecretFile(flag, file, io))
  const entries: GivenAnswer[] = [
    ['enable', '--enable', options.enable ? 'yes' : undefined],
    ['host', '--host', options.host],
    ['port', '--port', port === undefined ? undefined : String(port)],
    ['secret', '--secret-file', secretFile === undefined ? undefined : 'paste'],
    ['secret', '--generate-secret', generateSecret ? 'generate' : undefined],
    ['secret.value', '--secret-file', secretFile === undefined ? undefined : await readSecret({ secretFile }, io)],
    ['route', '--route', provider],
    ['route.name', '--route', name],
    ['route.public_key', '--route-public-key', options.routePublicKey],
    ['route.secret', '--route-secret-file', await secretOf('--route-secret-file', options.routeSecretFile)],
    ['runner', '--runner', options.runner],
    ['command', '--command', options.command],
    ['base-url', '--base-url', options.baseUrl],
    ['model', '--model', options.model],
    ['key', '--api-key-file', await secretOf('--api-key-file', options.apiKeyFile)],
    ['agent.test', '--test-agent', options.testAgent ? 'yes' : undefined],
    ['target', '--target', options.target === undefined ? undefined : targetName(options.target)],
    ...(await settingsGiven(options, io)),
    ['target.test', '--test-target', options.testTarget ? 'yes' : undefined],
    ['start', '--start', options.start ? 'yes' : undefined],
    ['first', '--send-first', options.sendFirst ? 'yes' : undefined],
  ]
  return Object.fromEntries(entries.flatMap(([id, flag, answer]) => (answer === undefined ? [] : [[id, { flag, answer }]])))
}

const settingsGiven = async (
  { targetSetting = [], targetSecretFile = [] }: SetupOptions,
  io: Pick<Io, 'stdin'>,
): Promise<GivenAnswer[]> => {
  const entries: GivenAnswer[] = []
  for (const text of targetSetting) {
    const [key, value = ''] = splitPair('--target-setting', text, true)
    entries.push([`target.${key}`, `--target-setting ${key}`, value])
  }
  for (const text of targetSecretFile) {
    const [key, file = ''] = splitPair('--target-secret-file', text, true)
    const flag = `--target-secret-file ${key}`
    entries.push([`target.${key}`, flag, await readSecretFile(flag, file, io)])
  }
  return entries
}

/** Splits `key=value`. `isWhole`: a text without a value is refused. */
const splitPair = (flag: string, text: string, isWhole: boolean): [string, string | undefined] => {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at).trim(), text.slice(at + 1)]
  if (isWhole || at === 0) throw usage(`${flag} ${text}: write key=value`)
  return [text.trim(), undefined]
}
