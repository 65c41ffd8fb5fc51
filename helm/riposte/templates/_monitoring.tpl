{{/* Objects for the Prometheus operator and for Grafana. */}}

{{/* Metadata with the labels by which Prometheus finds the object. Takes root, name and
     component. */}}
{{- define "riposte.monitoring.metadata" -}}
{{- include "riposte.metadata" . }}
{{- with .root.Values.monitoring.labels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "riposte.object.monitor" -}}
{{- $kind := get (dict "none" "" "pod" "PodMonitor" "service" "ServiceMonitor") .Values.monitoring.monitor -}}
{{- if $kind -}}
apiVersion: monitoring.coreos.com/v1
kind: {{ $kind }}
metadata:
  {{- include "riposte.monitoring.metadata" (dict "root" . "name" (include "riposte.fullname" .) "component" "server") | nindent 2 }}
spec:
  selector:
    {{- include "riposte.allPods" . | nindent 4 }}
  {{ ternary "podMetricsEndpoints" "endpoints" (eq $kind "PodMonitor") }}:
    - port: http-metrics
      path: /metrics
      interval: {{ .Values.monitoring.interval }}
{{- end -}}
{{- end -}}

{{- define "riposte.object.prometheusRule" -}}
{{- if .Values.monitoring.rules -}}
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  {{- include "riposte.monitoring.metadata" (dict "root" . "name" (include "riposte.fullname" .) "component" "server") | nindent 2 }}
spec:
  {{- .Files.Get "files/alerts.yaml" | fromYaml | toYaml | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "riposte.object.dashboards" -}}
{{- if .Values.monitoring.dashboards.enabled -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "riposte.metadata" (dict "root" . "name" (printf "%s-dashboards" (include "riposte.fullname" .)) "component" "server") | nindent 2 }}
  {{- with .Values.monitoring.dashboards.labels }}
    {{- toYaml . | nindent 4 }}
  {{- end }}
data:
  {{- range $path, $text := .Files.Glob "files/dashboards/*.json" }}
  {{ base $path }}: {{ toString $text | fromJson | toJson | toJson }}
  {{- end }}
{{- end -}}
{{- end -}}
