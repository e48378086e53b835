/** Writes the Helm chart: the manifests of the Kustomize folders, with expressions of Helm in place of the values. */

import { stringify } from 'yaml'
import type { IConfigMap, IIngress } from '../../test/foreign/kubernetes.ts'
import { exampleConfig } from './configuration.ts'
import { networkPolicy, service, serviceMonitor } from './network.ts'
import { noticeSeconds, stopSeconds, type Values } from './values.ts'
import { autoscaler, deployment, disruptionBudget, statefulSet } from './workloads.ts'

type Schema = { readonly [key: string]: unknown }

const expressions: string[] = []
const mark = (form: 'VALUE' | 'BLOCK', expression: string): string => `HELM_${form}_${expressions.push(expression) - 1}_`
/** Stands for the result of an expression of Helm in a manifest. */
const expr = <T = string>(expression: string): T => mark('VALUE', expression) as T
/** Stands for a map among the values. */
const block = <T extends object>(path: string): T => mark('BLOCK', `toYaml ${path}`) as unknown as T
/** Stands for the members of a list among the values, which may be empty. */
const optionalBlock = <T extends object>(path: string): T => mark('BLOCK', `with ${path}`) as unknown as T
const labelsOf = (define: string): { readonly [name: string]: string } => ({ [mark('BLOCK', `include "${define}" .`)]: '' })

const values: Values = {
  name: expr('include "headgate.name" .'),
  secretName: expr('.Values.secretName | quote'),
  labels: labelsOf('headgate.labels'),
  selector: labelsOf('headgate.selector'),
  image: expr('printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote'),
  imagePullPolicy: expr('.Values.image.pullPolicy'),
  graceSeconds: expr(`add (dig "gateway" "drain_seconds" 30 .Values.config) ${noticeSeconds + stopSeconds}`),
  resources: block('.Values.resources'),
  env: [optionalBlock('.Values.env')],
  storageSize: expr('.Values.storage.size'),
  minReplicas: expr('.Values.autoscaling.minReplicas'),
  maxReplicas: expr('.Values.autoscaling.maxReplicas'),
  monitoringNamespace: expr('.Values.monitoring.namespace'),
}

/**
 * Writes a manifest with its expressions. A block begins a line of its own, with the indent of the place where it stands; in a list or as
 * the key of a map it takes the place of the entry.
 */
const template = (manifest: object): string =>
  stringify(manifest, { lineWidth: 0 })
    .split('\n')
    .map((line) => {
      const found = /HELM_BLOCK_(\d+)_/.exec(line)
      if (!found) return line.replace(/HELM_VALUE_(\d+)_/g, (_, index) => `{{ ${expressions[Number(index)]} }}`)
      const before = line.slice(0, found.index)
      const indent = /^ */.exec(line)?.[0].length ?? 0
      const isMember = before.trim() !== '' && before.trim() !== '-'
      const expression = String(expressions[Number(found[1])])
      const inserted = expression.startsWith('with ')
        ? `{{- ${expression} }}{{- toYaml . | nindent ${indent} }}{{- end }}`
        : `{{- ${expression} | nindent ${isMember ? indent + 2 : indent} }}`
      return isMember ? `${before.trimEnd()} ${inserted}` : `${' '.repeat(indent)}${inserted}`
    })
    .join('\n')

const when = (condition: string, text: string): string => `{{- if ${condition} }}\n${text}{{- end }}\n`

const isShared = 'include "headgate.isShared" .'
const isSole = 'not (include "headgate.isShared" .)'

const helpers = `{{- define "headgate.name" -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "headgate.selector" -}}
app.kubernetes.io/name: headgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "headgate.labels" -}}
{{ include "headgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- /* Whether several gateways share the store: their number then follows the load, and one owns nothing that the others lack. */}}
{{- define "headgate.isShared" -}}
{{- if eq (dig "storage" "kind" "sqlite" .Values.config) "postgres" }}true{{ end }}
{{- end }}
`

const configMap: IConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: values.name, labels: { ...values.labels } },
}

const files = `{{- range $name, $content := .Values.files }}
  {{ $name }}: |
    {{- toYaml $content | nindent 4 }}
{{- end }}
`

const ingress: IIngress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: values.name, labels: { ...values.labels }, annotations: block('.Values.ingress.annotations') },
  spec: {
    ingressClassName: expr('.Values.ingress.className'),
    rules: [
      {
        host: expr('.Values.ingress.host | quote'),
        http: {
          paths: [{ path: '/webhooks', pathType: 'Prefix', backend: { service: { name: values.name, port: { name: 'webhooks' } } } }],
        },
      },
    ],
    tls: [{ hosts: [expr('.Values.ingress.host | quote')], secretName: expr('.Values.ingress.tlsSecret | quote') }],
  },
}

/** The chart's own configuration has no route: Helm would put it beside the routes of each user. */
const config = {
  ...exampleConfig.sole,
  platforms: { webhook: { ...exampleConfig.sole.platforms.webhook, routes: {} } },
}

const defaultValues = {
  image: { repository: 'headgate', tag: '', pullPolicy: 'IfNotPresent' },
  secretName: 'headgate-secrets',
  config,
  files: {},
  env: [] as object[],
  resources: { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '768Mi' } },
  storage: { size: '5Gi' },
  autoscaling: { minReplicas: 2, maxReplicas: 6 },
  monitoring: { enabled: false, namespace: 'monitoring' },
  ingress: { enabled: false, className: 'nginx', host: 'hooks.example.com', tlsSecret: 'headgate-tls', annotations: {} },
}

