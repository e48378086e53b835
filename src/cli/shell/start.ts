/** Runs this process's command line: argv in, exit code out. */

import { processIo } from './io.ts'
import { runCli } from './program.ts'

process.exitCode = await runCli(process.argv.slice(2), processIo())
// Whoever reads slowly gets all of it, too: the end of the process would drop what still waits.
for (const stream of [process.stdout, process.stderr]) await new Promise<void>((resolve) => stream.write('', () => resolve()))
// What a plugin started, or a delivery that was broken off, may still be open: nobody waits for it any more.
setTimeout(() => process.exit(), 200).unref()
