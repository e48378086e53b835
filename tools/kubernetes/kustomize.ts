/** Writes the folders of Kustomize: what both kinds of store have, each kind, and the component that Prometheus' operator reads. */

import { stringify } from 'yaml'
import { defaults } from '../../src/generated/defaults.ts'
import { exampleConfig, type StoreKind } from './configuration.ts'
import { networkPolicy, service, serviceMonitor } from './network.ts'
import { noticeSeconds, stopSeconds, type Values } from './values.ts'
import { autoscaler, deployment, disruptionBudget, statefulSet } from './workloads.ts'

const name = 'headgate'
const selector = { 'app.kubernetes.io/name': name }

const values: Values = {
  name,
  secretName: 'headgate-secrets',
  labels: selector,
  selector,
  image: name,
  imagePullPolicy: 'IfNotPresent',
  graceSeconds: defaults.gateway.drain_seconds + noticeSeconds + stopSeconds,
  resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '768Mi' } },
  env: [],
  storageSize: '5Gi',
  minReplicas: 2,
  maxReplicas: 6,
  monitoringNamespace: 'monitoring',
}

const written = '# Written by `npm run gen` from tools/kubernetes/. docs/kubernetes.md says how to use it.\n'
const yaml = (value: object): string => `${written}${stringify(value, { lineWidth: 0 })}`

const kustomization = (kind: 'Kustomization' | 'Component', more: object): string =>
  yaml({ apiVersion: kind === 'Component' ? 'kustomize.config.k8s.io/v1alpha1' : 'kustomize.config.k8s.io/v1beta1', kind, ...more })

/** The files of a kind of store. The ConfigMap keeps its name, so that a change is read by the pods that run and starts no others. */
const ofKind = (kind: StoreKind, manifests: { readonly [file: string]: object }, version: string): { [file: string]: string } => ({
  [`${kind}/kustomization.yaml`]: kustomization('Kustomization', {
    resources: ['../base', ...Object.keys(manifests)],
    configMapGenerator: [{ name, files: ['config.yaml'] }],
    generatorOptions: { disableNameSuffixHash: true },
    images: [{ name, newName: name, newTag: version }],
  }),
  [`${kind}/config.yaml`]: stringify(exampleConfig[kind], { lineWidth: 0 }),
  ...Object.fromEntries(Object.entries(manifests).map(([file, manifest]) => [`${kind}/${file}`, yaml(manifest)])),
})

/** Returns the texts of the files by their paths. `version`: the tag of the image. */
export const renderKustomize = (version: string): { readonly [file: string]: string } => ({
  'base/kustomization.yaml': kustomization('Kustomization', { resources: ['service.yaml', 'network-policy.yaml'] }),
  'base/service.yaml': yaml(service(values)),
  'base/network-policy.yaml': yaml(networkPolicy(values)),
  ...ofKind('sole', { 'statefulset.yaml': statefulSet(values) }, version),
  ...ofKind(
    'shared',
    {
      'deployment.yaml': deployment(values),
      'disruption-budget.yaml': disruptionBudget(values),
      'autoscaler.yaml': autoscaler(values),
    },
    version,
  ),
  'monitoring/kustomization.yaml': kustomization('Component', { resources: ['service-monitor.yaml'] }),
  'monitoring/service-monitor.yaml': yaml(serviceMonitor(values)),
})
