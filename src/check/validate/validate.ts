/**
 * Collects all findings by the gateway's own checks, by reviews, and by trials of samples, and takes out the findings that the user accepts
 * by ignore comments or by the baseline.
 */

import { type Diagnostic, isOutside } from '../../core/diagnostic.ts'
import { type Findings, findingsOf } from '../../core/findings.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { Checked } from '../../plan/check.ts'
import { outsideBaseline, readBaseline, writeBaseline } from './baseline.ts'
import { type ChangedFiles, changedFiles } from './changed-files.ts'
import { type CodeChoice, isChosen } from './codes.ts'
import { withoutToolsets } from './fixes.ts'
import { applyIgnores } from './ignores.ts'
import { type CheckedInputs, checkInputs, type Inputs } from './inputs.ts'

export type ToValidate = Inputs & {
  /** A commit. Only findings in files that differ from the commit, or that git does not track, are returned. */
  readonly changed?: string | undefined
  readonly codes?: CodeChoice
  /** A file of accepted findings. `write`: the present findings are written into it first. */
  readonly baseline?: { readonly file: string; readonly write: boolean } | undefined
}

export type Validated = Findings & {
  readonly routes: Checked['routes']
  /** The number of files that were read; with `changed`, of the changed files among them. */
  readonly files: number
  /** The texts of the files, from which the lines around a finding are shown. */
  readonly texts: Checked['texts']
  /** The number of findings that comments and the baseline took out. */
  readonly suppressed: number
  /** The files that were checked, and the files and folders on which routes depend. Files that `changed` leaves out are here, too. */
  readonly looked: readonly string[]
  /** The routes that took each sample; absent where no samples were asked for. */
  readonly samples?: CheckedInputs['samples']
}

/**
 * Checks all inputs. Throws a Fault for a path or sample that is missing or not usable, for a file that is no baseline, and where git
 * cannot tell what has changed.
 */
export const validate = async (workspace: Workspace, wanted: ToValidate): Promise<Validated> => {
  const { codes = {}, withoutRefs = false, withoutEnv = false } = wanted
  const changed = await askChangedFiles(workspace, wanted)
  const checked = await checkInputs(workspace, wanted)
  const { diagnostics, routes, files, texts, samples } = changed ? onlyChanged(changed, checked) : checked
  const relevant = withoutRefs ? diagnostics.filter(({ code }) => !isOutside(code)) : diagnostics
  // After a partial check no ignore comment is reported as unused, because the check for its finding may not have run.
  const ignored = applyIgnores(relevant, texts, { reportUnused: !withoutRefs && !withoutEnv })
  const news = await beyondBaseline(wanted.baseline, ignored.kept, workspace.dataDir)
  const chosen = news.filter(({ code }) => isChosen(code, codes)).map(withoutToolsets)
  return {
    ...findingsOf(chosen),
    routes,
    files,
    texts,
    suppressed: ignored.suppressed + ignored.kept.length - news.length,
    looked: [...checked.texts.keys(), ...checked.beside],
    ...(samples ? { samples } : {}),
  }
}

/** Asks git before anything is checked, so that faults of git come at once. A file that changes meanwhile counts for the next check. */
const askChangedFiles = async ({ dataDir, env }: Workspace, { changed, paths }: ToValidate): Promise<ChangedFiles | undefined> =>
  changed === undefined ? undefined : changedFiles(paths.length > 0 ? paths : [dataDir], changed, env)

/** Returns the findings, texts and routes of changed files alone. A finding without a file stays where at least one file has changed. */
const onlyChanged = (files: ChangedFiles, checked: CheckedInputs): CheckedInputs => {
  const texts = new Map([...checked.texts].filter(([file]) => files.has(file)))
  const diagnostics = checked.diagnostics.filter(({ place }) => (place ? files.has(place.file) : texts.size > 0))
  return { ...checked, diagnostics, texts, files: texts.size, routes: checked.routes.filter(({ file }) => files.has(file)) }
}

/** Returns the findings that the baseline does not accept; all findings where there is no baseline. */
const beyondBaseline = async (
  baseline: ToValidate['baseline'],
  found: readonly Diagnostic[],
  folder: string,
): Promise<readonly Diagnostic[]> => {
  if (!baseline) return found
  if (baseline.write) await writeBaseline(baseline.file, found, folder)
  return outsideBaseline(found, readBaseline(baseline.file), folder)
}
