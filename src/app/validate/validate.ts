/** Everything that is wrong, at once, by the code that serves; then what its user has decided to live with is taken out. */

import { catalogue, type Diagnostic } from '../../core/diagnostic.ts'
import type { Checked } from '../../plan/check.ts'
import type { Workspace } from '../workspace.ts'
import { outsideBaseline, readBaseline, writeBaseline } from './baseline.ts'
import { type ChangedFiles, changedFiles } from './changed-files.ts'
import { type CodeChoice, isChosen } from './codes.ts'
import { type Findings, findingsOf } from './findings.ts'
import { withoutToolsets } from './fixes.ts'
import { applyIgnores } from './ignores.ts'
import { type CheckedInputs, checkInputs, type Inputs } from './inputs.ts'

export type ToValidate = Inputs & {
  /** Only what stands in files that git says are changed against this commit, or does not track. */
  readonly changed?: string | undefined
  readonly codes?: CodeChoice
  /** A file of findings that are not said again; `write`: what is found now is put into it first. */
  readonly baseline?: { readonly file: string; readonly write: boolean } | undefined
}

export type Validated = Findings & {
  readonly routes: Checked['routes']
  /** How many files were read. */
  readonly files: number
  /** Texts of the files, for code frames. */
  readonly texts: Checked['texts']
  /** How many findings comments and the baseline took out. */
  readonly suppressed: number
  /** The files that were looked at, and folders beside them; those too that have not changed. */
  readonly looked: readonly string[]
  /** Which routes took each sample; absent where none was asked for. */
  readonly samples?: CheckedInputs['samples']
}

/** Throws a usage Fault for a path that is not there, and for a baseline that is none. */
export const validate = async (workspace: Workspace, wanted: ToValidate): Promise<Validated> => {
  const { codes = {}, withoutRefs = false, withoutEnv = false } = wanted
  const changed = await changedOf(workspace, wanted)
  const checked = await checkInputs(workspace, wanted)
  const { diagnostics, routes, files, texts, samples } = changed ? onlyIn(changed, checked) : checked
  const found = withoutRefs ? diagnostics.filter(isInside) : diagnostics
  // What a partial check does not look for, a comment is not told to be about in vain.
  const ignored = applyIgnores(found, texts, { reportUnused: !withoutRefs && !withoutEnv })
  const news = await newSince(wanted.baseline, ignored.kept, workspace.dataDir)
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

/** Asks git before anything is checked: what it refuses is said at once, and what changes meanwhile is for the next look. */
const changedOf = async ({ dataDir, env }: Workspace, { changed, paths }: ToValidate): Promise<ChangedFiles | undefined> =>
  changed === undefined ? undefined : changedFiles(paths.length > 0 ? paths : [dataDir], changed, env)

/** What is about no file stays where any file has changed. */
const onlyIn = (files: ChangedFiles, checked: CheckedInputs): CheckedInputs => {
  const texts = new Map([...checked.texts].filter(([file]) => files.has(file)))
  const diagnostics = checked.diagnostics.filter(({ place }) => (place ? files.has(place.file) : texts.size > 0))
  return { ...checked, diagnostics, texts, files: texts.size, routes: checked.routes.filter(({ file }) => files.has(file)) }
}

const newSince = async (baseline: ToValidate['baseline'], found: readonly Diagnostic[], folder: string): Promise<readonly Diagnostic[]> => {
  if (!baseline) return found
  if (baseline.write) await writeBaseline(baseline.file, found, folder)
  return outsideBaseline(found, readBaseline(baseline.file), folder)
}

/** About the checked files themselves, not about what lies beside them. */
const isInside = ({ code }: Diagnostic): boolean => !('outside' in catalogue[code])
