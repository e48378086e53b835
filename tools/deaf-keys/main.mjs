/** The command `headgate` from its source, with the hooks that make it deaf to a key: what the built one is for tests that run a process. */

await import('tsx')
await import('./register.mjs')
await import('../../src/main.ts')
