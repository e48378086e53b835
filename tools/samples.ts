/** Writes the samples of GitHub from the published examples of its community. The samples of other senders are written by hand. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isObject, type JsonObject } from '../src/core/json.ts'
import { renderSample } from '../src/dryrun/samples/sample-file.ts'
import { scrub } from '../src/dryrun/samples/scrub.ts'

type Example = { readonly action?: string; readonly sender?: { readonly login: string } }
type Examples = readonly { readonly name: string; readonly examples: readonly Example[] }[]

const examplesFile = fileURLToPath(import.meta.resolve('@octokit/webhooks-examples/api.github.com/index.json'))

/** What each sample is about, by the name of the sample: the event, and for some events the action. */
const descriptions: { readonly [name: string]: string } = {
  'check_run.completed': 'A check of a commit has ended.',
  'check_suite.completed': 'All checks of a commit have ended.',
  create: 'A branch or tag was made.',
  'deployment_status.created': 'A deployment is in another state now.',
  'discussion.created': 'A discussion was begun.',
  fork: 'The repository was forked.',
  'installation.created': 'A GitHub App was installed.',
  'issue_comment.created': 'Somebody commented on an issue or pull request.',
  'issues.labeled': 'A label was put on an issue.',
  'issues.opened': 'An issue was opened.',
  ping: 'The webhook was just set up.',
  'pull_request.closed': 'A pull request was closed; `pull_request.merged` says whether by merging it.',
  'pull_request.opened': 'A pull request was opened.',
  'pull_request.synchronize': 'Commits were pushed to the branch of a pull request.',
  'pull_request_review.submitted': 'A pull request was reviewed.',
  push: 'Commits were pushed to a branch.',
  'release.published': 'A release was published.',
  'star.created': 'Somebody starred the repository.',
  'workflow_job.completed': 'A job of a workflow has ended.',
  'workflow_run.completed': 'A run of a workflow has ended.',
}

/** Events that differ from one above in what people forget. The published examples do not have them. */
const variants: {
  readonly [name: string]: { readonly of: string; readonly description: string; readonly change: (body: JsonObject) => void }
} = {
  'workflow_run.fork': {
    of: 'workflow_run.completed',
    description: 'A run of a workflow for a pull request of a fork has ended: `pull_requests` is empty.',
    change({ workflow_run: run }) {
      if (!isObject(run) || !isObject(run.head_repository)) throw new Error('the example of workflow_run has another shape')
      const head = { ...run.head_repository, id: 712_049_318, full_name: 'octo-fork/octo-repo', fork: true }
      Object.assign(run, { event: 'pull_request', pull_requests: [], head_repository: head })
    },
  },
}

const headersOf = (event: string): { readonly [name: string]: string } => ({
  Accept: '*/*',
  'Content-Type': 'application/json',
  'User-Agent': 'GitHub-Hookshot/0a1b2c3',
  'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  'X-GitHub-Event': event,
  'X-GitHub-Hook-ID': '292430182',
  'X-GitHub-Hook-Installation-Target-ID': '79929171',
  'X-GitHub-Hook-Installation-Target-Type': 'repository',
  'X-Hub-Signature': '***',
  'X-Hub-Signature-256': '***',
})

/** Returns the text of each file, by its path. */
export const renderSamples = (): { readonly [file: string]: string } => {
  const all = JSON.parse(readFileSync(examplesFile, 'utf8')) as Examples
  const names = Object.entries(descriptions).map(([name, description]) => ({ name, of: name, description, change: (_: JsonObject) => {} }))
  const more = Object.entries(variants).map(([name, variant]) => ({ name, ...variant }))
  const files = [...names, ...more].map(({ name, of, description, change }) => {
    const [event = '', action] = of.split('.')
    const fitting = all.find((each) => each.name === event)?.examples.filter((each) => action === undefined || each.action === action) ?? []
    const [fullest] = fitting.map((each) => JSON.stringify(each)).sort((a, b) => b.length - a.length)
    if (fullest === undefined) throw new Error(`there is no example of ${name}`)
    const changed = JSON.parse(fullest) as JsonObject
    change(changed)
    const about = { provider: 'github', event, description }
    const { sample } = scrub({ ...about, headers: headersOf(event), body: JSON.stringify(changed) }, [])
    return [`samples/github/${name}.json`, renderSample(about, { headers: sample.headers, body: Buffer.from(sample.body) })]
  })
  return Object.fromEntries(files)
}
