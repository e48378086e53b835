/** Tells editors the schema of each file of a data directory. The schemas are installed beside the files, so no network is needed. */

import { lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { includedFiles } from '../../config/include/included-files.ts'
import { refuseOdd, refuseReadOnly, replaceFile } from '../../config/writing/replace-file.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import { configFile, type Workspace } from '../../datadir/workspace.ts'
import { type Associations, withAssociations } from './editor-settings.ts'
import { type ModelineForm, withModeline } from './modeline.ts'
import { bundleText, referenceTo, type SchemaName, sampleText, schemaFile } from './schemas.ts'

export type SchemaOptions = {
  /** The forms of the modeline to write at the top of `config.yaml`. */
  readonly modelines: readonly ModelineForm[]
  /** Whether to write `.vscode/settings.json`, and the schemas that it names. */
  readonly vscode: boolean
}

export type WrittenFile = { readonly file: string; readonly did: 'wrote' | 'changed' | 'kept' }

/**
 * Writes the files, and returns each file with what was done to it. Throws a Fault before any file is written where one of them may not be
 * written, and while the files are written where one of them has changed meanwhile.
 */
export const installSchema = async (workspace: Workspace, options: SchemaOptions): Promise<readonly WrittenFile[]> => {
  const { dataDir, self } = workspace
  const config = configFile(workspace)
  const included = includedFiles(config)
  const changes = [
    plannedChange(join(dataDir, schemaFile), () => bundleText()),
    ...(options.modelines.length > 0 ? [modelineChange(config, options.modelines, self)] : []),
    ...(options.modelines.includes('yaml-language-server') ? included.files.flatMap((file) => includedChange(dataDir, file)) : []),
    ...(options.vscode ? vsCodeChanges(dataDir, included.written) : []),
  ]
  const written: WrittenFile[] = []
  for (const each of changes) written.push(await writeChange(each))
  return written
}

type FileChange = { readonly file: string; readonly before: string | undefined; readonly after: string }

const plannedChange = (file: string, make: (before: string | undefined) => string): FileChange => {
  const before = textOrNone(file)
  const after = make(before)
  if (after !== before) refuseReadOnly(file)
  return { file, before, after }
}

const modelineChange = (file: string, forms: readonly ModelineForm[], self: string): FileChange =>
  plannedChange(file, (before) => {
    if (before === undefined)
      throw new Fault('no_config', `there is no ${file}`, { exitCode: exit.notFound, hint: `${self} gateway setup --yes makes one` })
    return forms.reduce((text, form) => withModeline(text, `./${schemaFile}`, form), before)
  })

/**
 * Returns the change of an included file, whose schema is a part of the bundle. Of the editors that read modelines, those with the YAML
 * language server take a part of a file. A link or a file of JSON is left alone.
 */
const includedChange = (dataDir: string, file: string): FileChange[] => {
  if (!/\.ya?ml$/.test(file) || lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return []
  const schema = `${relative(dirname(file), join(dataDir, schemaFile))}${referenceTo('routes')}`
  return [
    plannedChange(file, (before = '') => withModeline(before, schema.startsWith('.') ? schema : `./${schema}`, 'yaml-language-server')),
  ]
}

/**
 * Returns the changes for VS Code: its settings, and a schema file for each kind of file besides `config.yaml`. Except for the schema of
 * samples, each schema only refers to a part of the bundle, because not every editor takes a part of a file as a schema.
 */
const vsCodeChanges = (dataDir: string, include: readonly string[]): FileChange[] => {
  const folder = join(dataDir, '.vscode')
  const referringSchema = (name: SchemaName): string => `${JSON.stringify({ $ref: `../${schemaFile}${referenceTo(name)}` })}\n`
  const schemas: readonly (readonly [name: SchemaName, text: string])[] = [
    ['routes', referringSchema('routes')],
    ['subscriptions', referringSchema('subscriptions')],
    ['jobs', referringSchema('jobs')],
    ['tests', referringSchema('tests')],
    ['sample', sampleText()],
  ]
  const settings = join(folder, 'settings.json')
  return [
    ...schemas.map(([name, text]) => plannedChange(join(folder, fileOf(name)), () => text)),
    plannedChange(settings, (before) => withAssociations(settings, before ?? '', associationsWith(include))),
  ]
}

const fileOf = (name: SchemaName): string => `headgate.${name}.schema.json`

/** Returns which schema describes which files of the data directory. `include`: the paths of included files, from the data directory. */
const associationsWith = (include: readonly string[]): Associations => ({
  yaml: [
    { schema: `./${schemaFile}`, files: ['/config.yaml', '/profiles/*/config.yaml'] },
    {
      schema: `./.vscode/${fileOf('routes')}`,
      files: include.length > 0 ? include.map((path) => `/${path.replace(/^\.\//, '')}`) : ['/routes.d/*.yaml'],
    },
    { schema: `./.vscode/${fileOf('tests')}`, files: ['*.webhook-test.yaml', '*.webhook-test.yml'] },
  ],
  json: [
    { schema: `./.vscode/${fileOf('subscriptions')}`, files: ['/webhook_subscriptions.json'] },
    { schema: `./.vscode/${fileOf('jobs')}`, files: ['/cron_jobs.json', '/profiles/*/cron_jobs.json'] },
    { schema: `./.vscode/${fileOf('sample')}`, files: ['/samples/*/*.json'] },
  ],
})

/** Reads a file; `undefined` where there is no file. Throws a Fault where the file cannot be read, or is not UTF-8. */
const textOrNone = (file: string): string | undefined => {
  refuseOdd(file)
  if (!statSync(file, { throwIfNoEntry: false })) return undefined
  try {
    const bytes = readFileSync(file)
    const text = bytes.toString('utf8')
    // Writing a text that is not UTF-8 back would change other bytes, too.
    if (!Buffer.from(text).equals(bytes))
      throw new Fault('not_utf8', `${file} is not UTF-8: it is not touched`, { exitCode: exit.conflict })
    return text
  } catch (error) {
    throw diskFault('read', file, error)
  }
}

/** Writes a file as a whole, with the mode that it has. Throws a Fault where it has changed meanwhile. */
const writeChange = async ({ file, before, after }: FileChange): Promise<WrittenFile> => {
  if (before === after) return { file, did: 'kept' }
  try {
    if (textOrNone(file) !== before)
      throw new Fault('conflict', `${file} has changed meanwhile: it is not touched`, { exitCode: exit.conflict, hint: 'try again' })
    if (before === undefined) await replaceFile(file, after)
    else await replaceFile(file, after, statSync(file).mode & 0o777)
  } catch (error) {
    throw diskFault('write', file, error)
  }
  return { file, did: before === undefined ? 'wrote' : 'changed' }
}
