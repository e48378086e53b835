/** Writes the manifests of Kubernetes: the folders of Kustomize and the Helm chart, from the same typed objects. */

import { readFileSync } from 'node:fs'
import { renderChart } from './helm.ts'
import { renderKustomize } from './kustomize.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

const below = (folder: string, texts: { readonly [file: string]: string }): { [file: string]: string } =>
  Object.fromEntries(Object.entries(texts).map(([file, text]) => [`${folder}/${file}`, text]))

/** Returns the texts of the files by their paths. `configSchema`: the bundled schema of `config.yaml`, without texts for people. */
export const renderKubernetes = (configSchema: { readonly [key: string]: unknown }): { readonly [file: string]: string } => ({
  ...below('deploy/kubernetes', renderKustomize(version)),
  ...below('deploy/helm/headgate', renderChart(version, configSchema)),
})
