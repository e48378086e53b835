{{- define "headgate.name" -}}
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
