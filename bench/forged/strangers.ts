/** Makes what is forged in a way of its own: for senders that sign in the body, and for senders whose certificate is fetched. */

import { randomBytes, randomUUID } from 'node:crypto'
import { maxBytes } from './fillers.ts'

/** Makes a text of the form of an RSA signature with 2,048 bits. */
const rsa = (): string => randomBytes(256).toString('base64')

const mailgun = (at: number, token: string = randomUUID()) => ({
  signature: { timestamp: String(Math.floor(at / 1000)), token, signature: randomBytes(32).toString('hex') },
})

const topic = 'arn:aws:sns:us-west-2:123456789012:Topic'

/** What a sender uses as a key although everybody may know it. Routes have it as their last key. */
export const publicNames: { readonly [sender: string]: string } = { aws_sns: topic }

const sns = (at: number, message = 'forged') => ({
  Type: 'Notification',
  MessageId: randomUUID(),
  TopicArn: topic,
  Message: message,
  Timestamp: new Date(at).toISOString(),
  SignatureVersion: '2',
  Signature: rsa(),
  SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem',
})

/** Returns the members of JSON with which a sender signs, at a time in milliseconds. They stand behind a filler. */
export const ownMembers: { readonly [sender: string]: (at: number) => object } = {
  mailgun,
  aws_sns: sns,
  microsoft_graph: () => ({ value: [{ clientState: randomUUID() }] }),
}

const long = 'a'.repeat(maxBytes - 2_048)
/** Bytes of UTF-8, three for each character. */
const wide = Buffer.from('\u20ac'.repeat(maxBytes / 3 - 2_048)).toString('latin1')
const states = (last: string): object => ({
  value: [...Array.from({ length: 29_999 }, () => ({ clientState: 'wrong' })), { clientState: last }],
})

/**
 * Bodies that cost something because of the way in which only one sender is read, as texts with a character for each byte. They have all
 * that the sender signs.
 */
export const ownBodies: { readonly [sender: string]: { readonly [what: string]: (at: number) => string } } = {
  mailgun: {
    'a token of a megabyte': (at) => JSON.stringify(mailgun(at, long)),
    'a token that is not ASCII': (at) => JSON.stringify(mailgun(at, wide)),
  },
  aws_sns: {
    'a message of a megabyte': (at) => JSON.stringify(sns(at, long)),
    'a message that is not ASCII': (at) => JSON.stringify(sns(at, wide)),
  },
  microsoft_graph: {
    '30,000 notifications, all wrong': () => JSON.stringify(states('wrong')),
    '30,000 notifications, the last one other': () => JSON.stringify(states('other')),
  },
}

/** Returns the headers of a sender that signs with a certificate. The last one has the signature. */
export const certificateHeaders: { readonly [sender: string]: (at: number) => { readonly [name: string]: string } } = {
  paypal: (at) => ({
    'PAYPAL-CERT-URL': 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-0a1b2c3d',
    'PAYPAL-TRANSMISSION-ID': randomUUID(),
    'PAYPAL-TRANSMISSION-TIME': new Date(at).toISOString(),
    'PAYPAL-TRANSMISSION-SIG': rsa(),
  }),
}
