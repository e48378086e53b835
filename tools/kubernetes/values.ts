/**
 * The values that differ between the manifests of Kustomize and the templates of Helm. Each manifest is made once with the values of
 * Kustomize, and once with those of Helm.
 */

import type { IContainer } from '../../test/foreign/kubernetes.ts'

export type Values = {
  /** The name of all objects, and of the Secret whose members are the secrets in files. */
  readonly name: string
  readonly secretName: string
  readonly labels: { readonly [name: string]: string }
  /** Those of the labels that never change, by which Services find their pods. */
  readonly selector: { readonly [name: string]: string }
  readonly image: string
  readonly imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never'
  /** The time from the signal to stop until the pod is killed. */
  readonly graceSeconds: number
  readonly resources: NonNullable<IContainer['resources']>
  readonly env: NonNullable<IContainer['env']>
  readonly storageSize: string
  readonly minReplicas: number
  readonly maxReplicas: number
  /** The namespace from which Prometheus asks for the metrics. */
  readonly monitoringNamespace: string
}

/** The time for which a pod that is to end still takes requests, until load balancers know of it. */
export const noticeSeconds = 5

/** What a stop takes beyond `gateway.drain_seconds` at most. */
export const stopSeconds = 15
