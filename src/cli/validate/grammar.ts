/** `validate` and `explain`: their arguments and options. */

import type { CliCommand } from '../shell/cli-command.ts'
import { collectList, collectRepeated, parseLimit, type RunCommand } from '../shell/grammar-values.ts'
import type { ValidateOptions } from './options.ts'

/** Collects the values of `--fix`: codes, separated by commas or by repetition; none where the option stands alone. */
const codes = (value: string, before: unknown): string[] => collectList(value, Array.isArray(before) ? before : [])

export const addValidate = (validate: CliCommand, run: RunCommand): void => {
  validate
    .alias('check')
    .description('check configuration and subscriptions without starting anything; also files, Markdown documents, folders and - (stdin)')
    .examples('validate', 'validate --sample github --env', 'validate examples/*.yaml --format github --deny-warnings')
    .changes('fix_files', ({ fix, diff, writeBaseline }) => (fix !== undefined && diff !== true) || writeBaseline === true)
    .option(
      '--format <name[=file]>',
      'pretty, concise, json, jsonl, github, gitlab, sarif, junit, tap or auto (repeatable)',
      collectRepeated,
    )
    .option('--deny-warnings', 'exit 1 on warnings too')
    .option('--select <codes>', 'only these findings; WH4 stands for all codes that begin with it', collectList)
    .option('--ignore <codes>', 'not these findings', collectList)
    .option('--max <number>', 'show at most so many findings', parseLimit)
    .option('--fix [codes]', 'mend what can be mended safely, or what has these codes (--fix=WH101)', codes)
    .option('--diff', 'show what --fix would change, as a unified diff; write nothing')
    .option('--baseline <file>', 'leave out the findings that this file lists')
    .option('--write-baseline', 'write the present findings into the baseline')
    .option('--sample <name>', 'try payloads on the routes: samples by name or provider, a file, a folder (repeatable)', collectRepeated)
    .option('--env', 'look at the machine too: scripts, logins, port, folder, clock; with --sample scripts run')
    .option('--changed [commit]', 'only files that git says are changed against a commit (HEAD), or does not track')
    .option('--watch', 'check again when a checked file changes; Ctrl-C ends it, with the exit code of the last check')
    .option('--no-env', 'read neither the environment nor .env, and report nothing as missing from them')
    .option('--run-providers', 'ask the programs of secrets.providers; without it exec: references are not checked')
    .option('--no-refs', 'do not look for scripts, lists, jobs and plugins beside the files')
    .option('--config <file>', 'another file than <data_dir>/config.yaml; default: $HEADGATE_CONFIG')
    .action((paths: string[], options: ValidateOptions) =>
      run(async (cli) => (await import('./validate.ts')).validateFiles(paths, options, cli)),
    )
}

export const addExplain = (explain: CliCommand, run: RunCommand): void => {
  explain
    .description('what a finding or an outcome means and what to do; without one: all of them')
    .examples('explain WH403')
    .action((code: string | undefined) => run(async (cli) => (await import('./explain.ts')).explain(code, cli)))
}
