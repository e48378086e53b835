/** Senders that a first route can be made for: those whose signatures the gateway knows, and that a sample comes with the program of. */

import type { Route } from '../../generated/config.ts'

export type Provider = {
  /** As in the names of samples. */
  readonly name: string
  readonly title: string
  readonly route: string
  readonly spec: Pick<Route, 'events' | 'prompt' | 'verify'>
  readonly sample: string
  /** Who makes the secret: we do, and it is set there; or they do, and it is set here. */
  readonly secretFrom: 'us' | 'them'
  /** What to set where its webhooks are made. */
  readonly there: string
}

export const providers: readonly Provider[] = [
  {
    name: 'github',
    title: 'GitHub: pull requests',
    route: 'github-pull-requests',
    spec: {
      events: ['pull_request'],
      prompt: 'Review pull request #{number} "{pull_request.title}" in {repository.full_name}, which was {action}.\n',
      verify: 'github',
    },
    sample: 'github/pull_request.opened',
    secretFrom: 'us',
    there: 'content type application/json, the secret, the event "Pull requests"',
  },
  {
    name: 'gitlab',
    title: 'GitLab: merge requests',
    route: 'gitlab-merge-requests',
    spec: {
      events: ['merge_request'],
      prompt:
        'Review merge request !{object_attributes.iid} "{object_attributes.title}" in {project.path_with_namespace}: {object_attributes.action}.\n',
      verify: 'gitlab',
    },
    sample: 'gitlab/merge_request.open',
    secretFrom: 'us',
    there: 'the secret as "Secret token", the trigger "Merge request events"',
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
    secretFrom: 'us',
    there: 'content type application/json, the secret, the trigger "Push"',
  },
  {
    name: 'linear',
    title: 'Linear: issues',
    route: 'linear-issues',
    spec: { events: ['Issue'], prompt: 'Issue "{data.title}" in Linear: {action}. {url}\n', verify: 'linear' },
    sample: 'linear/issue.create',
    secretFrom: 'them',
    there: 'resource type "Issues"; its signing secret goes into the route here',
  },
  {
    name: 'clerk',
    title: 'Clerk, through Svix: new users',
    route: 'clerk-users',
    spec: { events: ['user.created'], prompt: 'A new user signed up: {data.first_name} {data.last_name}.\n', verify: 'svix' },
    sample: 'clerk/user.created',
    secretFrom: 'them',
    there: 'the event "user.created"; its signing secret (whsec_…) goes into the route here',
  },
  {
    name: 'standard',
    title: 'Anybody who signs by Standard Webhooks',
    route: 'events',
    spec: { prompt: 'An event of the type {type} arrived:\n\n{__raw__}\n', verify: 'standard_webhooks' },
    sample: 'standard/invoice.paid',
    secretFrom: 'us',
    there: 'the secret; where the sender makes one (whsec_…), that goes into the route here',
  },
]

export const providersByName: ReadonlyMap<string, Provider> = new Map(providers.map((provider) => [provider.name, provider]))
