/** Checks the inputs of `validate`: a data directory, files, the YAML blocks of documents, and standard input. */

import { existsSync, statSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import { type Config, defaultProfile, type Profile, type RouteSource } from '../../config/config.ts'
import { unknownEnv } from '../../config/env.ts'
import { isRoutesFile } from '../../config/include/read-included.ts'
import { jobsFileName } from '../../config/jobs.ts'
import { type Loaded, type LoadOptions, loadConfig, unreadIn } from '../../config/load.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { usage } from '../../core/fault.ts'
import { filesBesideRoute } from '../../datadir/beside-route.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import { withSecrets } from '../../datadir/secrets/with-secrets.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { checkRouteTests, isTestFile, readSuites, testFilesIn } from '../../dryrun/route-tests/suite.ts'
import { type ChosenSample, chooseSamples } from '../../dryrun/samples/choose-samples.ts'
import { withDryEffects } from '../../dryrun/trace/dry-effects.ts'
import { checkFeatures } from '../../features/features.ts'
import type { Effects } from '../../parts/effects.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { type Checked, checkAll, checkConfigured, checkJobs, checkPresence, checkSubscriptions, merge } from '../../plan/check.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { jobParts } from '../../plan/jobs.ts'
import { FileTexts } from '../../plan/review/file-texts.ts'
import { reviewAll } from '../../plan/review/review.ts'
import { reviewContext } from '../../plan/review/review-context.ts'
import type { Sampled } from '../../plan/review/sampled.ts'
import { reviewSharedSecrets } from '../../plan/review/secrets/shared-secrets.ts'
import { withFindingsBesideRoutes } from './beside-routes.ts'
import { blocksOf } from './blocks.ts'
import { hostFindings, programFindings } from './live.ts'
import { trySenderSamples } from './sender-samples.ts'
import { trySamples } from './try-samples.ts'

/** Returns what a check found in one file. */
const onlyFile = (checked: Checked, path: string): Checked => ({
  ...checked,
  diagnostics: checked.diagnostics.filter(({ place }) => place?.file === path),
  routes: checked.routes.filter(({ file }) => file === path),
  files: 1,
  texts: new Map([...checked.texts].filter(([file]) => file === path)),
  sources: checked.sources.filter(({ route }) => route.included === path),
  jobs: [],
})

const stdinName = '<stdin>'

export type Inputs = {
  /** Files, documents and data directories to check. Empty: the workspace's data directory. `-` is standard input. */
  readonly paths: readonly string[]
  /** The text of standard input. */
  readonly stdin?: string | undefined
  /** The file to read in place of `<data_dir>/config.yaml`. */
  readonly configFile?: string | undefined
  /** Texts to check in place of those of the files of the configuration. */
  readonly texts?: LoadOptions['texts']
  /** Whether the user named the data directory. Then a missing configuration is an error. */
  readonly asked: boolean
  /** Whether the environment and `.env` are not read. No variable counts as missing then. */
  readonly withoutEnv?: boolean
  /** Whether the programs of `secrets.providers` are asked. Otherwise references to their secrets are not checked. */
  readonly runProviders?: boolean
  /** Whether files beside the checked files (scripts, lists, jobs, plugins) are not looked for. */
  readonly withoutRefs?: boolean
  /** Samples to try on the routes: names, providers, files or folders. */
  readonly samples?: readonly string[]
  /**
   * Returns the finder of the gateway that runs for a data directory. Where `machine` is given, the machine is checked too, and scripts run
   * on the samples.
   */
  readonly machine?: (workspace: Workspace) => GatewayFinder
}

/** A sample with the routes that took it. */
type SampleUse = { readonly name: string; readonly routes: readonly string[] }

export type CheckedInputs = Checked & {
  readonly samples?: readonly SampleUse[]
  /** The files and folders on which routes depend: lists, and the folders of scripts. */
  readonly beside: readonly string[]
}

/** Checks all inputs. Throws a Fault for a path or sample that is missing or not usable. */
export const checkInputs = async (workspace: Workspace, inputs: Inputs): Promise<CheckedInputs> => {
  const { paths, configFile } = inputs
  for (const path of [...paths, ...(configFile === undefined ? [] : [configFile])]) {
    if (path !== '-' && !existsSync(path)) throw usage(`no such path: ${path}`)
  }
  return withDryEffects(async (effects) => {
    const check = new InputCheck(inputs.withoutEnv ? { ...workspace, env: unknownEnv } : workspace, inputs, effects)
    const checked: Checked[] = paths.length === 0 ? [await check.folder(workspace.dataDir, inputs.asked)] : []
    for (const path of paths) checked.push(await check.path(path))
    return { ...withSharedSecrets(checked.reduce(merge)), ...check.samples(), beside: check.beside() }
  })
}

const withFindings = (checked: Checked, found: readonly Diagnostic[]): Checked => ({
  ...checked,
  diagnostics: [...checked.diagnostics, ...found],
})

/** Adds the findings about secrets that several routes share, even routes of different files. */
const withSharedSecrets = (checked: Checked): Checked =>
  withFindings(checked, reviewSharedSecrets(checked.sources, new FileTexts(checked.texts)))

const nothingChecked: Checked = { diagnostics: [], routes: [], files: 0, texts: new Map(), sources: [], jobs: [] }

/** Checks one input after the other, and notes which routes took the samples and on which files beside the inputs the routes depend. */
class InputCheck {
  readonly #workspace: Workspace
  readonly #inputs: Inputs
  readonly #effects: Effects
  readonly #chosen: readonly ChosenSample[]
  readonly #tried = new Map<RouteSource, Sampled>()
  readonly #beside = new Set<string>()

  constructor(workspace: Workspace, inputs: Inputs, effects: Effects) {
    this.#effects = effects
    this.#workspace = workspace
    this.#inputs = inputs
    this.#chosen = chooseSamples(workspace, inputs.samples ?? [])
  }

  /** Returns the routes that took each sample; empty where no samples were asked for. */
  samples(): Pick<CheckedInputs, 'samples'> {
    if (this.#inputs.samples === undefined) return {}
    const took = [...this.#tried].map(([{ name }, { taken }]) => ({ name, samples: new Set(taken.map((each) => each.name)) }))
    const routesOf = (sample: string): string[] => took.flatMap(({ name, samples }) => (samples.has(sample) ? name : []))
    return { samples: this.#chosen.map(({ name }) => ({ name, routes: routesOf(name) })) }
  }

  /** The file of `--config`, where it was given: it goes before that of the workspace. */
  get #given(): Pick<LoadOptions, 'configFile'> {
    const { configFile } = this.#inputs
    return configFile === undefined ? {} : { configFile }
  }

  /** Returns the files and folders on which the checked routes depend. */
  beside(): readonly string[] {
    return [...this.#beside]
  }

  /** Checks a data directory: its configuration, subscriptions, jobs and files of tests. `asked`: the user named the directory. */
  async folder(dataDir: string, asked: boolean): Promise<Checked> {
    const { texts } = this.#inputs
    const configFile = this.#inputs.configFile ?? (dataDir === this.#workspace.dataDir ? this.#workspace.configFile : undefined)
    const configuration = await this.#load({ dataDir, configFile, texts })
    const loaded = { ...configuration, diagnostics: [...checkPresence(dataDir, asked, configFile), ...configuration.diagnostics] }
    const { catalogue, diagnostics } = await this.#catalogueOf(loaded.config)
    const all = checkAll(loaded, catalogue, this.#effects)
    const names = new Set(all.routes.map(({ name }) => name))
    const withFeatures = withFindings(
      all,
      checkFeatures(loaded.config, catalogue.targets, (name) => names.has(name)),
    )
    const checked = await this.#reviewed(withFeatures, loaded.config, catalogue, diagnostics)
    const whole = merge(checked, await this.#tests(testFilesIn(dataDir)))
    const host = await this.#host({ ...this.#workspace, dataDir }, loaded)
    return withFindingsBesideRoutes({ ...whole, diagnostics: [...whole.diagnostics, ...host] }, loaded, catalogue, {
      effects: this.#effects,
      plugins: diagnostics,
    })
  }

  /**
   * Checks a path: a folder as a data directory, a Markdown document by its blocks, a file of tests by its shape, a file of subscriptions,
   * jobs or routes against the configuration. Any other file, and standard input (`-`), is a configuration itself.
   */
  async path(written: string): Promise<Checked> {
    const path = resolve(written)
    if (written === '-') return this.#configured(resolve(stdinName), this.#inputs.stdin ?? '')
    if (statSync(path).isDirectory()) return this.folder(path, true)
    if (/^\.(?:md|markdown)$/i.test(extname(path))) return this.#document(path)
    if (isTestFile(path)) return this.#tests([path])
    if (basename(path) === subscriptionsFileName || basename(path) === jobsFileName) return this.#entries(path)
    if (isRoutesFile(path)) return this.#included(path)
    return this.#configured(path)
  }

  /** Checks the shape of files of tests. `headgate test` runs them. */
  async #tests(files: readonly string[]): Promise<Checked> {
    const suites = files.length > 0 ? await readSuites(this.#workspace, files) : []
    return suites.map(({ diagnostics, texts }) => ({ ...nothingChecked, diagnostics, texts, files: 1 })).reduce(merge, nothingChecked)
  }

  /** Checks a configuration. `text`: a text to check in place of the text of the file. */
  async #configured(configFile: string, text?: string): Promise<Checked> {
    const loaded = await this.#load({ configFile, texts: text === undefined ? undefined : new Map([[configFile, text]]) })
    const { catalogue, diagnostics } = await this.#catalogueOf(loaded.config)
    const configured = checkConfigured(loaded, catalogue, this.#effects)
    const withFeatures = withFindings(configured, checkFeatures(loaded.config, catalogue.targets))
    const checked = await this.#reviewed(withFeatures, loaded.config, catalogue, diagnostics)
    return withFindingsBesideRoutes(checked, loaded, catalogue, { effects: this.#effects, plugins: diagnostics })
  }

  /** Checks a file of routes as a part of the configuration, whether or not the configuration includes it. */
  async #included(path: string): Promise<Checked> {
    const loaded = await this.#load({ ...this.#given, include: path })
    const { catalogue, diagnostics } = await this.#catalogueOf(loaded.config)
    const routes = onlyFile(checkConfigured(loaded, catalogue, this.#effects), path)
    const reviewed = await this.#reviewed(routes, loaded.config, catalogue, diagnostics)
    const plans = { effects: this.#effects, plugins: diagnostics }
    const { diagnostics: found } = onlyFile(withFindingsBesideRoutes(reviewed, loaded, catalogue, plans), path)
    // Where the configuration cannot be read, the file was checked without it.
    return { ...reviewed, diagnostics: [...new Set([...found, ...unreadIn(loaded)])] }
  }

  /** Checks a file of subscriptions or jobs against the configuration. */
  async #entries(path: string): Promise<Checked> {
    const { config } = await this.#load(this.#given)
    const { catalogue, diagnostics } = await this.#catalogueOf(config)
    if (basename(path) === subscriptionsFileName)
      return this.#reviewed(checkSubscriptions(path, config, catalogue, this.#effects), config, catalogue, diagnostics)
    const profile = profileOf(dirname(path), config)
    return profile ? this.#reviewed(checkJobs(path, profile, jobParts(config, catalogue)), config, catalogue, diagnostics) : nothingChecked
  }

  /** Checks the blocks of a Markdown document, each as a configuration of its own. */
  async #document(path: string): Promise<Checked> {
    const { text, blocks } = blocksOf(path)
    let all: Checked = { ...nothingChecked, files: 1, texts: new Map([[path, text]]) }
    for (const block of blocks) {
      const { diagnostics, routes } = await this.#configured(path, block)
      all = { ...all, diagnostics: [...all.diagnostics, ...diagnostics.filter(isOfBlock)], routes: [...all.routes, ...routes] }
    }
    return all
  }

  /** Loads a configuration. Only files name programs that are run: a text may be the example of a document, or come from elsewhere. */
  async #load(of: Partial<LoadOptions>): Promise<Loaded> {
    const options = { ...this.#workspace, ...of }
    return loadConfig(this.#inputs.runProviders && of.texts === undefined ? await withSecrets(options) : options)
  }

  async #host(workspace: Workspace, loaded: Loaded): Promise<readonly Diagnostic[]> {
    const { machine } = this.#inputs
    return machine ? hostFindings(workspace, loaded, machine(workspace)) : []
  }

  /**
   * Adds further findings to the result of a check: of the review, of the tried samples, of the programs of the machine, and of the tests
   * beside routes.
   */
  async #reviewed(checked: Checked, config: Config, catalogue: Catalogue, plugins: readonly Diagnostic[]): Promise<Checked> {
    for (const { route } of checked.sources) for (const path of filesBesideRoute(route, config)) this.#beside.add(path)
    const programs = this.#inputs.machine ? await programFindings(checked, config) : []
    const routes = this.#chosen.length > 0 ? checked.sources.map(({ route }) => route) : []
    const samples = await trySamples(routes, config, catalogue, { samples: this.#chosen, runScripts: this.#inputs.machine !== undefined })
    for (const [route, sampled] of samples) this.#tried.set(route, sampled)
    const around = reviewContext(config, catalogue, checked.texts, [...checked.diagnostics, ...plugins])
    const found = reviewAll(checked, { ...around, samples, senderSamples: this.#senderSamples(checked, catalogue) }).filter(
      (each) => !isUnread(each, programs),
    )
    const tests = checked.sources.flatMap(({ route }) => checkRouteTests(route))
    return { ...checked, diagnostics: [...checked.diagnostics, ...programs, ...found, ...tests] }
  }

  #senderSamples({ sources }: Checked, catalogue: Catalogue): ReadonlyMap<RouteSource, Sampled> {
    const routes = sources.map(({ route }) => route)
    return trySenderSamples(routes, catalogue, { workspace: this.#workspace, withoutRefs: this.#inputs.withoutRefs })
  }

  /** Returns the parts that the configuration may use. Plugins are programs beside its file, so with `withoutRefs` no plugin is loaded. */
  #catalogueOf(config: Config): ReturnType<typeof catalogueOf> {
    return catalogueOf(this.#inputs.withoutRefs ? { ...config, plugins: [] } : config)
  }
}

/**
 * Whether a finding counts for a block of a document. A block often shows only a part of a configuration, so a missing secret (WH201) does
 * not count.
 */
const isOfBlock = ({ place, code }: Diagnostic): boolean => place !== undefined && code !== 'WH201'

/** Whether a finding is about a script that lets no sample on (WH605), while WH604 says already that the script cannot be read. */
const isUnread = ({ code, route }: Diagnostic, programs: readonly Diagnostic[]): boolean =>
  code === 'WH605' && programs.some((each) => each.code === 'WH604' && each.route === route)

/** Returns the profile of a jobs file's folder; the default profile for any other folder. */
const profileOf = (folder: string, { profiles }: Config): Profile | undefined =>
  [...profiles.values()].find(({ dir }) => dir === folder) ?? profiles.get(defaultProfile)
