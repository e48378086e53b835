/** Explains the codes of settings for metrics, telemetry and the console. */

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
  WH241: {
    means: 'The console listens on an address that other machines reach, and console.auth is missing.',
    why: 'The console shows and changes all that the commands do. The gateway and headgate console do not start with it.',
    fix: 'Add console.auth and console.public_origin. Or leave console.host out, and forward the port: ssh -L 8645:127.0.0.1:8645 host.',
    example: {
      of: 'config',
      bad: 'console: { enabled: true, host: 0.0.0.0 }\n',
      good:
        'console: { enabled: true, host: 0.0.0.0, public_origin: "https://hooks.example.com", proxies: [10.0.0.7], ' +
        'auth: { forward: { secret: "${PROXY_SECRET:-0123456789abcdef}" }, roles: { operator: [ops] } } }\n',
    },
  },
  WH242: {
    means: 'The public origin of the console is no https address, or a way to sign in lacks a setting that it needs.',
    why: 'Nobody could sign in, or sign-ins could be read on their way. The gateway and headgate console do not start with it.',
    fix: 'Do what the message says; docs/console.md has an example for each way to sign in.',
    example: {
      of: 'config',
      bad: 'console: { public_origin: "http://hooks.example.com" }\n',
      good: 'console: { public_origin: "https://hooks.example.com" }\n',
    },
  },
} as const satisfies { readonly [code: string]: Explanation }
