/** Explains the codes of settings for metrics and telemetry. */

import type { Explanation } from './explanation.ts'

export const observingExplanations = {
  WH234: {
    means: 'Telemetry is to be sent, and the address of its receiver is no http or https address, or has a user name in it.',
    why: 'The gateway serves, but nobody gets its traces and pushed metrics.',
    fix: 'Write telemetry.otlp.endpoint as http://host:4318, and put a key under telemetry.otlp.headers.',
    example: {
      of: 'config',
      bad: 'telemetry: { otlp: { endpoint: "collector:4318" } }\n',
      good: 'telemetry: { otlp: { endpoint: "http://collector:4318" } }\n',
    },
  },
  WH240: {
    means: 'The listener for metrics is reached by other machines, and asks for no token.',
    why: 'Whoever reaches the port reads the names of routes and targets, and how much comes through them.',
    fix: 'Add metrics.token, or leave metrics.host as it is. Behind a network that keeps strangers away, ignore the finding.',
    example: {
      of: 'config',
      bad: 'metrics: { enabled: true, host: 0.0.0.0 }\n',
      good: 'metrics: { enabled: true, host: 0.0.0.0, token: "${METRICS_TOKEN}" }\n',
    },
  },
} as const satisfies { readonly [code: string]: Explanation }
