/** Amazon SNS: an RSA signature over fields of the body, with a certificate from Amazon's hosts. */

import type { SignatureScheme } from '../../../generated/config.ts'
import { preset } from '../preset.ts'

/** The hosts of SNS in all regions. A wider pattern would match hosts of strangers: sns.s3.amazonaws.com may be anybody's bucket. */
const hosts: NonNullable<SignatureScheme['certificate']>['hosts'] = [
  'sns.us-*-*.amazonaws.com',
  'sns.us-gov-*-*.amazonaws.com',
  'sns.af-*-*.amazonaws.com',
  'sns.ap-*-*.amazonaws.com',
  'sns.ca-*-*.amazonaws.com',
  'sns.eu-*-*.amazonaws.com',
  'sns.il-*-*.amazonaws.com',
  'sns.me-*-*.amazonaws.com',
  'sns.mx-*-*.amazonaws.com',
  'sns.sa-*-*.amazonaws.com',
  'sns.cn-*-*.amazonaws.com.cn',
]

export const awsSns = preset({
  name: 'aws_sns',

  title: 'Amazon SNS',
  docs: 'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html',
  senderSetup:
    'your topic: the attribute SignatureVersion 2; then Create subscription, Protocol HTTPS, the address of the route, raw message delivery off',
  keyFrom: 'sender',
  key: 'the ARN of the topic: messages of other topics are refused',
  events: ['Notification', 'UnsubscribeConfirmation'],
  sample: 'aws_sns/notification',
  route: 'confirm_subscriptions: true\nevents: [Notification]\nprompt: "{Subject}: {Message}"\n',
  uncertain:
    'a topic signs with SHA-1 as long as its attribute SignatureVersion is not 2, and such messages are refused; so are those of partitions whose addresses are not certain (ISO, European Sovereign Cloud)',
  scheme: {
    algorithm: 'rsa_sha256',
    signature: { body: 'Signature', encoding: 'base64' },
    certificate: {
      body: 'SigningCertURL',
      hosts,
      path: '/SimpleNotificationService-*.pem',
    },
    signed: '{lines}',
    lines: ['Message', 'MessageId', 'Subject?', 'SubscribeURL?', 'Timestamp', 'Token?', 'TopicArn', 'Type'],
    // Amazon tries a message for at most an hour, always with the time of the first try. The delivery id also stays claimed for an hour.
    timestamp: { body: 'Timestamp', unit: 'iso8601', window_seconds: 3600 },
    identity: { body: 'TopicArn' },
    event: { body: 'Type' },
    id: { body: 'MessageId' },
    handshakes: [
      {
        when: { body: 'Type', equals: 'SubscriptionConfirmation' },
        confirm: {
          body: 'SubscribeURL',
          hosts,
        },
      },
    ],
  },
})
