/** Kubernetes' published schemas, and the types of its manifests. */

export type { IServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
export * as operator from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
export type { IDeployment, IStatefulSet } from 'kubernetes-models/apps/v1'
export * as apps from 'kubernetes-models/apps/v1'
export type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
export * as autoscaling from 'kubernetes-models/autoscaling/v2'
export type { IIngress, INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
export * as networking from 'kubernetes-models/networking.k8s.io/v1'
export type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1'
export * as policy from 'kubernetes-models/policy/v1'
export type { IConfigMap, IContainer, IPodSpec, IProbe, IService, IVolume } from 'kubernetes-models/v1'
export * as core from 'kubernetes-models/v1'
