/** The senders for which the setup can make a first route, because the gateway knows their signatures. */

import type { Json, JsonObject } from '../core/json.ts'
import { routeOfPreset } from '../dryrun/requests/sender-route.ts'
import type { Route } from '../generated/config.ts'
import { presets } from '../parts/schemes/index.ts'
import { linear } from '../parts/schemes/linear.ts'
import type { Preset } from '../parts/schemes/preset.ts'
import type { Scheme } from '../parts/schemes/scheme.ts'
import { svix } from '../parts/schemes/standard-webhooks.ts'
import { githubComment } from '../parts/targets/code-host/github-comment.ts'
import { gitlabComment } from '../parts/targets/code-host/gitlab-comment.ts'

export type SetupProvider = {
  /** The sender's name, as in the names of samples. */
  readonly name: string
  readonly title: string
  /** The name that is proposed for the route. */
  readonly route: string
  readonly spec: Pick<Route, 'events' | 'prompt'> & { readonly verify?: string; readonly filters?: Json[] }
  /** The name of a sample event of the sender. */
  readonly sample: string
  /**
   * Who makes the key. `ours`: the gateway's own secret is set at the sender. `chosen`: the secret at the sender may be any text. `theirs`:
   * the sender makes a secret. `public`: the key is the sender's public key.
   */
  readonly key: 'ours' | 'chosen' | 'theirs' | 'public'
  /** The kind of key that the sender makes, and where the sender shows it. */
  readonly shown?: string
  /** Whether headgate can sign the sample as the sender would. */
  readonly isSignable: boolean
  /** The target that comments on the subject of an event, such as a pull request, and the settings that find the subject in the event. */
  readonly comment?: { readonly target: string; readonly extra: JsonObject }
  /** The settings to make at the sender, where its webhooks are made. */
  readonly senderSetup: string
}

const shownBy = ({ senderKey }: Scheme): Pick<SetupProvider, 'shown'> => (senderKey === undefined ? {} : { shown: senderKey })

/** The senders that are listed first. Their routes are written here, because some of these senders have no preset. */
const firstProviders: readonly SetupProvider[] = [
  {
    name: 'github',
    title: 'GitHub: pull requests',
    route: 'github-pull-requests',
    spec: {
      events: ['pull_request'],
      // Without this filter the agent would comment on each label, push and comment that a pull request gets.
      filters: [{ field: 'action', in: ['opened', 'reopened'] }],
      prompt: 'Review pull request #{number} "{pull_request.title}" in {repository.full_name}, which was {action}.\n',
      verify: 'github',
    },
    sample: 'github/pull_request.opened',
    key: 'ours',
    isSignable: true,
    comment: { target: githubComment.name, extra: { repo: '{repository.full_name}', pr_number: '{number}' } },
    senderSetup: 'content type application/json, the secret, the event "Pull requests"',
  },
  {
    name: 'gitlab',
    title: 'GitLab: merge requests',
    route: 'gitlab-merge-requests',
    spec: {
      events: ['merge_request'],
      filters: [{ field: 'object_attributes.action', in: ['open', 'reopen'] }],
      prompt:
        'Review merge request !{object_attributes.iid} "{object_attributes.title}" in {project.path_with_namespace}: {object_attributes.action}.\n',
      verify: 'gitlab',
    },
    sample: 'gitlab/merge_request.open',
    key: 'ours',
    isSignable: true,
    comment: {
      target: gitlabComment.name,
      extra: { project: '{project.path_with_namespace}', iid: '{object_attributes.iid}', kind: 'merge_request' },
    },
    senderSetup: 'the secret as "Secret token", the trigger "Merge request events"',
  },
  {
    name: 'gitea',
    title: 'Gitea or Forgejo: pushes',
    route: 'gitea-pushes',
    spec: {
      events: ['push'],
      prompt: 'Summarise what {pusher.login} pushed to {ref} of {repository.full_name}: {compare_url}\n',
      verify: 'github',
    },
    sample: 'gitea/push',
    key: 'ours',
    isSignable: true,
    senderSetup: 'content type application/json, the secret, the trigger "Push"',
  },
  {
    name: 'linear',
    title: 'Linear: issues',
    route: 'linear-issues',
    spec: { events: ['Issue'], prompt: 'Issue "{data.title}" in Linear: {action}. {url}\n', verify: 'linear' },
    sample: 'linear/issue.create',
    key: 'theirs',
    ...shownBy(linear),
    isSignable: true,
    senderSetup: 'resource type "Issues"; its signing secret goes into the route here',
  },
  {
    name: 'clerk',
    title: 'Clerk, through Svix: new users',
    route: 'clerk-users',
    spec: { events: ['user.created'], prompt: 'A new user signed up: {data.first_name} {data.last_name}.\n', verify: 'svix' },
    sample: 'clerk/user.created',
    key: 'theirs',
    ...shownBy(svix),
    isSignable: true,
    senderSetup: 'the event "user.created"; its signing secret (whsec_…) goes into the route here',
  },
  {
    name: 'standard',
    title: 'Anybody who signs by Standard Webhooks',
    route: 'events',
    spec: { prompt: 'An event of the type {type} arrived:\n\n{__raw__}\n', verify: 'standard_webhooks' },
    sample: 'standard/invoice.paid',
    key: 'ours',
    isSignable: true,
    senderSetup: 'the secret; where the sender makes one (whsec_…), that goes into the route here',
  },
]

const providerOfPreset = (preset: Preset): SetupProvider => ({
  name: preset.name,
  title: preset.title,
  route: `${preset.name.replaceAll('_', '-')}-events`,
  spec: routeOfPreset(preset) as SetupProvider['spec'],
  sample: preset.about.sample,
  key: preset.keys === 'public' ? 'public' : preset.senderKey === undefined ? 'chosen' : 'theirs',
  ...shownBy(preset),
  isSignable: preset.keys !== 'public' && !preset.description.certificate,
  senderSetup: `${preset.about.senderSetup}. The key that goes into the route here: ${preset.about.key}`,
})

const otherPresets = presets.filter(({ name }) => !firstProviders.some((each) => each.name === name))

export const setupProviders: readonly SetupProvider[] = [...firstProviders, ...otherPresets.map(providerOfPreset)]

export const providersByName: ReadonlyMap<string, SetupProvider> = new Map(setupProviders.map((provider) => [provider.name, provider]))