/** What each value is for: the comments of values.yaml, and the descriptions of its schema. */
const meanings: { readonly [name in keyof typeof defaultValues]: string } = {
  image: 'The image. Without a tag the version of the chart counts.',
  secretName: 'The Secret whose members the gateway finds as files in /run/secrets/headgate. It must be there before.',
  config: 'config.yaml. With storage.kind: postgres the gateway is a Deployment that scales, otherwise a StatefulSet of one.',
  files: 'Further files beside config.yaml, each under its name, such as files of routes that config.include names.',
  env: 'Variables of the container, for example for agents.',
  resources: 'Requests and limits of the container. Agents and scripts count towards them.',
  storage: 'The size of the volume of the embedded store.',
  autoscaling: 'How many gateways there are, with a shared store.',
  monitoring: "Whether Prometheus' operator gets a ServiceMonitor, and the namespace from which metrics may be asked.",
  ingress: 'Whether the webhooks are reached through an Ingress, with TLS.',
}

const valuesText = (): string =>
  Object.entries(defaultValues)
    .map(([name, value]) => `# ${meanings[name as keyof typeof meanings]}\n${stringify({ [name]: value }, { lineWidth: 0 })}`)
    .join('\n')

/** Returns the schema of an example: maps with the members that it has, and values of its types. */
const schemaOf = (value: unknown): Schema => {
  if (Array.isArray(value)) return { type: 'array' }
  if (typeof value === 'number') return { type: 'integer', minimum: 1 }
  if (typeof value !== 'object' || value === null) return { type: typeof value }
  const members = Object.entries(value)
  if (members.length === 0) return { type: 'object' }
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(members.map(([name, member]) => [name, schemaOf(member)])),
  }
}

/** The keys of a ConfigMap are names of files; the contents are maps, as those of all configuration files. */
const filesSchema: Schema = {
  type: 'object',
  propertyNames: { pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]{0,252}$', not: { const: 'config.yaml' } },
  additionalProperties: { type: 'object' },
}

/** Makes the schema of the values. `config`: the schema of `config.yaml`, for validators. */
const valuesSchema = ({ $schema, $id: _, definitions, ...config }: Schema): Schema => ({
  $schema,
  type: 'object',
  additionalProperties: false,
  properties: {
    ...Object.fromEntries(
      Object.entries(defaultValues).map(([name, value]) => [
        name,
        {
          description: meanings[name as keyof typeof meanings],
          ...(name === 'config' ? config : name === 'files' ? filesSchema : name === 'resources' ? { type: 'object' } : schemaOf(value)),
        },
      ]),
    ),
    // Helm adds the values that a chart around this one gives to all its charts.
    global: { type: 'object' },
  },
  definitions,
})

/** Helm's validator compiles patterns by Go's rules, which have no look-around. Without such a pattern several alternatives may fit a value. */
const withoutLookaround = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutLookaround)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !(key === 'pattern' && typeof item === 'string' && /\(\?[=!<]/.test(item)))
      .map(([key, item]) => [key === 'oneOf' ? 'anyOf' : key, withoutLookaround(item)]),
  )
}

const notes = `The webhooks are at http://{{ include "headgate.name" . }}.{{ .Release.Namespace }}.svc/webhooks/<route>.
{{- if .Values.ingress.enabled }}
From outside: https://{{ .Values.ingress.host }}/webhooks/<route>.
{{- end }}
The Secret {{ .Values.secretName }} must have the members that the configuration names as file:/run/secrets/headgate/<member>.
`

/** Returns the texts of the files by their paths. `configSchema`: the bundled schema of `config.yaml`, without texts for people. */
export const renderChart = (version: string, configSchema: Schema): { readonly [file: string]: string } => ({
  'Chart.yaml': stringify({
    apiVersion: 'v2',
    name: 'headgate',
    description: 'Receives webhooks, verifies them, and runs agents, jobs and messages by rules in YAML',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.30.0-0',
  }),
  'values.yaml': `# Written by \`npm run gen\` from tools/kubernetes/. docs/kubernetes.md says how to use it.\n\n${valuesText()}`,
  'values.schema.json': `${JSON.stringify(withoutLookaround(valuesSchema(configSchema)))}\n`,
  'templates/_helpers.tpl': helpers,
  'templates/NOTES.txt': notes,
  'templates/config-map.yaml': `${template(configMap)}data:\n  config.yaml: |\n    {{- toYaml .Values.config | nindent 4 }}\n${files}`,
  'templates/service.yaml': template(service(values)),
  'templates/network-policy.yaml': template(networkPolicy(values)),
  'templates/statefulset.yaml': when(isSole, template(statefulSet(values))),
  'templates/deployment.yaml': when(isShared, template(deployment(values))),
  'templates/disruption-budget.yaml': when(isShared, template(disruptionBudget(values))),
  'templates/autoscaler.yaml': when(isShared, template(autoscaler(values))),
  'templates/service-monitor.yaml': when('.Values.monitoring.enabled', template(serviceMonitor(values))),
  'templates/ingress.yaml': when('.Values.ingress.enabled', template(ingress)),
})
