/** Makes the manifests of how the gateway's pods are reached: Service, NetworkPolicy, and the ServiceMonitor of Prometheus' operator. */

import type { INetworkPolicy, IService, IServiceMonitor } from '../../test/foreign/kubernetes.ts'
import type { Values } from './values.ts'
import { ports } from './workloads.ts'

export const service = ({ name, labels, selector }: Values): IService => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, labels: { ...labels } },
  spec: {
    selector: { ...selector },
    ports: [
      { name: 'webhooks', port: 80, targetPort: 'webhooks' },
      { name: 'metrics', port: ports.metrics, targetPort: 'metrics' },
    ],
  },
})

/** The addresses of the clouds' metadata, which give away the rights of the machine. */
const metadataAddresses = { v4: ['169.254.0.0/16'], v6: ['fe80::/10', 'fd00:ec2::254/128'] }

/** Strangers reach the webhooks only, and Prometheus the metrics. The gateway reaches names, https and PostgreSQL. */
export const networkPolicy = ({ name, labels, selector, monitoringNamespace }: Values): INetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, labels: { ...labels } },
  spec: {
    podSelector: { matchLabels: { ...selector } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      { ports: [{ port: 'webhooks' }] },
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': monitoringNamespace } } }],
        ports: [{ port: 'metrics' }],
      },
    ],
    egress: [
      {
        ports: [
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
        ],
      },
      {
        to: [{ ipBlock: { cidr: '0.0.0.0/0', except: metadataAddresses.v4 } }, { ipBlock: { cidr: '::/0', except: metadataAddresses.v6 } }],
        ports: [{ port: 443 }, { port: 5432 }],
      },
    ],
  },
})

/** Prometheus gives the token of `metrics.token`, which is a member of the Secret. */
export const serviceMonitor = ({ name, labels, selector, secretName }: Values): IServiceMonitor => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'ServiceMonitor',
  metadata: { name, labels: { ...labels } },
  spec: {
    selector: { matchLabels: { ...selector } },
    endpoints: [{ port: 'metrics', authorization: { credentials: { name: secretName, key: 'metrics-token' } } }],
  },
})
