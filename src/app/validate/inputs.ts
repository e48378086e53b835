/** What `validate` looks at: a data directory, files, the YAML blocks of documents, standard input. */

import { existsSync, statSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import { type Config, defaultProfile, type Profile, type RouteSource } from '../../config/config.ts'
import { unknownEnv } from '../../config/env.ts'
import { jobsFileName } from '../../config/jobs.ts'
import { type Loaded, loadConfig } from '../../config/load.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { usage } from '../../core/fault.ts'
import type { Effects } from '../../parts/effects.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { type Checked, checkAll, checkConfigured, checkJobs, checkPresence, checkSubscriptions, merge } from '../../plan/check.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { jobParts } from '../../plan/jobs.ts'
import { FileTexts } from '../../plan/review/file-texts.ts'
import { reviewAll } from '../../plan/review/review.ts'
import { reviewContext } from '../../plan/review/review-context.ts'
import type { Sampled } from '../../plan/review/samples/sampled.ts'
import { reviewRepeats } from '../../plan/review/senders.ts'
import { reviewSettings } from '../../plan/review/settings.ts'
import { reviewSharedSecrets } from '../../plan/review/shared-secrets.ts'
import { compileRunner } from '../../plan/runner.ts'
import { withDryEffects } from '../live/effects.ts'
import { checkRouteTests, isTestFile, readSuites, testFilesIn } from '../route-tests/suite.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import { type ChosenSample, chooseSamples } from '../samples/choose-samples.ts'
import type { Workspace } from '../workspace.ts'
import { besideRoute } from './beside-route.ts'
import { blocksOf } from './blocks.ts'
import { hostFindings, programFindings } from './live.ts'
import { trySenderSamples } from './sender-samples.ts'
import { trySamples } from './try-samples.ts'

/** Where findings on standard input are said to be. */
const stdinName = '<stdin>'

export type Inputs = {
  /** Files, documents and data directories to check instead of the one that is worked on; `-` is standard input. */
  readonly paths: readonly string[]
  /** What standard input holds. */
  readonly stdin?: string | undefined
  /** Another file than `<data_dir>/config.yaml`. */
  readonly configFile?: string | undefined
  /** What stands in the configuration file, where that is not read. */
  readonly configText?: string | undefined
  /** The data directory was named: that it holds no configuration is a mistake. */
  readonly asked: boolean
  /** The environment and `.env` are not read, and what they would bring is not missed. */
  readonly withoutEnv?: boolean
  /** What lies beside the files (scripts, lists, jobs, plugins) is not looked for. */
  readonly withoutRefs?: boolean
  /** Samples that are tried on the routes: by name, provider, file or folder. */
  readonly samples?: readonly string[]
  /** The machine is looked at too, and scripts run on the samples. It finds the gateway of a data directory. */
  readonly machine?: (workspace: Workspace) => GatewayFinder
}

/** A sample with the routes that can take it. */
export type SampleUse = { readonly name: string; readonly routes: readonly string[] }

export type CheckedInputs = Checked & {
  readonly samples?: readonly SampleUse[]
  /** What routes name beside their files: lists, and the folders of scripts. */
  readonly beside: readonly string[]
}

/** All that is wrong in what was asked for. Throws a Fault for a path or sample that is not there. */
export const checkInputs = async (workspace: Workspace, inputs: Inputs): Promise<CheckedInputs> => {
  const { paths, configFile } = inputs
  for (const path of [...paths, ...(configFile === undefined ? [] : [configFile])]) {
    if (path !== '-' && !existsSync(path)) throw usage(`no such path: ${path}`)
  }
  return withDryEffects(async (effects) => {
    const check = new InputCheck(inputs.withoutEnv ? { ...workspace, env: unknownEnv } : workspace, inputs, effects)
    const checked: Checked[] = paths.length === 0 ? [await check.folder(workspace.dataDir, inputs.asked)] : []
    for (const path of paths) checked.push(await check.path(path))
    return { ...withShared(checked.reduce(merge)), ...check.samples(), beside: check.beside() }
  })
}

/** With secrets that routes share, of whatever file they are. */
const withShared = (checked: Checked): Checked => ({
  ...checked,
  diagnostics: [...checked.diagnostics, ...reviewSharedSecrets(checked.sources, new FileTexts(checked.texts))],
})

const nothing: Checked = { diagnostics: [], routes: [], files: 0, texts: new Map(), sources: [], jobs: [] }

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

  /** Which routes took each sample; nothing where none was given. */
  samples(): Pick<CheckedInputs, 'samples'> {
    if (this.#inputs.samples === undefined) return {}
    const took = [...this.#tried].map(([{ name }, { taken }]) => ({ name, samples: new Set(taken.map((each) => each.name)) }))
    const routesOf = (sample: string): string[] => took.flatMap(({ name, samples }) => (samples.has(sample) ? name : []))
    return { samples: this.#chosen.map(({ name }) => ({ name, routes: routesOf(name) })) }
  }

  beside(): readonly string[] {
    return [...this.#beside]
  }

  async folder(dataDir: string, asked: boolean): Promise<Checked> {
    const { configFile, configText } = this.#inputs
    const found = loadConfig({ ...this.#workspace, dataDir, configFile, configText })
    const loaded = { ...found, diagnostics: [...checkPresence(dataDir, asked, configFile), ...found.diagnostics] }
    const { catalogue, diagnostics } = await this.#catalogueOf(loaded.config)
    const checked = await this.#reviewed(checkAll(loaded, catalogue, this.#effects), loaded.config, catalogue, diagnostics)
    const whole = merge(checked, await this.#tests(testFilesIn(dataDir)))
    const host = await this.#host({ ...this.#workspace, dataDir }, loaded)
    return withMore({ ...whole, diagnostics: [...whole.diagnostics, ...host] }, loaded, catalogue, {
      effects: this.#effects,
      plugins: diagnostics,
    })
  }

  /** A file of run-time entries is checked against the configuration, every other file as one. */
  async path(written: string): Promise<Checked> {
    const path = resolve(written)
    if (written === '-') return this.#configured(resolve(stdinName), this.#inputs.stdin ?? '')
    if (statSync(path).isDirectory()) return this.folder(path, true)
    if (/^\.(?:md|markdown)$/i.test(extname(path))) return this.#document(path)
    if (isTestFile(path)) return this.#tests([path])
    if (basename(path) === subscriptionsFileName || basename(path) === jobsFileName) return this.#entries(path)
    return this.#configured(path)
  }

  /** Files of tests; what they find out, `headgate test` says. */
  async #tests(files: readonly string[]): Promise<Checked> {
    const suites = files.length > 0 ? await readSuites(this.#workspace, files) : []
    return suites.map(({ diagnostics, texts }) => ({ ...nothing, diagnostics, texts, files: 1 })).reduce(merge, nothing)
  }

  /** `text`: what stands in the file, where that is not read. */
  async #configured(configFile: string, configText?: string): Promise<Checked> {
    const loaded = loadConfig({ ...this.#workspace, configFile, configText })
    const { catalogue, diagnostics } = await this.#catalogueOf(loaded.config)
    const checked = await this.#reviewed(checkConfigured(loaded, catalogue, this.#effects), loaded.config, catalogue, diagnostics)
    return withMore(checked, loaded, catalogue, { effects: this.#effects, plugins: diagnostics })
  }

  async #entries(path: string): Promise<Checked> {
    const { config } = loadConfig({ ...this.#workspace, configFile: this.#inputs.configFile })
    const { catalogue, diagnostics } = await this.#catalogueOf(config)
    if (basename(path) === subscriptionsFileName)
      return this.#reviewed(checkSubscriptions(path, config, catalogue, this.#effects), config, catalogue, diagnostics)
    const profile = profileOf(dirname(path), config)
    return profile ? this.#reviewed(checkJobs(path, profile, jobParts(config, catalogue)), config, catalogue, diagnostics) : nothing
  }

  /** The blocks of a Markdown document, each as a configuration of its own. */
  async #document(path: string): Promise<Checked> {
    const { text, blocks } = blocksOf(path)
    let all: Checked = { ...nothing, files: 1, texts: new Map([[path, text]]) }
    for (const block of blocks) {
      const { diagnostics, routes } = await this.#configured(path, block)
      all = { ...all, diagnostics: [...all.diagnostics, ...diagnostics.filter(isOfBlock)], routes: [...all.routes, ...routes] }
    }
    return all
  }

  async #host(workspace: Workspace, loaded: Loaded): Promise<readonly Diagnostic[]> {
    const { machine } = this.#inputs
    return machine ? hostFindings(workspace, loaded, machine(workspace)) : []
  }

  /** With what compiles but is likely wrong, and with what samples and the machine show. */
  async #reviewed(checked: Checked, config: Config, catalogue: Catalogue, plugins: readonly Diagnostic[]): Promise<Checked> {
    for (const { route } of checked.sources) for (const path of besideRoute(route, config)) this.#beside.add(path)
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

  /** Plugins are programs beside the file: without what is beside it none is loaded. */
  #catalogueOf(config: Config): ReturnType<typeof catalogueOf> {
    return catalogueOf(this.#inputs.withoutRefs ? { ...config, plugins: [] } : config)
  }
}

/** A block shows a part of a file: what it leaves out stands elsewhere. */
const isOfBlock = ({ place, code }: Diagnostic): boolean => place !== undefined && code !== 'WH201'

/** A script that cannot be read lets nothing on: that follows. */
const isUnread = ({ code, route }: Diagnostic, programs: readonly Diagnostic[]): boolean =>
  code === 'WH605' && programs.some((each) => each.code === 'WH604' && each.route === route)

/** The profile that a jobs file belongs to; the default one for a file that lies elsewhere. */
const profileOf = (folder: string, { profiles }: Config): Profile | undefined =>
  [...profiles.values()].find(({ dir }) => dir === folder) ?? profiles.get(defaultProfile)

type More = { readonly effects: Effects; readonly plugins: readonly Diagnostic[] }

/** What is wrong with the plugins, and with the agent's settings, checked by its runner as at start. */
const withMore = (checked: Checked, loaded: Loaded, catalogue: Catalogue, { effects, plugins }: More): Checked => {
  const { diagnostics, owner } = compileRunner(loaded.config, catalogue, effects)
  owner.release()
  return {
    ...checked,
    diagnostics: [
      ...checked.diagnostics,
      ...plugins,
      ...diagnostics,
      ...reviewSettings(loaded, catalogue),
      ...reviewRepeats(checked.sources, loaded, catalogue),
    ],
  }
}
