/**
 * Runs the command `headgate` from its source, with the hooks that make it deaf to a key. Tests that run a process run this in place of the
 * built command.
 */

await import('tsx')
await import('./register.mjs')
await import('../../src/main.ts')
