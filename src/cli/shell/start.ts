/** Runs the command line of this process: argv in, exit code out. Loading this module is the run. */

import { unrefClock } from '../../core/clock.ts'
import { runCli } from '../program.ts'
import { processIo } from './io.ts'

process.exitCode = await runCli(process.argv.slice(2), processIo())
// The end of the process would drop text that no reader has taken yet, so the process waits until all text is taken.
for (const stream of [process.stdout, process.stderr]) await new Promise<void>((resolve) => stream.write('', () => resolve()))
// A plugin or an aborted delivery may still hold something open, which must not keep the process alive.
unrefClock.after(200, () => process.exit())
