/**
 * The manifests of deploy/: kubectl builds the folders of Kustomize, Go's templates render the chart, Kubernetes' published schemas accept
 * the result, and a gateway starts with the arguments and the configuration of the pods.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { newFolder } from '../fakes/folder.ts'
import { command, startGateway } from '../fakes/process-gateway.ts'
import { apps, autoscaling, core, networking, operator, policy } from '../foreign/kubernetes.ts'

// biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds are read here, and their schemas are what the test checks.
type Tree = { readonly [key: string]: any }

const deploy = join(import.meta.dirname, '../../deploy')
const chart = join(deploy, 'helm/headgate')

const schemas: { readonly [apiVersion: string]: Tree } = {
  v1: core,
  'apps/v1': apps,
  'autoscaling/v2': autoscaling,
  'policy/v1': policy,
  'networking.k8s.io/v1': networking,
  'monitoring.coreos.com/v1': operator,
}

const isThere = (program: string): boolean => !spawnSync(program, ['--help']).error

const manifestsIn = (text: string): Tree[] => parseAllDocuments(text).map((document) => document.toJS() as Tree)

/** Checks the manifests against Kubernetes' schemas and the level "restricted" of its Pod Security Standards, and finds them by kind. */
const check = (t: Test, manifests: readonly Tree[]): { readonly [kind: string]: Tree } => {
  for (const manifest of manifests) {
    const Model = schemas[manifest.apiVersion]?.[manifest.kind]
    t.ok(Model, `${manifest.apiVersion} ${manifest.kind} is known`)
    t.doesNotThrow(() => new Model(manifest).validate(), `${manifest.kind} fits its schema`)
    const pod = manifest.spec?.template
    if (!pod) continue
    t.match(pod.spec, {
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    for (const { securityContext } of pod.spec.containers)
      t.match(securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } })
    t.match(pod.metadata.labels, manifest.spec.selector.matchLabels)
    t.notOk(pod.spec.volumes.some((volume: Tree) => volume.hostPath))
    const [volumes, mounts] = [pod.spec.volumes, pod.spec.containers[0].volumeMounts].map((list) => list.map(({ name }: Tree) => name))
    const claims = manifest.spec.volumeClaimTemplates?.map(({ metadata }: Tree) => metadata.name) ?? []
    t.strictSame(mounts.toSorted(), [...volumes, ...claims].toSorted())
  }
  return Object.fromEntries(manifests.map((manifest) => [manifest.kind, manifest]))
}

const members = ['webhook', 'metrics-token']

/** Starts the gateway of a pod: the arguments and the configuration of the manifests, with folders of this machine. */
const startPod = async (t: Test, dir: string, workload: Tree, config: string): Promise<void> => {
  const secrets = join(dir, 'secrets')
  mkdirSync(secrets, { recursive: true })
  for (const name of members) writeFileSync(join(secrets, name), `a-long-secret-of-${name}`, { mode: 0o440 })
  const file = join(dir, 'mounted.yaml')
  writeFileSync(file, config.replaceAll('/run/secrets/headgate', secrets).replace(/port: 9464/, 'port: 0'), { mode: 0o640 })
  t.match(command({ dir }, 'validate', '--config', file), { status: 0 })
  const pod = workload.spec.template.spec
  const [container] = pod.containers
  const args: string[] = container.args.map(
    (word: string) => ({ '/data': dir, '/etc/headgate/config.yaml': file, 8644: '0', '0.0.0.0': '127.0.0.1' })[word] ?? word,
  )
  t.strictSame(args.slice(0, 2), ['gateway', 'run'])
  const gateway = await startGateway(t, dir, { args: args.slice(2) })
  const url = await gateway.listening
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    t.equal((await fetch(`${url}${container[probe].httpGet.path}`)).status, 200, probe)
  t.ok(pod.terminationGracePeriodSeconds >= 30 + container.lifecycle.preStop.sleep.seconds)
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0 })
}

