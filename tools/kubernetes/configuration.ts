/** The configuration that the manifests bring, for the embedded and for a shared store. Its users replace it by their own. */

import { ports } from './workloads.ts'

const secretsFolder = '/run/secrets/headgate'

const example = {
  platforms: {
    webhook: {
      enabled: true,
      secret: `file:${secretsFolder}/webhook`,
      routes: {
        pushes: {
          description: 'Write a line for each push.',
          events: ['push'],
          prompt: 'Say in one line what changed: {head_commit.message}',
          deliver: 'log',
        },
      },
    },
  },
  metrics: { enabled: true, host: '0.0.0.0', port: ports.metrics, token: `file:${secretsFolder}/metrics-token` },
}

export type StoreKind = 'sole' | 'shared'

export const exampleConfig = {
  sole: example,
  shared: { storage: { kind: 'postgres', url: `file:${secretsFolder}/database-url` }, ...example },
} as const satisfies { readonly [kind in StoreKind]: object }
