/**
 * `test [paths...]`: runs the tests of routes and prints their results. Exit 0 when all passed, 1 when a test failed, a file has a mistake,
 * or the tests cover too little, 2 where a path does not exist, or no test.
 */

import { exit, usage } from '../../core/fault.ts'
import { printable } from '../../core/text.ts'
import { runTests } from '../../dryrun/route-tests/run-tests.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { runOnChange } from '../shell/run-on-change.ts'
import type { TestCommandOptions } from './formats.ts'
import { github } from './reports/github.ts'
import { describeRun } from './reports/json.ts'
import { junit } from './reports/junit.ts'
import { pretty } from './reports/pretty.ts'
import { tap } from './reports/tap.ts'

export const test = async (paths: readonly string[], options: TestCommandOptions, cli: Cli): Promise<number> => {
  const once = () => testOnce(paths, options, cli)
  if (!options.watch) return (await once()).exitCode
  const watched = { paths: paths.length > 0 ? paths : [cli.workspace.dataDir], run: async () => (await once()).files }
  return runOnChange(watched, { ...cli, json: cli.json || options.format === 'json' })
}

type TestsRun = { readonly exitCode: number; readonly files: readonly string[] }

const testOnce = async (paths: readonly string[], options: TestCommandOptions, cli: Cli): Promise<TestsRun> => {
  const { name, update = false, coverage: withCoverage = options.min !== undefined, min = 0 } = options
  const run = await runTests(cli.workspace, { paths, name, update })
  const { passed, failed, skipped, covered } = run
  if (passed + failed + skipped === 0) {
    const where = paths.length > 0 ? paths.join(', ') : cli.workspace.dataDir
    const ofFolder = 'of a folder, its config.yaml and *.webhook-test.yaml are read; name other configurations one by one: folder/*.yaml'
    const hint = `write *.webhook-test.yaml files, or "tests" of a route (docs/tests.md)\n${ofFolder}`
    throw usage(`there is no test${name === undefined ? '' : ` with "${name}" in its name`} in ${where}`, hint)
  }
  const format = options.format ?? (cli.json ? 'json' : 'pretty')
  const shown = withCoverage ? run.coverage : []
  const text = {
    pretty: () => pretty(run, { coverage: shown, covered, paint: paintWith(cli.io.colour) }),
    tap: () => tap(run),
    junit: () => junit(run),
    github: () => github(run),
    json: () => '',
  }[format]()
  if (withCoverage && covered < min) cli.io.stderr(`${printable(`coverage is ${covered} %: less than ${min} %`)}\n`)
  const exitCode = failed > 0 || covered < min ? exit.no : exit.ok
  answer({ ...cli, json: format === 'json' }, { kind: 'test', data: describeRun(run, withCoverage), text, exitCode })
  return { exitCode, files: run.files }
}
