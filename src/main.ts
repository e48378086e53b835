#!/usr/bin/env node
/**
 * The entry of the program `headgate`. It checks the version of Node before it loads the command line, so that an old Node gets a plain
 * message. This file itself must run on Node 12, so it imports nothing.
 */

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 20 || (major === 20 && minor >= 20)) {
  void import('./cli/shell/start.ts')
} else {
  process.stderr.write(`headgate needs Node 20.20 or later, this is ${process.versions.node}\n`)
  process.exitCode = 1
}
