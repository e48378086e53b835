/** Sample events of some senders in shapes that their other samples do not have: another content type, or with or without an id. */

import type { Sample } from '../../src/dryrun/samples/sample-file.ts'

const formType = { 'Content-Type': 'application/x-www-form-urlencoded' }
const asPayload = (value: object): Sample => ({ headers: formType, body: `payload=${encodeURIComponent(JSON.stringify(value))}` })

const push = { ref: 'refs/heads/main', repository: { full_name: 'acme/shop' }, pusher: { login: 'robin', name: 'robin' }, note: 'hello' }

/** The samples, by the name of the scheme. */
export const formSamples: { readonly [scheme: string]: readonly Sample[] } = {
  github: [asPayload(push)],
  gitea: [asPayload(push)],
  slack: [
    // An interaction without a trigger_id, and one with it.
    asPayload({ type: 'view_closed', team: { id: 'T0SAMPLE01' }, user: { id: 'U0SAMPLE07' }, view: { id: 'V0SAMPLE01', title: 'Deploy' } }),
    asPayload({
      type: 'block_actions',
      trigger_id: '13345224609.738474920.sample',
      user: { id: 'U0SAMPLE07' },
      actions: [{ value: 'go' }],
    }),
  ],
  // For a JSON body, Twilio puts the digest of the body into the address, and signs the address.
  twilio: [
    {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ MessageStatus: 'received', From: '+15550100002', Body: 'Where is my parcel?' }),
    },
  ],
  // An interaction, which has an id.
  discord: [
    {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        id: '846462639134605312',
        application_id: '775799577604522054',
        type: 2,
        data: { name: 'deploy' },
        token: 'A',
      }),
    },
  ],
}