t.test('the folders of Kustomize', { skip: !isThere('kubectl') && 'kubectl is not installed' }, async (t) => {
  const own = newFolder(t)
  const build = (folder: string): Tree[] => manifestsIn(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' }))
  const sole = check(t, build(join(deploy, 'kubernetes/sole')))
  t.strictSame(
    Object.keys(sole).toSorted(),
    ['ConfigMap', 'NetworkPolicy', 'Service', 'StatefulSet'],
    'the embedded store has neither copies nor a budget',
  )
  t.equal(sole.StatefulSet?.spec.replicas, 1)
  const { version } = JSON.parse(readFileSync(join(deploy, '../package.json'), 'utf8'))
  t.equal(sole.StatefulSet?.spec.template.spec.containers[0].image, `headgate:${version}`)
  t.equal(sole.StatefulSet?.spec.template.spec.volumes[0].configMap.name, sole.ConfigMap?.metadata.name)
  await startPod(t, join(own, 'pod'), sole.StatefulSet as Tree, sole.ConfigMap?.data['config.yaml'])

  const component = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['shared'],
    components: ['monitoring'],
  }
  cpSync(join(deploy, 'kubernetes'), own, { recursive: true })
  writeFileSync(join(own, 'kustomization.yaml'), stringify(component))
  const shared = check(t, build(own))
  t.strictSame(Object.keys(shared).toSorted(), [
    ...['ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'ServiceMonitor'],
  ])
  t.match(shared.Deployment?.spec, { strategy: { rollingUpdate: { maxUnavailable: 0 } }, replicas: undefined })
  t.equal(shared.ServiceMonitor?.spec.endpoints[0].port, shared.Service?.spec.ports[1].name)
})

t.test('the chart', { skip: !isThere('go') && 'Go is not installed' }, async (t) => {
  const dir = newFolder(t)
  const program = join(dir, 'render-chart')
  const source = join(deploy, '../tools/kubernetes/render-chart.go')
  execFileSync('go', ['build', '-o', program, source], { env: { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' } })
  const validate = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')))
  const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'))
  t.ok(validate(defaults), JSON.stringify(validate.errors))
  const render = (values: Tree): { readonly [kind: string]: Tree } => {
    const file = join(dir, 'own.yaml')
    writeFileSync(file, stringify(values))
    t.ok(validate({ ...defaults, ...values }), JSON.stringify(validate.errors))
    return check(t, manifestsIn(execFileSync(program, [chart, 'hooks', file], { encoding: 'utf8' })))
  }
  const routes = { orders: { events: ['push'], prompt: '{{ not for Helm }} {id}', deliver: 'log' } }
  const billing = { routes: { invoices: { prompt: '{id}', deliver: 'log' } } }
  const sole = render({ config: { platforms: { webhook: { routes } } }, files: { 'billing.routes.yaml': billing } })
  t.strictSame(Object.keys(sole).toSorted(), ['ConfigMap', 'NetworkPolicy', 'Service', 'StatefulSet'])
  t.strictSame(parse(sole.ConfigMap?.data['config.yaml']).platforms.webhook.routes, routes, 'the routes are those of the user alone')
  t.strictSame(parse(sole.ConfigMap?.data['billing.routes.yaml']), billing, 'a file of routes stands beside it')
  await startPod(t, join(dir, 'pod'), sole.StatefulSet as Tree, sole.ConfigMap?.data['config.yaml'])

  const shared = render({
    config: { storage: { kind: 'postgres', url: 'file:/run/secrets/headgate/database-url' }, gateway: { drain_seconds: 120 } },
    env: [{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }],
    monitoring: { enabled: true, namespace: 'observability' },
    ingress: { enabled: true, className: 'nginx', host: 'hooks.example.org', tlsSecret: 'cert', annotations: { a: 'b' } },
  })
  t.strictSame(Object.keys(shared).toSorted(), [
    ...[
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceMonitor',
    ],
  ])
  const pod = shared.Deployment?.spec.template.spec
  t.equal(pod.terminationGracePeriodSeconds, 140, 'the time follows drain_seconds')
  t.match(pod.containers[0].env, [{ name: 'HOME' }, { name: 'HTTPS_PROXY', value: 'http://proxy:3128' }])
  t.match(shared.Ingress?.spec.rules, [{ host: 'hooks.example.org' }])
  t.match(JSON.stringify(shared.NetworkPolicy), /"kubernetes.io\/metadata.name":"observability"/)
  for (const wrong of [
    { replicas: 3 },
    { files: { 'config.yaml': {} } },
    { config: { platforms: { webhook: { routes: { a: { event: ['push'] } } } } } },
  ])
    t.notOk(validate({ ...defaults, ...wrong }), 'a word that nobody reads is refused before anything is installed')
})
