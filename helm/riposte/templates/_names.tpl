{{/* Names and labels of all objects. */}}

{{- define "riposte.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 40 characters, so that the longest name that contains it has at most 63. */}}
{{- define "riposte.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "riposte.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "riposte.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "riposte.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "riposte.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The labels by which a Deployment and its Services find their pods; they never change. Takes
     root and component. */}}
{{- define "riposte.selector" -}}
app.kubernetes.io/name: {{ include "riposte.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* A selector of the pods that serve and, if they are separate, of the workers. */}}
{{- define "riposte.allPods" -}}
{{- if .Values.worker.enabled -}}
matchLabels:
  {{- omit (include "riposte.selector" (dict "root" . "component" "server") | fromYaml) "app.kubernetes.io/component" | toYaml | nindent 2 }}
matchExpressions:
  - {key: app.kubernetes.io/component, operator: In, values: [server, worker]}
{{- else -}}
matchLabels:
  {{- include "riposte.selector" (dict "root" . "component" "server") | nindent 2 }}
{{- end -}}
{{- end -}}

{{/* Takes root and component. */}}
{{- define "riposte.labels" -}}
{{ include "riposte.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Name, namespace and labels. Takes root, name and component. */}}
{{- define "riposte.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "riposte.labels" . | nindent 2 }}
{{- end -}}

{{- define "riposte.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}
