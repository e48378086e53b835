#!/usr/bin/env node
/** The command. Nothing is imported, and nothing newer than Node 12 is written here, before it is known that this Node can load the rest. */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 20)) {
  void import('./cli/shell/start.ts')
} else {
  process.stderr.write(`headgate needs Node 20.20 or later, this is ${process.versions.node}\n`)
  process.exitCode = 1
}
