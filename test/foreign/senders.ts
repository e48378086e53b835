/** The senders' own libraries, which sign as their senders do and say what a receiver of theirs takes. */

import bolt from '@slack/bolt/dist/receivers/verify-request.js'

export { validateSignature } from '@line/bot-sdk'
export { LinearWebhookClient } from '@linear/sdk/webhooks'
export { signWebhookPayload, verifyWebhookSignature } from '@notionhq/client'
export { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods'
export { EventWebhook } from '@sendgrid/eventwebhook'
export { CloudEvent, HTTP } from 'cloudevents'
export { verifyKey } from 'discord-interactions'
// @ts-expect-error: it has no types
export { default as MessageValidator } from 'sns-validator'
export { Webhook } from 'standardwebhooks'
export { Stripe } from 'stripe'
export { Svix, Webhook as SvixWebhook } from 'svix'
export { default as twilio } from 'twilio'
export { bolt }
