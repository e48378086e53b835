/** Questions about a first delivery target: its name, its settings, and whether to send it a message. */

import { defaultProfile } from '../config/config.ts'
import { missingOf, platformOf, settingsOf, textSetting } from '../parts/targets/delivery/settings.ts'
import { targets, targetsByName } from '../parts/targets/index.ts'
import type { Setting, TargetPart } from '../parts/targets/target.ts'
import { fingerprint } from '../secrets/mask.ts'
import { checkEnvValue, checkSettingShape } from './checks.ts'
import { error, type Question, type SetupDraft, type Write, yesNo } from './question.ts'
import { deliveryQuestions, programHint, routeSaysWhereToPost, trialExtra } from './route-delivery.ts'
import { providerIn } from './route-questions.ts'

const questionId = (key: string): string => `target.${key}`
/** The setting of a target with the chat for texts that name no chat. */
const home = 'home_channel'

/** Whether a target is offered: it needs a setting, or the route of this run says where it posts. */
const isOffered = (part: TargetPart, draft: SetupDraft): boolean =>
  routeSaysWhereToPost(part, providerIn(draft)) || (part.needs?.every((keys) => keys.length > 0) ?? false)

export const targetQuestions = (draft: SetupDraft): readonly Question[] => {
  const { present, answers } = draft
  const part = targetsByName.get(answers.target ?? '')
  const choice: Question = {
    id: 'target',
    flag: '--target <name>',
    kind: 'choice',
    text: 'Where should replies go, beside the log?',
    choices: [
      { value: 'none', label: 'the log only, for now' },
      ...targets
        .filter((each) => isOffered(each, draft))
        .map((each) => {
          const isConnected = each.needs && missingOf(each, settingsNow(each, present)).length === 0
          return { value: each.name, label: each.title, ...programHint(each, present), ...(isConnected ? { hint: 'connected' } : {}) }
        }),
    ],
    initial: 'none',
  }
  if (!part) return [choice]
  const [ways, keys] = wayOf(part, draft)
  const asked = keys.map((key) => settingQuestion(key, part, draft))
  const settings = { ...settingsNow(part, present), ...answeredSettings(draft) }
  const isComplete = missingOf(part, settings).length === 0
  const needsHome = isComplete && !keys.includes(home) && part.unaddressed?.({}, { ...settings, [home]: '' }) !== undefined
  const channel = needsHome ? [settingQuestion(home, part, draft)] : []
  return [choice, ...ways, ...asked, ...channel, ...deliveryQuestions(part, draft), ...targetTrial(part, draft)]
}

/** Returns the present settings of a target in the default profile. */
const settingsNow = (part: TargetPart, { loaded }: SetupDraft['present']) => {
  const profile = loaded.config.profiles.get(defaultProfile)
  return settingsOf(part, profile?.platforms ?? {}, profile?.env ?? {})
}

/** Returns the settings of the target among the answers, by their keys. */
const answeredSettings = ({ answers }: SetupDraft): { [key: string]: string } =>
  Object.fromEntries(
    Object.entries(answers).flatMap(([id, value]) => (id.startsWith('target.') && value !== '' ? [[id.slice(7), value]] : [])),
  )

/**
 * A target may be connected in several ways, and each way needs its own settings (`needs`). Returns the keys of the settings for the chosen
 * way, and the question about the way where there are several.
 */
const wayOf = (part: TargetPart, draft: SetupDraft): [questions: readonly Question[], keys: readonly string[]] => {
  const { needs = [] } = part
  const settings = { ...settingsNow(part, draft.present), ...answeredSettings(draft), ...givenSettings(draft) }
  const byOptions = needs.find((keys) => keys.every((key) => textSetting(settings, key) !== undefined))
  if (needs.length === 1) return [[], needs[0] ?? []]
  const isGiven = Object.keys(givenSettings(draft)).length > 0
  if (byOptions && isGiven) return [[], byOptions]
  const names = needs.map((keys) => keys.join(', '))
  const question: Question = {
    id: 'target-way',
    flag: '--target-setting <key=value> and --target-secret-file <key=file>',
    kind: 'choice',
    text: `How should ${part.title} be connected?`,
    choices: names.map((name) => ({ value: name, label: name })),
    initial: byOptions?.join(', ') ?? names[0] ?? '',
  }
  return [[question], needs[names.indexOf(draft.answers['target-way'] ?? '')] ?? []]
}

/** Returns the settings of the target that options give, by their keys. Before its question comes, a setting has the value `given`. */
const givenSettings = ({ given, answers }: SetupDraft): { [key: string]: string } =>
  Object.fromEntries(
    Object.keys(given).flatMap((id) => (id.startsWith('target.') && id !== 'target.test' ? [[id.slice(7), answers[id] ?? 'given']] : [])),
  )

const settingQuestion = (key: string, part: TargetPart, { present }: SetupDraft): Question => {
  const setting: Setting = part.settings?.find((each) => each.key === key) ?? { key, env: [] }
  const [name] = setting.env
  const path = ['platforms', platformOf(part), key]
  const now = textSetting(settingsNow(part, present), key)
  // A value in `.env` wins over `config.yaml`. So where `.env` has the setting, the new value is written to `.env`.
  const variable = setting.env.find((each) => present.env[each]) ?? (setting.secret ? name : undefined)
  const write = (value: string): Write =>
    variable === undefined
      ? { to: 'config', path, value }
      : { to: 'env', name: variable, value, ...(setting.secret ? { isSecret: true } : {}) }
  return {
    id: questionId(key),
    flag: setting.secret ? `--target-secret-file ${key}=<file>` : `--target-setting ${key}=<value>`,
    kind: setting.secret ? 'secret' : 'text',
    text: key === home ? `Which chat of ${part.title} should get what names none (${key})?` : `${part.title}: ${key}?`,
    ...(now === undefined ? {} : setting.secret ? { initial: '', shown: `fingerprint ${fingerprint(now)}` } : { initial: now }),
    check: (answer) => {
      if (answer.trim() === '') return now === undefined ? error('it is needed') : undefined
      return variable === undefined ? checkSettingShape(path, answer) : checkEnvValue(variable, answer)
    },
    writes: (answer) => (answer === '' || answer === now ? [] : [write(answer)]),
  }
}

const targetTrial = (part: TargetPart, draft: SetupDraft): readonly Question[] =>
  trialExtra(part, draft) === undefined
    ? []
    : [
        yesNo({
          id: 'target.test',
          flag: '--test-target',
          text: `Send a real test message to ${part.title} now?`,
          initial: 'yes',
          unasked: 'no',
          trial: {
            what: 'send to the target',
            doing: `sending to ${part.title} …`,
            about: ['target', 'target-way', 'target.test', ...settingQuestionIds(part, draft)],
          },
        }),
      ]

const settingQuestionIds = (part: TargetPart, draft: SetupDraft): readonly string[] => [
  ...(part.settings ?? []).map(({ key }) => questionId(key)),
  ...deliveryQuestions(part, draft).map(({ id }) => id),
]
