/** Questions about a first route: its sender, its name, and the key where the sender makes the key. */

import { targetsByName } from '../parts/targets/index.ts'
import { checkSettingShape, checkSigningSecret } from './checks.ts'
import { adapterPath } from './present.ts'
import { providersByName, type SetupProvider, setupProviders } from './providers.ts'
import { error, type Question, type SetupDraft, type Write } from './question.ts'
import { deliverySettings } from './route-delivery.ts'

/** Whether the sender's key is still missing. The route is then made but disabled, because every post would be refused without the key. */
export const waitsForKey = (provider: SetupProvider, { answers }: Pick<SetupDraft, 'answers'>): boolean =>
  provider.key === 'theirs' && !answers['route.secret']

/** Returns the sender that the route is for; `undefined` for no route. */
export const providerIn = ({ answers }: Pick<SetupDraft, 'answers'>): SetupProvider | undefined => providersByName.get(answers.route ?? '')

export const routeQuestions = (draft: SetupDraft): readonly Question[] => {
  const { routes } = draft.present.loaded.config
  const provider = providerIn(draft)
  const choice: Question = {
    id: 'route',
    flag: '--route <provider[=name]>',
    kind: 'choice',
    text: 'Who sends the first events? A route is made for them.',
    choices: [
      ...setupProviders.map(({ name, title }) => ({ value: name, label: title })),
      { value: 'none', label: 'nobody yet: make no route' },
    ],
    initial: routes.size === 0 ? (setupProviders[0]?.name ?? 'none') : 'none',
    unasked: 'none',
  }
  return provider ? [choice, nameQuestion(provider, draft), ...keyQuestion(provider, draft)] : [choice]
}

const nameQuestion = (provider: SetupProvider, draft: SetupDraft): Question => {
  const { present } = draft
  const { routes } = present.loaded.config
  const path = adapterPath(present, 'routes')
  return {
    id: 'route.name',
    flag: '--route <provider=name>',
    kind: 'text',
    text: 'What should the route be called? The name ends its address.',
    initial: freeName(provider.route, routes),
    check: (name) =>
      routes.has(name)
        ? error(`there is a route "${name}" already`, 'give this one another name')
        : checkSettingShape([...path, name], { prompt: 'p' }),
    writes: (name) => routeWrites([...path, name], provider, draft),
  }
}

const freeName = (wanted: string, taken: ReadonlyMap<string, unknown>): string => {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`
    if (!taken.has(name)) return name
  }
}

const routeWrites = (path: readonly (string | number)[], provider: SetupProvider, draft: SetupDraft): readonly Write[] => {
  const { answers } = draft
  const { spec } = provider
  const secret = answers['route.secret'] ? { secret: `\${${routeSecretVariable(provider, draft)}}` } : {}
  const own = answers['route.public_key'] ? { public_key: answers['route.public_key'] } : secret
  const deliver = deliverySettings(targetsByName.get(answers.target ?? ''), provider, draft)
  const off = waitsForKey(provider, draft) ? { enabled: false } : {}
  return [{ to: 'config', path: [...path], value: { ...off, ...spec, ...own, ...deliver } }]
}

/**
 * Returns the name of the variable for a route's secret. The variable for a second route of a sender has another name, so that the first
 * route keeps its secret.
 */
export const routeSecretVariable = ({ name, route }: SetupProvider, { present, answers }: SetupDraft): string => {
  const first = `${name.toUpperCase()}_SIGNING_SECRET`
  if (present.env[first] === undefined) return first
  const called = answers['route.name'] ?? freeName(route, present.loaded.config.routes)
  return `${called.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_SIGNING_SECRET`
}

const keyQuestion = (provider: SetupProvider, draft: SetupDraft): readonly Question[] => {
  const { title, key, shown } = provider
  if (key === 'ours') return []
  if (key === 'public') return [publicKeyQuestion(title, adapterPath(draft.present, 'routes'))]
  const variable = routeSecretVariable(provider, draft)
  return [
    {
      id: 'route.secret',
      flag: '--route-secret-file <file>',
      kind: 'secret',
      text:
        key === 'chosen'
          ? `Which secret do you choose at the sender? (${title}) Enter takes the global one.`
          : `Which key does the sender show? (${title}: ${shown}) Enter leaves the route off until the key is here.`,
      initial: '',
      check: (answer) => (answer === '' ? undefined : checkSigningSecret(variable, answer)),
      writes: (answer) =>
        answer === '' || answer === draft.present.env[variable] ? [] : [{ to: 'env', name: variable, value: answer, isSecret: true }],
    },
  ]
}

const publicKeyQuestion = (title: string, routes: readonly (string | number)[]): Question => ({
  id: 'route.public_key',
  flag: '--route-public-key <key>',
  kind: 'text',
  text: `Which public key does the sender show? (${title})`,
  check: (answer) =>
    answer === ''
      ? error('it signs with a key of its own, and only its public key can check that')
      : checkSettingShape([...routes, 'r'], { prompt: 'p', public_key: answer }),
})
