#!/usr/bin/env node
/** The command: argv in, exit code out. */

import { processIo } from './cli/io.ts'
import { runCli } from './cli/program.ts'

process.exitCode = await runCli(process.argv.slice(2), processIo())
