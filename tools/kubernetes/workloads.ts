/** Makes the manifests of the gateway's pods: a StatefulSet of one for the embedded store, a Deployment for a shared store. */

import type {
  IContainer,
  IDeployment,
  IHorizontalPodAutoscaler,
  IPodDisruptionBudget,
  IPodSpec,
  IProbe,
  IStatefulSet,
  IVolume,
} from '../../test/foreign/kubernetes.ts'
import { noticeSeconds, type Values } from './values.ts'

/** The ports of the container, which `--port` and `metrics.port` of the configuration say too. */
export const ports = { webhooks: 8644, metrics: 9464 } as const

/** The user of the image. */
const userId = 10_001

const probe = (path: string, periodSeconds: number, failureThreshold: number): IProbe => ({
  httpGet: { path, port: 'webhooks' },
  periodSeconds,
  failureThreshold,
  timeoutSeconds: 5,
})

const gatewayContainer = ({ image, imagePullPolicy, resources, env }: Values): IContainer => ({
  name: 'gateway',
  image,
  imagePullPolicy,
  // A changed ConfigMap is read without a restart.
  args: [
    ...['gateway', 'run', '--watch', '--host', '0.0.0.0', '--port', String(ports.webhooks)],
    ...['--data-dir', '/data', '--config', '/etc/headgate/config.yaml'],
  ],
  env: [...[{ name: 'HOME', value: '/tmp' }], ...env],
  ports: [
    { name: 'webhooks', containerPort: ports.webhooks },
    { name: 'metrics', containerPort: ports.metrics },
  ],
  startupProbe: probe('/livez', 2, 60),
  livenessProbe: probe('/livez', 10, 3),
  readinessProbe: probe('/readyz', 5, 2),
  lifecycle: { preStop: { sleep: { seconds: noticeSeconds } } },
  resources,
  securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  volumeMounts: [
    { name: 'data', mountPath: '/data' },
    { name: 'config', mountPath: '/etc/headgate', readOnly: true },
    { name: 'secrets', mountPath: '/run/secrets/headgate', readOnly: true },
    { name: 'tmp', mountPath: '/tmp' },
  ],
})

const podSpec = (values: Values, volumes: readonly IVolume[]): IPodSpec => ({
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  terminationGracePeriodSeconds: values.graceSeconds,
  // The level "restricted" of the Pod Security Standards.
  securityContext: {
    runAsNonRoot: true,
    runAsUser: userId,
    runAsGroup: userId,
    fsGroup: userId,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containers: [gatewayContainer(values)],
  volumes: [
    { name: 'config', configMap: { name: values.name } },
    { name: 'secrets', secret: { secretName: values.secretName, defaultMode: 0o440 } },
    { name: 'tmp', emptyDir: { sizeLimit: '256Mi' } },
    ...volumes,
  ],
})

const podMetadata = ({ labels }: Values) => ({ labels: { ...labels } })

/** One gateway owns the embedded store, so there is never a second pod beside the first. */
export const statefulSet = (values: Values): IStatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: values.name, labels: { ...values.labels } },
  spec: {
    replicas: 1,
    serviceName: values.name,
    selector: { matchLabels: { ...values.selector } },
    template: { metadata: podMetadata(values), spec: podSpec(values, []) },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: values.storageSize } } },
      },
    ],
  },
})

/** The autoscaler sets the number of pods. The disk of a pod may be lost with the pod, because events are in the database. */
export const deployment = (values: Values): IDeployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: values.name, labels: { ...values.labels } },
  spec: {
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    minReadySeconds: 5,
    selector: { matchLabels: { ...values.selector } },
    template: {
      metadata: podMetadata(values),
      spec: {
        ...podSpec(values, [{ name: 'data', emptyDir: { sizeLimit: '2Gi' } }]),
        topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map((topologyKey) => ({
          maxSkew: 1,
          topologyKey,
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { ...values.selector } },
        })),
      },
    },
  },
})

export const disruptionBudget = ({ name, labels, selector }: Values): IPodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, labels: { ...labels } },
  spec: { maxUnavailable: 1, selector: { matchLabels: { ...selector } } },
})

export const autoscaler = ({ name, labels, minReplicas, maxReplicas }: Values): IHorizontalPodAutoscaler => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name, labels: { ...labels } },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
    minReplicas,
    maxReplicas,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }],
  },
})
