/** Typeform: `Typeform-Signature: sha256=<base64 HMAC of the body>`. */

import { preset } from '../preset.ts'

export const typeform = preset({
  name: 'typeform',
  title: 'Typeform',
  docs: 'https://www.typeform.com/developers/webhooks/secure-your-webhooks/',
  senderSetup: 'the form → Connect → Webhooks → Add: the address of the route; then Edit → Secret, and switch it on',
  keyFrom: 'you',
  key: 'the secret of the webhook',
  events: ['form_response', 'form_response_partial'],
  sample: 'typeform/form_response',
  route: 'events: [form_response]\nprompt: "An answer to {form_response.definition.title}: {form_response.answers}"\n',
  uncertain: 'older pages of Typeform sign the body with a line feed behind it, the present ones the body alone, as is checked here',
  scheme: {
    algorithm: 'hmac_sha256',
    signature: { header: 'Typeform-Signature', prefix: 'sha256=', encoding: 'base64' },
    event: { body: 'event_type' },
    id: { body: 'event_id' },
  },
})
